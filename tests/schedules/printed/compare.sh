#!/bin/sh
# compare.sh PROGRAM GENERATOR NAME [PARAMETERS...]: lowers GENERATOR with the printed schedule NAME, and compares with the plugin's statements.
# Where they differ, again with the names of temporaries that the plugin's have: Halide sorts operands by them, and finds other common subexpressions then.
set -eu
here=$(dirname "$0")
program=$1 generator=$2 name=$3
shift 3
planned=planned/$name.conceptual.stmt printed=printed/$name.conceptual.stmt

lower() {
    taken=$1
    shift
    "$program" -g "$generator" -n "$name" -f "$name" -e conceptual_stmt -o printed autoscheduler=Printed "autoscheduler.schedule=$name" \
        "autoscheduler.temporaries=$taken" "$@"
}
first_temporary() {
    grep -oE '\bt[0-9]+\b' "$1" | tr -d t | sort -n | head -n 1
}

taken=0
for attempt in 1 2 3 4; do
    lower "$taken" "$@"
    python3 "$here/compare_statements.py" "$planned" "$printed" && exit 0
    apart=$(($(first_temporary "$planned") - $(first_temporary "$printed")))
    taken=$((taken + apart)) # which of them is the first that is left may change with their names, too
    [ "$apart" -ne 0 ] && [ "$taken" -gt 0 ] || exit 1
done
exit 1
