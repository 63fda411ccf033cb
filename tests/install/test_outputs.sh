#!/usr/bin/env bash
# test_outputs.sh CMAKE BUILD SCRATCH PYTHON
#
# Installs BUILD, builds the project in outputs/ against it, and looks at and uses all that its keywords make. SCRATCH is made anew.
set -euo pipefail

cmake=$1 build=$2 scratch=$3 python=$4
unset EUTECTIC_ROOT
project=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/outputs

rm -rf "$scratch"
mkdir -p "$scratch"
"$cmake" --install "$build" --prefix "$scratch/package" >"$scratch/install.log"
"$cmake" -G Ninja -S "$project" -B "$scratch/build" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=$scratch/package" "-DPYTHON=$python"
EUTECTIC_DUMP=$scratch/plans "$cmake" --build "$scratch/build" --parallel 2
"$python" "$project/check_files.py" "$scratch/build/files.txt"
EUTECTIC_DEVICE=cpu "$scratch/build/app"

# RunGen knows the functions by their names, and runs one.
"$scratch/build/run" --name=layer --estimate_all --benchmarks=all --benchmark_min_time=0.001 >"$scratch/run.txt"
grep -q "^Benchmark for layer produces best case of " "$scratch/run.txt"
for name in dense layer_pair_forward layer_pair_backward_kernel two layer_joined; do
    "$scratch/build/run" "--name=$name" --describe >"$scratch/describe.txt"
    grep -qF "Filter name: \"$name\"" "$scratch/describe.txt"
done

# What has no headers of Python builds no modules.
if [ -n "$(find "$scratch/build" -name 'layers.*.so')" ]; then
    "$python" "$project/use_modules.py" "$scratch/build"
else
    echo "the modules for Python are left out: this python3 has no headers"
fi

# Each plan of the build is in a folder of its own, and none is half written.
grep -rlF '"plan_hash"' "$scratch"/plans/*/report.json >"$scratch/reports.txt"
[ "$(wc -l <"$scratch/reports.txt")" -eq "$(find "$scratch/plans" -mindepth 1 -maxdepth 1 | wc -l)" ]

# All of it is declared: what is deleted is made again, and nothing else is left to do.
rm "$scratch/build/layer.stmt" "$scratch/build/layer_two.py.cpp"
"$cmake" --build "$scratch/build" --parallel 2 >"$scratch/again.log"
test -s "$scratch/build/layer.stmt"
test -s "$scratch/build/layer_two.py.cpp"
"$cmake" --build "$scratch/build" | grep -F "no work to do"
