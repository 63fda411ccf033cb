#!/usr/bin/env bash
# check.sh GENERATORS EUTECTIC MANUAL STRICT_CHECK CXX TARGET NAME SHAPES PART:GENERATOR,... PARAMETER...
#
# Compiles each PART (plain, or forward and backward) of a generator twice, by Eutectic with strict numerics and as the scalar program with
# every Func in memory, both for TARGET with strict_float, and has STRICT_CHECK compare them. Works in the folder NAME, which is made anew.
# With the environment variable EUTECTIC_NUMERICS=fast Eutectic compiles without: to see that it is noticed.
set -euo pipefail

numerics=${EUTECTIC_NUMERICS:-strict}
generators=$1 eutectic=$2 manual=$3 check=$4 cxx=$5 target=$6-no_runtime-strict_float name=$7 shapes=$8
IFS=, read -r -a pairs <<<"$9"
shift 9

ours=$target
if [ "$numerics" = fast ]; then
    ours=${target%-strict_float}
fi

rm -rf "$name"
mkdir "$name"
cd "$name"
parts=()
for pair in "${pairs[@]}"; do
    part=${pair%%:*} generator=${pair#*:}
    parts+=("$part")
    "$generators" -g "$generator" -f "strict_$part" -n "strict_$part" -o . -e object -p "$eutectic" "target=$ours" "$@" \
        autoscheduler=Eutectic autoscheduler.parallelism=4 "autoscheduler.numerics=$numerics" "autoscheduler.report=$part.json"
    "$generators" -g "$generator" -f "reference_$part" -n "reference_$part" -o . -e object -p "$manual" "target=$target" "$@" \
        autoscheduler=Manual autoscheduler.schedule=reference
done
"$cxx" -shared -o kernels.so ./*.o
"$check" "$shapes" ./kernels.so "${parts[@]}"
