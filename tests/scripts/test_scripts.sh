#!/usr/bin/env bash
# test_scripts.sh: what scripts/ promise apart from the work itself: help with examples, refusals, and a bootstrap that
# costs next to nothing when nothing is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect STATUS WORDS COMMAND...: the command ends with STATUS and prints WORDS.
expect() {
    local status=0 output wanted=$1 words=$2
    shift 2
    output=$("$@" 2>&1) || status=$?
    [ "$status" -eq "$wanted" ] || fail "$* ended with status $status, not $wanted"
    [[ $output == *"$words"* ]] || fail "$* did not say '$words' but: $output"
}

for script in bootstrap build test check-gpu aarch64 gpu-bundle demo bench peers calibrate accuracy fit memory docs distributed scale; do
    expect 0 "examples:" "$root/scripts/$script" --help
done
expect 2 "usage: scripts/bootstrap" "$root/scripts/bootstrap" --frobnicate
expect 2 "usage: scripts/build" "$root/scripts/build" --frobnicate
expect 2 "usage: scripts/build" "$root/scripts/build" release dev
expect 1 "scripts/build: there is no preset 'fast'; known are release, dev and asan-ubsan." "$root/scripts/build" fast
expect 2 "usage: scripts/gpu-bundle" "$root/scripts/gpu-bundle" --frobnicate
expect 1 "scripts/gpu-bundle: there is no folder" "$root/scripts/gpu-bundle" -o /nonexistent/bundle.tar.xz
expect 2 "usage: scripts/bench" "$root/scripts/bench"

# A link is never followed: what it leads to stays, here a folder of this test's own.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tree" "$scratch/other/bin"
cp -r "$root/scripts" "$root/requirements.txt" "$scratch/tree"
echo "another tree's" >"$scratch/other/requirements.stamp"
ln -s "$scratch/other" "$scratch/tree/.venv"
expect 1 "scripts/bootstrap: .venv is a link to $scratch/other" "$scratch/tree/scripts/bootstrap"
[ "$(cat "$scratch/other/requirements.stamp")" = "another tree's" ] || fail "scripts/bootstrap changed what .venv links to"

# What the arguments are is looked at first, and what is built is what the command needs: in a tree whose scripts/build only says what it was
# asked for, and ends with 3.
mkdir "$scratch/plain"
cp -r "$root/scripts" "$scratch/plain"
ln -s "$root/apps" "$scratch/plain/apps"
printf '#!/bin/sh\necho "built: $*"\nexit 3\n' >"$scratch/plain/scripts/build"

# refused WORDS SCRIPT ARGUMENTS...: one sentence with WORDS, and nothing is built.
refused() {
    local words=$1 script=$2 output
    shift 2
    expect 2 "scripts/$script: $words" "$scratch/plain/scripts/$script" "$@"
    output=$("$scratch/plain/scripts/$script" "$@" 2>&1) || true
    [[ $output != *built:* ]] || fail "$script $* built before it looked: $output"
    [ "$(wc -l <<<"$output")" -eq 1 ] || fail "$script $* said more than one line: $output"
}

refused "There is no suite 'cpus'; known are cpu, cuda, grad, image, opencl, products, tangent, plan." bench cpus
refused "There is no row 'dense'; known are dense_relu, mlp_step" bench cpu --only dense_relu dense
refused "There is no contender 'Torch'; known are eutectic, joint" bench grad --contenders Torch
refused "The contender 'before' is another build's plugin; name it with --before PATH." bench cpu --contenders before
refused "The plugin /nonexistent.so of --before does not exist" bench cpu --before /nonexistent.so
refused "There is no flag '--frobnicate'; known are --isa, --only" bench cpu --frobnicate
refused "There is no instruction set 'sse2'; known are avx2, avx512." bench cpu --isa sse2
refused "Suite image cannot be restricted by --isa avx2" bench image --isa avx2
refused "There is no flag '--frobnicate'; known are --only" bench plan --frobnicate
refused "--processes takes a whole number from 3 to 1000 and was given '2'." bench cpu --processes 2
refused "--json needs a value and was given none." bench cpu --json --cpu-time
refused "'machine.json' is not expected there" calibrate machine.json
refused "--threads takes a whole number from 1 to 4096 and was given 'all'." calibrate --threads=all
refused "There is no generator 'dnse'; known are dense, mlp" accuracy --only dnse
refused "--study takes no further arguments and was given '--only'." accuracy --study --only matmul
refused "The file /nonexistent of --machine does not exist" accuracy --machine /nonexistent
refused "The file /nonexistent of the measurements does not exist" fit /nonexistent
refused "There is no flag '--quick'; known are --machine" fit --quick
refused "There is no policy 'least'; known are save-all, recompute-all, cost." memory --policies save-all,least
refused "--layers takes a whole number from 2 to 1000 and was given '1'." memory --layers 1
refused "-n takes a number of ranks from 1 to 9999 and was given 'all'." distributed -n all
refused "There is no row 'matmul'; known are matmul_1024" aarch64 --count --only matmul
refused "There is no flag '--cpu'; known are --only" aarch64 --count --cpu neoverse-n1
refused "There is no flag '--strict'; known are --serve, --address, -o, --output." docs --strict
refused "--address takes HOST:PORT, such as 127.0.0.1:8000, and was given '8000'." docs --serve --address 8000
refused "--address is where --serve shows the site" docs --address 127.0.0.1:8000
mkdir "$scratch/full" && touch "$scratch/full/mine"
expect 1 "would be emptied; name a new folder." "$scratch/plain/scripts/docs" -o "$scratch/full"
[ -f "$scratch/full/mine" ] || fail "scripts/docs emptied a folder that was no site"
if ! grep -q avx512vl /proc/cpuinfo; then
    refused "--isa avx512 needs a processor with" bench cpu --isa avx512
fi

# needs TARGETS SCRIPT ARGUMENTS...: these are all that is built first.
needs() { expect 3 "built: release $1" "$scratch/plain/scripts/$2" "${@:3}"; }
needs bench bench cpu --only dense_relu --contenders eutectic manual
needs bench bench grad
needs "eutectic_plugin generators plan_bench" bench plan --only 'chain_*' --no-compile
needs calibrate calibrate -o machine.json --quick
needs fit fit
needs fit fit "$root/scripts/fit" --machine "$root/scripts/fit" --constants loop_cycles usable_cache -omachine.json
needs memory_curve memory --budgets 34,18 --json=curve.json
needs "accuracy calibrate" accuracy --only matmul conv2d --cpu-time
needs "accuracy calibrate fit" accuracy --study
# A test installs nothing.
if dpkg-query -W -f '${db:Status-Status}' llvm-19 2>/dev/null | grep -qx installed; then
    needs "eutectic_plugin generators" aarch64 --count --only matmul_1024 conv2d
fi
[ "$("$scratch/plain/scripts/accuracy" --machine "$root/README.md" 2>&1 || true)" = "built: release accuracy" ] || fail "scripts/accuracy --machine built more than accuracy"

# The flags are those of the programs, where these are built, and both say the same of what is wrong.
program_of() {
    case $1 in
    aarch64) echo "$root/apps/aarch64/count.py" ;;
    memory) echo "$root/build/release/bin/memory_curve" ;;
    *) echo "$root/build/release/bin/$1" ;;
    esac
}
for command in aarch64 bench calibrate accuracy fit memory; do
    program=$(program_of $command)
    [ -x "$program" ] || continue
    known=$(python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import arguments
print("\n".join(vars(arguments)[sys.argv[2].upper() + "_FLAGS"]))' "$root/scripts" $command)
    for flag in $("$program" --help | sed -n '/^[Oo]ptions:/,/^examples:/p' | grep -oE '^ +(-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
        case $flag in --help | --rows) continue ;; esac # accuracy's --rows is what the script gives
        grep -qx -- "$flag" <<<"$known" || fail "scripts/arguments.py refuses $flag, which $command has"
    done
done
if [ -x "$root/build/release/bin/bench" ]; then
    for wrong in "cpu --only no_row" "grad --contenders nobody" "cpu --isa sse2" "cuda --isa avx2" "cpu --contenders before"; do
        # shellcheck disable=SC2086  # words
        program=$("$root/build/release/bin/bench" $wrong 2>&1) || true
        # shellcheck disable=SC2086
        refused "${program#bench: }" bench $wrong
    done
fi

# Only where scripts/bootstrap set up: a build by hand has no .venv of its own, and a test installs nothing.
if [ -f "$root/.venv/requirements.stamp" ] && [ ! -L "$root/.venv" ]; then
    started=$(date +%s%N)
    expect 0 "tool chain ready" env -i HOME="$HOME" PATH=/usr/sbin:/usr/bin:/sbin:/bin "$root/scripts/bootstrap"
    milliseconds=$((($(date +%s%N) - started) / 1000000))
    [ "$milliseconds" -lt 3000 ] || fail "scripts/bootstrap took $milliseconds ms with nothing to do, not under 3000"
fi

[ "$failures" -eq 0 ]
