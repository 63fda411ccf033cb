#!/usr/bin/env bash
# bench_grad_cli.sh BUILD_FOLDER: a short contest of forward and backward pairs, checked for what its JSON says of them.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export EUTECTIC_BUILD=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/apps/bench/run.sh" grad --only softmax_xent sum_exp --contenders eutectic unfused Mullapudi2016 --seconds 0.05 --processes 3 --json "$work/grad.json"
python3 - "$work/grad.json" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert [row["name"] for row in rows] == ["softmax_xent", "sum_exp"], rows
for row in rows:
    assert row["verified"] is True and row["failed"] == {}, row
    assert set(row["seconds"]) == {"eutectic", "unfused", "Mullapudi2016"}, row
    figures = row["gradient"]
    assert 0 < figures["least_seconds"] and figures["backward_seconds"] > 0 and figures["bytes_per_second"] > 1e8, row
    assert abs(figures["backward_to_forward"] * figures["forward_seconds"] / figures["backward_seconds"] - 1) < 1e-6, row
    assert abs(figures["backward_to_bound"] * figures["least_seconds"] / figures["backward_seconds"] - 1) < 1e-6, row
    assert 0 < figures["differentiate_seconds"] < row["plan_seconds"] < figures["compile_seconds"], row
# Of each row one number is kept beside the input; of the sum nothing.
assert rows[0]["gradient"]["residual_bytes"] == 128 * 4, rows[0]
assert rows[1]["gradient"]["residual_bytes"] == 0, rows[1]
# x is read, and its gradient written.
assert rows[1]["gradient"]["backward_bytes"] == 2 * 4 * 1048576 + 4, rows[1]
PY
