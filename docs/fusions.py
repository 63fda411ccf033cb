#!/usr/bin/env python3
"""Writes the figures of docs/bench/cpu-avx512.json into the last column of the table in docs/fusions.md.

    docs/fusions.py            rewrite the column
    docs/fusions.py --check    exit 1 if it is not what the bench says
"""

import json
import pathlib
import re
import sys

docs = pathlib.Path(__file__).parent
rows = {row["name"]: row for row in json.loads((docs / "bench" / "cpu-avx512.json").read_text())["rows"]}


def figure(line):
    named = re.search(r"\| `([a-z0-9_]+)` \|[^|]*\|$", line)
    if not named:
        return line
    seconds = rows.get(named.group(1), {}).get("seconds", {})
    ratio = f"{seconds['unfused'] / seconds['eutectic']:.2f}" if {"unfused", "eutectic"} <= seconds.keys() else "not measured"
    return line[: line.rindex("|", 0, len(line) - 1)] + f"| {ratio} |"


if any(argument in ("-h", "--help") for argument in sys.argv[1:]):
    print(__doc__)
    sys.exit(0)
table = docs / "fusions.md"
old = table.read_text()
new = "\n".join(figure(line) for line in old.split("\n"))
if "--check" in sys.argv[1:]:
    sys.exit(0 if old == new else "docs/fusions.md has other figures than docs/bench/cpu-avx512.json: run docs/fusions.py.")
table.write_text(new)
