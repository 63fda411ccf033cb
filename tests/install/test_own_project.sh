#!/usr/bin/env bash
# test_own_project.sh ROOT BUILD SCRATCH [OLD_CMAKE]
#
# What scripts/install prints, line by line, in a folder of its own; what it refuses; and the sentence of a CMake that is too old.
set -euo pipefail

root=$1 build=$2 scratch=$3 old=${4:-}
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
unset EUTECTIC_ROOT
rm -rf "$scratch"
mkdir -p "$scratch/work"

"$root/scripts/install" "$scratch/prefix" --from "$build" >"$scratch/printed.txt"
tail -n 3 "$scratch/printed.txt" >"$scratch/lines.sh"
cd "$scratch/work"
run_lines "$scratch/lines.sh" "$scratch/log.txt"
grep -q "^loss: .* after 100 steps" "$scratch/log.txt"
grep -q '"groups"' own-project/build/layer_backward.report.json
# Again, over what is there.
"$root/scripts/install" "$scratch/prefix" --from "$build" >"$scratch/again.txt"
cmp "$scratch/printed.txt" "$scratch/again.txt"
"$scratch/prefix/bin/eutectic" --help >"$scratch/help.txt"

refused 1 "is there, and no folder" "$root/scripts/install" "$scratch/lines.sh" --from "$build"
refused 1 "is no build folder of this project" "$root/scripts/install" "$scratch/none" --from "$scratch/work"
[ ! -e "$scratch/none" ]
status=0
"$root/scripts/install" a b 2>/dev/null || status=$?
[ "$status" -eq 2 ]

if [ -n "$old" ]; then
    status=0
    "$old" -S own-project -B old -DCMAKE_PREFIX_PATH="$scratch/prefix" >"$scratch/old.txt" 2>&1 || status=$?
    [ "$status" -ne 0 ]
    tr -s ' \n' ' ' <"$scratch/old.txt" | grep -qF "is too old for the package of Halide 21, which needs 3.28 or newer" || {
        cat "$scratch/old.txt" >&2
        exit 1
    }
fi
