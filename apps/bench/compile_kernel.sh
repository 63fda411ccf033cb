#!/usr/bin/env bash
# compile_kernel.sh NOTE LIBRARY COMMAND...: runs a generator for at most BENCH_TIMEOUT seconds (60). If it fails, NOTE holds one line why;
# else a file beside it, .seconds in place of .failed, how long it took.
# LIBRARY, what an earlier run made of the kernel, is removed either way: it is never timed in place of what failed.
set -uo pipefail
note=$1
library=$2
shift 2
limit=${BENCH_TIMEOUT:-60}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
seconds=${note%.failed}.seconds
rm -f "$note" "$library" "$seconds"
begin=$EPOCHREALTIME
timeout --signal=KILL "$limit" "$@" >"$log" 2>&1
status=$?
case "$status" in
0)
    awk -v begin="${begin/,/.}" -v end="${EPOCHREALTIME/,/.}" 'BEGIN { printf "%.3f\n", end - begin }' >"$seconds"
    exit 0
    ;;
124 | 137) echo "planning and compiling took longer than $limit s" >"$note" ;;
*)
    # The line that names the error and the next, where Halide says it; else the last one.
    line=$(grep -m 1 -i -A 1 'error' "$log" | tr '\n' ' ' || tail -n 1 "$log")
    printf 'compiling failed with status %s: %s\n' "$status" "${line:0:300}" >"$note"
    ;;
esac
cat "$note" >&2
exit 1
