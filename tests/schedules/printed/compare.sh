#!/bin/sh
# compare.sh PROGRAM GENERATOR NAME [PARAMETERS...]: lowers GENERATOR with the printed schedule NAME, and compares with the plugin's statements.
set -eu
here=$(dirname "$0")
program=$1 generator=$2 name=$3
shift 3
"$program" -g "$generator" -n "$name" -f "$name" -e conceptual_stmt -o printed autoscheduler=Printed "autoscheduler.schedule=$name" "$@"
exec python3 "$here/compare_statements.py" "planned/$name.conceptual.stmt" "printed/$name.conceptual.stmt"
