#!/usr/bin/env bash
# isa_objects.sh BUILD_FOLDER: kernels of suites cpu and grad that are restricted to an instruction set, ours, by hand and by Halide's
# schedulers, have 512-bit registers with avx512 and none with avx2. Code is only compiled, so any machine shows it. Then what the results say.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$1
export PATH="$root/.venv/bin:$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

kernels=(cpu/sum_exp/eutectic cpu/sum_exp/manual cpu/sum_exp/Mullapudi2016 cpu/softmax_1024/eutectic grad/sum_exp/eutectic)
targets=()
for isa in avx2 avx512; do
    for kernel in "${kernels[@]}"; do
        path=${kernel/\//-$isa\/}
        targets+=("bench.${path//\//.}")
    done
done
cmake --build "$build" --target "${targets[@]}" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

# wide KERNEL ISA: how many instructions use a 512-bit register.
wide() { objdump -d "$build/bench/${1/\//-$2\/}"/kernel_*.o | grep -c zmm || true; }
failed=0
for kernel in "${kernels[@]}"; do
    narrow=$(wide "$kernel" avx2) full=$(wide "$kernel" avx512)
    if [ "$narrow" -ne 0 ] || [ "$full" -eq 0 ]; then
        echo "FAILED: $kernel has $narrow instructions with 512-bit registers with avx2, which must be none, and $full with avx512"
        failed=1
    fi
done

for isa in avx2 avx512; do
    status=0
    EUTECTIC_BUILD=$build "$root/apps/bench/run.sh" cpu --isa $isa --only sum_exp --contenders eutectic --seconds 0.02 --processes 3 \
        --json "$work/$isa.json" >"$work/log" 2>&1 || status=$?
    if grep -q avx512vl /proc/cpuinfo || [ $isa = avx2 ]; then
        python3 - "$work/$isa.json" $isa <<'PY' || failed=1
import json, sys
result = json.load(open(sys.argv[1]))
assert result["isa"] == sys.argv[2] and result["restricted"] is True, result
assert ("avx512" in result["target"]) == (sys.argv[2] == "avx512") and "avx2" in result["target"], result
(row,) = result["rows"]
assert row["verified"] and row["seconds"]["eutectic"] > 0, row
PY
    elif [ "$status" -ne 2 ] || ! grep -q "^bench: --isa avx512 needs a processor with .*, and this one lacks avx512f" "$work/log"; then
        echo "FAILED: --isa avx512 on a processor without it ended with status $status and said: $(cat "$work/log")"
        failed=1
    fi
done
exit $failed
