#!/usr/bin/env bash
# bench_cli.sh BUILD_FOLDER: builds a few contenders, holds a short contest and checks the JSON; then one that cannot be built in time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export EUTECTIC_BUILD=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/apps/bench/run.sh" cpu --only dense_relu --contenders eutectic unfused manual --seconds 0.05 --processes 3 --json "$work/good.json"
python3 - "$work/good.json" <<'PY'
import json, sys
result = json.load(open(sys.argv[1]))
assert result["machine"]["cores"] >= 1 and result["machine"]["cpu"], result["machine"]
assert result["versions"]["halide"].startswith("21."), result["versions"]
assert {"commit", "compiler", "eutectic"} <= result["versions"].keys()
# Nobody was restricted: everybody had what the machine has, and the file says what that is.
flags = open("/proc/cpuinfo").read().split()
own = "avx512" if "avx512vl" in flags else "avx2" if "avx2" in flags else "unknown"
assert (result["isa"], result["restricted"], result["target"]) == (own, False, "host"), result
(row,) = result["rows"]
assert row["name"] == "dense_relu" and row["verified"] is True and row["failed"] == {}, row
assert set(row["seconds"]) == set(row["spread"]) == {"eutectic", "unfused", "manual"}, row
assert 0 < row["plan_seconds"] < 60, row
for contender, seconds in row["seconds"].items():
    spread = row["spread"][contender]
    assert len(spread["processes"]) == 3 and min(spread["processes"]) == seconds, row
    assert seconds <= spread["first_quartile"] <= spread["median"] <= spread["third_quartile"], row
PY

# A contender given no time is reported, and does not stop the others.
rm -f "$EUTECTIC_BUILD"/bench/cpu/dense_relu/Adams2019/kernel_0.o
"$root/apps/bench/run.sh" cpu --only dense_relu --contenders eutectic Adams2019 --timeout 0.01 --json "$work/late.json" || true
python3 - "$work/late.json" <<'PY'
import json, sys
(row,) = json.load(open(sys.argv[1]))["rows"]
assert "longer than 0.01 s" in row["failed"]["Adams2019"], row
PY

status=0
"$EUTECTIC_BUILD/bin/bench" cpu --only no_such_row 2>"$work/error" || status=$?
[ "$status" -eq 2 ] && grep -q "There is no row 'no_such_row'; known are dense_relu" "$work/error"
