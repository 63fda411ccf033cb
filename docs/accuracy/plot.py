#!/usr/bin/env python3
"""Draws predicted against measured seconds of a study, one panel a generator.

usage: docs/accuracy/plot.py RESULTS.json[.gz] PLOT.svg
"""

import gzip
import json
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)
import matplotlib.ticker  # noqa: E402

COLUMNS = 4


def panel(axes, generator):
    timed = [p for p in generator["plans"] if "seconds" in p]
    best = min(p["seconds"] for p in timed)
    for near, color in ((False, "#9aa5b1"), (True, "#b4540a")):
        chosen = [p for p in timed if (p["seconds"] <= 3 * best) == near]
        axes.loglog([p["predicted"] for p in chosen], [p["seconds"] for p in chosen], "o", markersize=3, color=color)
    for p in timed:
        if p["plan"] == "chosen":
            axes.loglog(p["predicted"], p["seconds"], "D", markersize=5, color="#1f2933", fillstyle="none")
    values = [v for p in timed for v in (p["predicted"], p["seconds"])]
    line = [min(values), max(values)]
    axes.loglog(line, line, "-", linewidth=0.7, color="#52606d")

    def text(value):
        return "none" if value is None else f"{value:.2f}"

    axes.set_title(f"{generator['name']}: {text(generator['correlation'])}, near {text(generator['near_correlation'])}", fontsize=8)
    axes.tick_params(labelsize=6)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(matplotlib.ticker.NullFormatter())


def main():
    source, target = sys.argv[1:3]
    with (gzip.open if source.endswith(".gz") else open)(source, "rt", encoding="utf-8") as file:
        study = json.load(file)
    reported = [g for g in study["generators"] if g["use"] == "report"] or study["generators"]
    rows = -(-len(reported) // COLUMNS)
    # Text stays text, and nothing depends on the day or on chance: the same results give the same file.
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "eutectic"})
    figure, all_axes = plt.subplots(rows, COLUMNS, figsize=(2.6 * COLUMNS, 2.4 * rows + 0.5), squeeze=False)
    for axes in all_axes.flat[len(reported):]:
        axes.axis("off")
    for axes, generator in zip(all_axes.flat, reported):
        panel(axes, generator)
    figure.supxlabel("predicted seconds", fontsize=9)
    figure.supylabel("measured seconds", fontsize=9)
    figure.suptitle("Plans drawn at random; orange: within 3 times of the best; diamond: chosen; in the titles, Spearman's correlation", fontsize=9)
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main()
