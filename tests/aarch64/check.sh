#!/usr/bin/env bash
# check.sh GENERATORS EUTECTIC MANUAL CHECK CXX QEMU TARGET CPU NAME FAMILY LINE PART:GENERATOR,... PARAMETER...
#
# Compiles each PART of a generator twice for TARGET, by Eutectic and as the scalar program with every Func in memory (of FAMILY numerics in
# double), links both by the cross compiler CXX, and has the program CHECK compare them on the processor CPU as QEMU emulates it, which ends
# at an instruction that CPU lacks. That is done at the PARAMETERs, and planned once more at an odd eighth of each size among them. Works in
# the folder NAME, which is made anew. Exit status 77, and a sentence, where there is no cross compiler or no emulator.
#
# The environment variable EUTECTIC_AARCH64_UNFUSED adds parameters to the unfused program alone: to see that a difference is noticed.
set -euo pipefail

generators=$1 eutectic=$2 manual=$3 check=$4 cxx=$5 qemu=$6 target=$7-no_runtime cpu=$8 name=$9 family=${10} line=${11}
IFS=, read -r -a pairs <<<"${12}"
shift 12

for tool in "$cxx" "$qemu" "$check"; do
    if [ ! -x "$tool" ]; then
        echo "Skipped: kernels for AArch64 need Debian's g++-aarch64-linux-gnu and qemu-user-static; scripts/aarch64 installs them."
        exit 77
    fi
done
# The loader and the libraries that the cross compiler links.
emulated=("$qemu" -cpu "$cpu" -L "$(dirname "$("$cxx" -print-file-name=libc.so.6)")/.." "$check")

rm -rf "$name"
mkdir "$name"
cd "$name"

# odd WORDS...: each number of at least 8 in KEY=NUMBER,... becomes an odd one, about an eighth of it; one a line.
odd() {
    python3 -c 'import re, sys
for word in sys.argv[1:]:
    key, equals, value = word.partition("=")
    print(key + equals + re.sub(r"\b[0-9]+\b", lambda n: n[0] if int(n[0]) < 8 else str(max(3, int(n[0]) // 8 | 1)), value))' "$@"
}

# compare FOLDER PARAMETER...: compiles and compares in that folder.
compare() {
    local folder=$1 parts=() pair part generator double=()
    shift
    if [ "$family" = numerics ]; then
        double=(type=float64)
    fi
    mkdir "$folder"
    cd "$folder"
    for pair in "${pairs[@]}"; do
        part=${pair%%:*} generator=${pair#*:}
        parts+=("$part")
        "$generators" -g "$generator" -f "planned_$part" -n "planned_$part" -o . -e object -p "$eutectic" "target=$target" "$@" \
            autoscheduler=Eutectic autoscheduler.parallelism=4 "autoscheduler.report=$part.json"
        # shellcheck disable=SC2086  # words
        "$generators" -g "$generator" -f "unfused_$part" -n "unfused_$part" -o . -e object -p "$manual" "target=$target" "$@" \
            "${double[@]}" ${EUTECTIC_AARCH64_UNFUSED:-} autoscheduler=Manual autoscheduler.schedule=reference
    done
    "$cxx" -shared -o kernels.so ./*.o
    echo "planned for $*"
    "${emulated[@]}" "$family" "$line" ./kernels.so "${parts[@]}"
    cd ..
}

parameters=("$@")
if [ "$family" = images ]; then
    mapfile -t settings < <("${emulated[@]}" settings "$line")
    parameters=(width=200 height=120 ${settings[@]+"${settings[@]}"} "$@")
fi
mapfile -t small < <(odd ${parameters[@]+"${parameters[@]}"})
compare planned ${parameters[@]+"${parameters[@]}"}
compare odd ${small[@]+"${small[@]}"}
