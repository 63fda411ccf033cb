#!/usr/bin/env bash
# calibrate_cli.sh CALIBRATE GENERATORS PLUGIN EUTECTIC: a quick measurement writes a machine file, which the scheduler reads; mistakes are one sentence.
set -euo pipefail
calibrate=$1 generators=$2 plugin=$3 eutectic=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$calibrate" --help | grep -q "scripts/calibrate -o machine.json"
"$calibrate" --quick --threads 2 -o machine.json >table 2>progress
grep -q "^hertz .* measured" table
grep -q "^usable_cache .* preset" table
grep -q "\[9/9\] allocation" progress
# The roofline: arithmetic at most so many operations, each level so many bytes, and where the two meet.
for level in L1 L2 L3 memory; do
    grep -qE "^$level +[0-9.e+]+  [0-9.e+]+ FLOP/byte$" table
done
# The same as a subcommand, and a plan for what it wrote.
"$eutectic" calibrate --quick --threads 2 -o again.json --plot roofline.svg >table 2>/dev/null
grep -q "^roofline" table
python3 -c 'import xml.etree.ElementTree as t
texts = [e.text for e in t.parse("roofline.svg").getroot().iter("{http://www.w3.org/2000/svg}text")]
assert {"L1", "L2", "L3", "memory", "FLOP/byte", "GFLOP/s"} <= {x.split(",")[0] for x in texts}, texts'
"$eutectic" explain "$generators" -g dense --machine again.json >explained
grep -qF "on $(python3 -c 'import json; print(json.load(open("again.json"))["name"])')" explained
"$calibrate" --quick --threads 2 --json 2>/dev/null | python3 -c 'import json, sys; assert json.load(sys.stdin)["values"]["hertz"]["origin"] == "measured"'

plan() { # NAME PARAMETERS...: a dense layer's report
    local name=$1
    shift
    "$generators" -g dense -f dense -o . -e schedule -p "$plugin" target=host autoscheduler=Eutectic autoscheduler.parallelism=2 autoscheduler.report="$name.json" "$@"
}
plan preset
plan file autoscheduler.machine=machine.json
sed 's/"value": 2,/"value": 1,/' machine.json >one_core.json
plan one_core autoscheduler.machine=one_core.json
python3 - <<'PY'
import json
preset, file, one = (json.load(open(f"{name}.json")) for name in ("preset", "file", "one_core"))
assert file["machine"] == json.load(open("machine.json"))["name"], file["machine"]
parts = [r["plan_hash_parts"] for r in (preset, file, one)]
assert len({p["machine"] for p in parts}) == 3, parts
assert len({p["pipeline"] for p in parts}) == 1, parts
PY

refused() { # SENTENCE COMMAND...
    local sentence=$1 status=0
    shift
    "$@" 2>error >/dev/null || status=$?
    if [ "$status" -ne 2 ] || ! grep -qF "$sentence" error; then
        echo "should have said: $sentence" >&2
        cat error >&2
        exit 1
    fi
}
sed 's/"hertz"/"herz"/' machine.json >wrong.json
refused 'The machine file wrong.json has the unknown key "values.herz": remove it, or write it anew with scripts/calibrate.' plan wrong autoscheduler.machine=wrong.json
refused 'The machine file none.json cannot be read: give the path of a file that scripts/calibrate wrote.' plan none autoscheduler.machine=none.json
refused 'The target nonsense is not one that Halide knows: give one such as host or x86-64-linux-avx2-fma.' "$calibrate" --target nonsense
refused 'The machine file cannot be written to no/where.json: check that its folder exists, is writable and has room.' "$calibrate" --quick -o no/where.json
