#!/usr/bin/env bash
# compile_kernel.sh NAME.failed COMMAND...: runs a generator for at most BENCH_TIMEOUT seconds (60). If it fails, NAME.failed holds one line
# why. NAME.so, what an earlier run made of it, is removed either way: it is never timed in place of what failed.
set -uo pipefail
note=$1
shift
limit=${BENCH_TIMEOUT:-60}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
rm -f "$note" "${note%.failed}.so"
timeout --signal=KILL "$limit" "$@" >"$log" 2>&1
status=$?
case "$status" in
0) exit 0 ;;
124 | 137) echo "planning and compiling took longer than $limit s" >"$note" ;;
*)
    # The line that names the error; else the last one.
    line=$(grep -m 1 -i 'error' "$log" || tail -n 1 "$log")
    printf 'compiling failed with status %s: %s\n' "$status" "${line:0:300}" >"$note"
    ;;
esac
cat "$note" >&2
exit 1
