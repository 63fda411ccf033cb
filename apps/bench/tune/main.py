#!/usr/bin/env python3
"""Suite tune: what eutectic tune gains over the plan that is chosen without measuring, generator by generator.

Each row is one call of the command with the same seconds; its ratio is that of the last contest, in which the best plan has to win every
round, or 1 where the chosen plan stays. Measurements stay in a database, so that a run that was stopped goes on where it was: rows that the
results have are not tuned again.

examples:
  scripts/bench tune --budget-seconds 60 --json docs/bench/tune.json
  scripts/bench tune --only softmax 'dense*' --budget-seconds 20
"""

import argparse
import fnmatch
import json
import os
import math
import re
import subprocess
import sys
from pathlib import Path

# Values of inputs that are not drawn as the command draws them: an alpha below 0 leaves nothing but rounding to divide by.
INPUTS = {"interpolate": ["in=uniform(0,1)"]}
DERIVED = re.compile(r"_(backward|batched|forward|gradient|hvp|tangent)$")  # of another generator: by name with --only


def generators(executable):
    listed = subprocess.run([executable], capture_output=True, text=True).stderr
    return re.findall(r"^    (\w+)$", listed, re.MULTILINE)


def chosen(names, only):
    if not only:
        return [n for n in names if not DERIVED.search(n)]
    kept = [n for n in names if any(fnmatch.fnmatch(n, pattern) for pattern in only)]
    for pattern in only:
        if not fnmatch.filter(names, pattern):
            sys.exit(f"bench tune: --only names {pattern}, and no generator is called so: {', '.join(names[:8])}, … are there.")
    return kept


def tune(o, name):
    words = [o.eutectic, "tune", o.generators, "-g", name, "--budget-seconds", str(o.budget_seconds), "--jobs", str(o.jobs), "--resume", o.database, "-o", "/dev/null", "--json"]
    words += [word for values in INPUTS.get(name, []) for word in ("--input", values)]
    run = subprocess.run(words, capture_output=True, text=True)
    if run.returncode != 0:
        return {"name": name, "failed": run.stderr.strip().replace(str(o.generators), os.path.basename(o.generators))[:300]}
    tuned = json.loads(run.stdout)
    row = {key: tuned[key] for key in ("target", "cpu", "threads", "ratio", "ended", "plans_priced")}
    measured = [t for t in tuned["trials"] if t["ratio"] is not None and not t["last"]]
    statuses = [t["status"] for t in tuned["trials"]]
    return {
        "name": name,
        **row,
        "first_seconds": tuned["first"]["seconds"],
        "best_seconds": tuned["best"]["seconds"],
        "change": tuned["best"]["change"],
        "plans_measured": len(measured),
        "statuses": {s: statuses.count(s) for s in sorted(set(statuses))},
    }


def summary(rows):
    ratios = [r["ratio"] for r in rows if "ratio" in r]
    gain = math.exp(-sum(map(math.log, ratios)) / len(ratios)) if ratios else None
    return {"rows": len(rows), "improved": sum(r < 1 for r in ratios), "kept": sum(r == 1 for r in ratios), "failed": sum("failed" in r for r in rows), "geometric_mean_gain": gain}


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench tune", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eutectic", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--generators", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these generators, or patterns of names (default: all that are not made of another one)")
    parser.add_argument("--budget-seconds", type=float, default=60, metavar="S", help="for each row (default: 60)")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="plans that are compiled at a time (default: 1)")
    parser.add_argument("--database", metavar="DB", help="where measurements stay (default: beside the program)")
    parser.add_argument("--json", metavar="FILE", help="results, written after each row; rows that it has are not tuned again")
    o = parser.parse_args()
    o.database = o.database or str(Path(o.eutectic).parent / "bench_tune.db")
    names = chosen(generators(o.generators), o.only)
    rows = json.loads(Path(o.json).read_text())["rows"] if o.json and Path(o.json).exists() else []
    for i, name in enumerate(names):
        if any(r["name"] == name for r in rows):
            continue
        print(f"[{i + 1}/{len(names)}] {name}", file=sys.stderr, flush=True)
        rows.append(tune(o, name))
        r = rows[-1]
        print(f"{name:28} " + (r["failed"] if "failed" in r else f"{r['ratio']:.3f}  {r['plans_measured']:3} of {r['plans_priced']:3} plans  {r['change']}"), flush=True)
        if o.json:
            Path(o.json).write_text(json.dumps({"budget_seconds": o.budget_seconds, "jobs": o.jobs, "summary": summary(rows), "rows": rows}, indent=1) + "\n")
    print(json.dumps(summary(rows)))


main()
