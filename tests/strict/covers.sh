#!/usr/bin/env bash
# covers.sh GENERATORS NAME...: every generator is one of NAME, or what is derived of one.
set -euo pipefail
generators=$1
shift
missing=0
for generator in $("$generators" 2>&1 | sed -n 's/^    //p'); do
    base=${generator%_forward}
    base=${base%_backward}
    base=${base%_gradient}
    base=${base%_tangent}
    base=${base%_hvp}
    base=${base%_batched}
    if [[ " $* " != *" $base "* ]]; then
        echo "covers.sh: generator $generator has no numerics_test in tests/numerics/CMakeLists.txt, and so no strict one: add it there." >&2
        missing=1
    fi
done
exit "$missing"
