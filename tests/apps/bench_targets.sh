#!/usr/bin/env bash
# usage: bench_targets.sh BENCH BUILD NINJA
# The build has every target that a run of the bench asks it for, of all suites and instruction sets.
set -euo pipefail
bench=$1 build=$2 ninja=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$ninja" -C "$build" -t targets all | sed -n 's/^\(bench\.[^:]*\):.*/\1/p' | sort -u >"$scratch/has"
[ -s "$scratch/has" ]
for suite in cpu "cpu --isa avx2" "cpu --isa avx512" grad "grad --isa avx2" "grad --isa avx512" products "products --isa avx2" "products --isa avx512" image cuda opencl; do
    # shellcheck disable=SC2086  # words
    if ! "$bench" $suite --print-targets >"$scratch/said" 2>"$scratch/refused"; then
        grep -q "needs a processor with" "$scratch/refused"
        continue
    fi
    tail -n +2 "$scratch/said" | sort -u >"$scratch/asks"
    [ -s "$scratch/asks" ]
    missing=$(comm -23 "$scratch/asks" "$scratch/has")
    [ -z "$missing" ] || { echo "bench_targets.sh: the bench asks for targets of $suite that the build does not have: $missing" >&2; exit 1; }
done
