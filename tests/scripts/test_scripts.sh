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

for script in bootstrap build test check-gpu gpu-bundle demo bench peers; do
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

# Only where scripts/bootstrap set up: a build by hand has no .venv of its own, and a test installs nothing.
if [ -f "$root/.venv/requirements.stamp" ] && [ ! -L "$root/.venv" ]; then
    started=$(date +%s%N)
    expect 0 "tool chain ready" env -i HOME="$HOME" PATH=/usr/sbin:/usr/bin:/sbin:/bin "$root/scripts/bootstrap"
    milliseconds=$((($(date +%s%N) - started) / 1000000))
    [ "$milliseconds" -lt 3000 ] || fail "scripts/bootstrap took $milliseconds ms with nothing to do, not under 3000"
fi

[ "$failures" -eq 0 ]
