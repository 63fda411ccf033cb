#!/usr/bin/env bash
# test_install.sh CMAKE BUILD SCRATCH
#
# Installs BUILD, moves the prefix, then configures, builds and runs the project in project/ against it, as someone
# outside would. SCRATCH is made anew.
set -euo pipefail

cmake=$1 build=$2 scratch=$3
unset EUTECTIC_ROOT  # where find_package would look first
project=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/project

rm -rf "$scratch"
mkdir -p "$scratch"
"$cmake" --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
mv "$scratch/first" "$scratch/moved"

# Nothing that CMake reads may name the place it was built in or installed to first.
for place in "$build" "$scratch/first"; do
    if grep -rlF --include='*.cmake' "$place" "$scratch/moved"; then
        echo "test_install.sh: the files above name $place, so the prefix cannot be moved." >&2
        exit 1
    fi
done

"$build/bin/fast_libraries" "$scratch/machine.json"
"$cmake" -G Ninja -S "$project" -B "$scratch/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$scratch/moved" -DFAST_LIBRARIES="$scratch/machine.json"
"$cmake" --build "$scratch/build" --parallel 2
"$scratch/build/app"
"$scratch/build/printed"
"$scratch/build/derived"

# A derivative that only its user knows.
if "$scratch/moved/bin/eutectic" grad "$scratch/build/soft_gens" -g soft -o "$scratch/soft" 2>"$scratch/soft.txt"; then exit 1; fi
grep -q "calls softsign, for which there is no derivative rule" "$scratch/soft.txt"
"$scratch/moved/bin/eutectic" grad "$scratch/build/soft_gens" -g soft --rules "$scratch/build/rules.so" -o "$scratch/soft"
if "$scratch/moved/bin/eutectic" grad "$scratch/build/soft_gens" -g soft --rules "$scratch/soft.txt" -o "$scratch/none" 2>"$scratch/none.txt"; then exit 1; fi
grep -q "^eutectic: The rules $scratch/soft.txt cannot be loaded" "$scratch/none.txt"

# The command, from where it is now: a plan and a library of a generator that this tree does not know.
"$scratch/moved/bin/eutectic" explain "$scratch/build/gens" -g layer >"$scratch/layer.txt"
grep -q "^group 1:" "$scratch/layer.txt"
"$scratch/moved/bin/eutectic" compile "$scratch/build/gens" -g layer -o "$scratch/kernels"
test -s "$scratch/kernels/layer.a"
for schema in report targets pair inspect; do
    grep -q '"title"' "$scratch/moved/share/eutectic/$schema.schema.json"
done

# One each of layer, layer_called, layer_kept and layer_pinned, two each of layer_portable, layer_strict and layer_trained, three of layer_anywhere.
mapfile -t reports <"$scratch/build/reports.txt"
[ "${#reports[@]}" -eq 13 ]
for report in "${reports[@]}"; do
    "$cmake" -DREPORT="$report" -P "$project/check_report.cmake"
done

# A pair's report names the archives beside it.
grep -q '"gradients": \[' "$scratch/build/layer_trained.report.json"
for archive in $(grep -o 'lib[a-z_]*[.]a' "$scratch/build/layer_trained.report.json"); do
    test -s "$scratch/build/$archive"
done

# The product is a call of the library that was linked.
grep -q '"library": "eigen"' "$scratch/build/layer_called.report.json"
nm "$scratch/build/app" >"$scratch/symbols.txt"
grep -q " T eutectic_eigen_product" "$scratch/symbols.txt"

# What is pinned is in memory, and a plan that is expected is the one there is, or the build fails.
grep -q "^      \"decision\": \"in memory\"" "$scratch/build/layer_pinned.report.json"
hash=$(grep -o '"plan_hash": "[^"]*"' "$scratch/build/layer_pinned.report.json" | cut -d '"' -f 4)
"$cmake" -S "$project" -B "$scratch/build" -DEXPECTED="$hash"
"$cmake" --build "$scratch/build" --target layer_expected
"$cmake" -S "$project" -B "$scratch/build" -DEXPECTED="${hash//[0-9a-f]/0}"
if "$cmake" --build "$scratch/build" --target layer_expected >"$scratch/drifted.log" 2>&1; then
    echo "test_install.sh: a plan with another hash was built." >&2
    exit 1
fi
grep -F "The plan has drifted: its decisions are ${hash##*-} and were expected to be 0000000000000000" "$scratch/drifted.log"
"$cmake" -S "$project" -B "$scratch/build" -DEXPECTED=

# The reports are declared outputs: one that was deleted is made again, and nothing else is left to do.
rm "$scratch/build/layer.report.json"
"$cmake" --build "$scratch/build" --parallel 2 >"$scratch/again.log"
test -s "$scratch/build/layer.report.json"
"$cmake" --build "$scratch/build" | grep -F "no work to do"
