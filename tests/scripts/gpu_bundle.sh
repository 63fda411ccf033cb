#!/usr/bin/env bash
# gpu_bundle.sh REPOSITORY: makes the bundle, unpacks it elsewhere, and runs it there as far as a machine without a GPU can.
set -euo pipefail
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

"$root/scripts/gpu-bundle" -o "$work/bundle.tar.xz"
[ "$(stat -c %s "$work/bundle.tar.xz")" -lt $((50 * 1024 * 1024)) ] || fail "the archive is too large"
tar -C "$work" -xf "$work/bundle.tar.xz"
cd "$work/eutectic-gpu-bundle"
! ldd bin/* | grep -iE "halide|opencl|cuda" || fail "a program links what the other machine may not have"
# Nothing of this machine's CPU, and no newer C library than it says.
! objdump -d --no-show-raw-insn bin/gpu_checks | grep -qE "%[xyz]mm[0-9]+.*%k|%zmm" || fail "gpu_checks has code for AVX-512"
newest=$(objdump -T bin/* kernels/*/*/*.so | grep -oE "GLIBC_2\.[0-9]+" | sort -Vu | tail -n 1)
[ "$(printf '%s\n' "$newest" GLIBC_2.34 | sort -V | tail -n 1)" = GLIBC_2.34 ] || fail "something needs $newest"

./run-checks --device cpu --json cpu.json >cpu.log || fail "checks on the CPU: $(grep -A 3 WRONG cpu.log)"
[ "$(./run-checks --list | wc -l)" -gt 40 ] || fail "few checks"
if ./run-checks --device opencl --only softmax layernorm dense_none gelu --json opencl.json >opencl.log 2>opencl.err; then
    grep -q "4 of 4 right on opencl" opencl.log || fail "$(cat opencl.log)"
else
    grep -q "run-checks\|gpu_checks: --device opencl" opencl.err || fail "checks on OpenCL: $(cat opencl.log opencl.err)"
fi
status=0
./run-checks --only nothing >/dev/null 2>refused.err || status=$?
[ "$status" -eq 2 ] && [ "$(wc -l <refused.err)" -eq 1 ] || fail "an unknown check: $(cat refused.err)"

PYTHON=/nonexistent ./run-bench --suite opencl --processes 3 --json bench.json >bench.log 2>&1 || fail "$(cat bench.log)"
python3 - <<'PY'
import json
checks = json.load(open("cpu.json"))
assert checks["device"] == "cpu" and checks["wrong"] == 0 and checks["right"] == len(checks["rows"]), checks
rows = json.load(open("bench.json"))["rows"]
assert [row["name"] for row in rows] == ["gelu", "softmax", "softmax_xent_gradient", "matmul"], rows
assert all(row["verified"] and "eutectic" in row["seconds"] for row in rows), rows
assert 0 < rows[0]["yardstick"]["shares"]["eutectic"], rows[0]
PY
# Without a driver the suite cuda ends every row in a reason.
./run-bench --only gelu --processes 3 >cuda.log 2>&1 || fail "$(cat cuda.log)"
nvidia-smi >/dev/null 2>&1 || grep -q "eutectic failed: " cuda.log || fail "$(cat cuda.log)"
echo "the bundle works"
