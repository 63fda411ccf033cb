#!/usr/bin/env bash
# How files are compiled: through ccache where it is, eight at once or one by one.
#
# usage: test_compilers.sh CMAKE NINJA SOURCE
set -euo pipefail

cmake=$1 ninja=$2 source=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "test_compilers.sh: $*" >&2
    exit 1
}

# build FOLDER OPTIONS...: the first library, without Halide.
build() {
    local folder=$scratch/$1
    "$cmake" -S "$source" -B "$folder" -G Ninja -DCMAKE_MAKE_PROGRAM="$ninja" -DEUTECTIC_PLAIN_ONLY=ON -DEUTECTIC_PRECOMPILED_HEADERS=OFF "${@:2}" >"$scratch/log" 2>&1 &&
        "$cmake" --build "$folder" --target eutectic_base eutectic_process >>"$scratch/log" 2>&1 || fail "$1 was not built: $(cat "$scratch/log")"
}

# A ccache that says what it was asked for.
mkdir "$scratch/bin"
cat >"$scratch/bin/ccache" <<EOF
#!/bin/sh
echo "\$CCACHE_SLOPPINESS \$*" >>"$scratch/asked"
exec "\$@"
EOF
chmod +x "$scratch/bin/ccache"
PATH="$scratch/bin:$PATH" build with
[ -s "$scratch/asked" ] || fail "ccache is there, and compiles nothing"
grep -qE '^pch_defines,time_macros.* -fpch-preprocess .*Unity/unity_0_cxx.cxx' "$scratch/asked" || fail "ccache was asked for something else: $(cat "$scratch/asked")"

# One by one, as preset dev has it: warnings about names that other files have, too.
build one_by_one -DEUTECTIC_UNITY_BUILD=OFF -DEUTECTIC_CCACHE=
grep -q -- '-Wshadow .*units.cpp.o' "$scratch/one_by_one/compile_commands.json" || fail "units.cpp is not compiled by itself"
! grep -q Unity "$scratch/one_by_one/compile_commands.json" || fail "files are compiled together with EUTECTIC_UNITY_BUILD=OFF"
