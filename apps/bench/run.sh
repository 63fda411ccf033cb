#!/usr/bin/env bash
# Builds the contenders that the chosen rows need, then runs the bench. Called by scripts/bench, after scripts/build.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${EUTECTIC_BUILD:-$root/build/release}
bench="$build/bin/bench"
export PATH="$root/.venv/bin:$PATH"

for argument in "$@"; do
    case "$argument" in
    --help | -h) exec "$bench" "$@" ;;
    esac
done
plan=$("$bench" "$@" --print-targets)
mapfile -t targets < <(tail -n +2 <<<"$plan")
read -r BENCH_TIMEOUT target before <<<"$plan"
export BENCH_TIMEOUT
# What --before names is copied where contenders.cmake reads it, only if it is another one: whatever its age, what it plans is then out of date.
if [ -n "$before" ]; then
    copy=$build/bench/before/libautoschedule_eutectic.so
    mkdir -p "$(dirname "$copy")"
    cmp -s "$before" "$copy" || cp "$before" "$copy"
fi
# The photograph of suite image, as the bench reads it.
photograph=$root/apps/bench/photograph/coffee.png
if [ "${1:-}" = image ] && [ ! "$build/bench/photograph.ppm" -nt "$photograph" ]; then
    mkdir -p "$build/bench"
    "$root/.venv/bin/python3" -c 'import sys; from PIL import Image; Image.open(sys.argv[1]).convert("RGB").save(sys.argv[2])' \
        "$photograph" "$build/bench/photograph.ppm"
fi
echo "building ${#targets[@]} contenders, each given up after $BENCH_TIMEOUT s a kernel"
# Rows with a yardstick may have exp and log, which a calibrated machine prices; kept while the program is, as it takes half a minute.
machine=()
if [[ $plan == *.yardstick* && " $* " != *" --machine "* ]]; then
    cmake --build "$build" --target calibrate >"$build/calibrate.log" 2>&1 || { cat "$build/calibrate.log" >&2; exit 1; }
    rates=$build/bench/machine-$target.json
    [ "$rates" -nt "$build/bin/calibrate" ] || "$build/bin/calibrate" --target "$target" -o "$rates" >"$build/calibrate.log"
    machine=(--machine "$rates")
fi
# A contender that cannot be built does not stop the others: it has left a note why, which the bench reports.
cmake --build "$build" --target "${targets[@]}" -- -k 0 >"$build/bench.log" 2>&1 || echo "not every contender could be built; see $build/bench.log"
exec "$bench" --source "$root" "${machine[@]}" "$@"
