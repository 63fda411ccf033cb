#!/usr/bin/env python3
"""Draws seconds of forward and backward against bytes, of a chain of layers under smaller and smaller budgets.

usage: docs/memory/plot.py RESULTS.json PLOT.svg
"""

import json
import math
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)

LOOK = {"save-all": ("s", "#1f2933"), "recompute-all": ("^", "#9aa5b1"), "cost": ("o", "#b4540a")}


def main():
    source, target = sys.argv[1:3]
    with open(source, encoding="utf-8") as file:
        curve = json.load(file)
    first = curve["points"][0]
    layer = 4 * curve["columns"] * curve["rows"]
    # Text stays text, and nothing depends on the day or on chance: the same results give the same file.
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "eutectic"})
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for axes, label, bytes_of in (
        (panels[0], "residual bytes, in layers", lambda p: p["residual_bytes"]),
        (panels[1], "residual bytes and the larger peak of temporaries, in layers", lambda p: p["peak_bytes"]),
    ):
        for policy, (marker, color) in LOOK.items():
            points = [p for p in curve["points"] if p["policy"] == policy]
            if not points:
                continue
            line = "-" if policy == "cost" else "none"
            points.sort(key=bytes_of)
            axes.plot([bytes_of(p) / layer for p in points], [p["seconds"] / first["seconds"] for p in points], marker, linestyle=line,
                      linewidth=0.8, markersize=4, color=color, label={"cost": "by cost, under budgets"}.get(policy, policy))
        axes.axvline(math.sqrt(curve["layers"]), linewidth=0.6, linestyle=":", color="#52606d")
        axes.axhline(1.35, linewidth=0.6, linestyle=":", color="#52606d")
        axes.set_xlabel(label, fontsize=8)
        axes.tick_params(labelsize=7)
    panels[0].set_ylabel(f"seconds, of those of {first['policy']}", fontsize=8)
    panels[0].legend(fontsize=7, frameon=False)
    figure.suptitle(f"A chain of {curve['layers']} layers of {curve['columns']} x {curve['rows']} floats; dotted: the root of {curve['layers']}, and 1.35", fontsize=9)
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main()
