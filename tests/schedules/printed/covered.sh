#!/bin/sh
# covered.sh PROGRAM NAMES...: fails unless NAMES are all the generators that PROGRAM has, but for those with tangents and batches, of which some are
# among the variants.
set -eu
program=$1
shift
printf '%s\n' "$@" | sort >printed/listed
"$program" 2>&1 | sed -n 's/^ *\([a-z_0-9]*\)$/\1/p' | sed '/^$/d;/_tangent$/d;/_hvp$/d;/_batched$/d' | sort >printed/there
diff printed/listed printed/there || {
    echo "Generators came or went: list them in tests/schedules/printed/CMakeLists.txt." >&2
    exit 1
}
