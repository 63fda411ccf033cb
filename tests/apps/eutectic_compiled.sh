#!/usr/bin/env bash
# eutectic_compiled.sh EUTECTIC GENERATORS PLUGIN STRICT_CHECK CXX TARGET GENERATOR: what `eutectic compile` made of a generator, and of its pipeline in a file, gives the bits of
# what the generator's own command line made with the plugin, on one thread and on two, at many sizes; and all have one header.
set -euo pipefail
eutectic=$1 generators=$2 plugin=$3 check=$4 cxx=$5 target=$6-no_runtime-strict_float generator=$7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$generators" -g "$generator" -f reference_plain -n reference_plain -o . -e object,c_header -p "$plugin" "target=$target" autoscheduler=Eutectic autoscheduler.parallelism=4
how=(-f strict_plain --target "$target" --numerics strict --parallelism 4)
"$eutectic" compile "$generators" -g "$generator" --save pipeline.hlpipe -o of_generator "${how[@]}"
"$eutectic" compile pipeline.hlpipe -o of_file "${how[@]}"
for folder in of_generator of_file; do
    # But for the guard, and numbers in names of outputs: a Func of the generator's class may be called y$1 where it is y in the file.
    header() { sed -E '1,2d; s/reference_plain/strict_plain/g; s/__[0-9]+_buffer/_buffer/g' "$1"; }
    diff <(header reference_plain.h) <(header "$folder/strict_plain.h")
    head -1 "$folder/strict_plain.h" | grep -qx '#ifndef HALIDE_strict_plain_h'
    cp "$folder/strict_plain.report.json" plain.json
    "$cxx" -shared -o "$folder.so" reference_plain.o -Wl,--whole-archive "$folder/strict_plain.a" -Wl,--no-whole-archive
    "$check" "$generator" "./$folder.so" plain
done
