#!/usr/bin/env python3
"""Suite sass: what kernels for CUDA are as machine code of capability 8.0, row by row, by ptxas and nvdisasm. Nothing is run, so no device is needed.

Multiply-adds are a share of the inner loop's instructions. Instructions an element are those of a kernel without loops over the elements that a thread
of it loads or stores, whichever are more. Rows are in apps/bench/sass/rows.json, with the goals that they are compared with.

examples:
  scripts/bench sass
  scripts/bench sass --only softmax 'matmul*'
  scripts/bench sass --json docs/bench/sass.json --table docs/bench/sass.md
"""

import argparse
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
TARGET = "x86-64-linux-cuda-cuda_capability_80"


def inspected(o, row):
    words = [o.eutectic, "inspect", o.generators, "-g", row["generator"], *(f"{k}={v}" for k, v in row["params"].items())]
    run = subprocess.run([*words, "--target", TARGET, "--gpu", o.gpu, "--no-run", "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"bench sass: {row['name']} could not be read back: {run.stderr.strip()[:300]}")
    read = json.loads(run.stdout)
    if read["no_machine_code"]:
        print(f"bench sass: skipped: {read['no_machine_code']}")
        sys.exit(0)
    return read


def share_of_multiply_adds(mix):
    total = sum(mix.values())
    return mix.get("multiply_add", 0) / total if total else None


def figures(kernel):
    """Of one kernel, as the table has them."""
    loads = kernel["mix"].get("load_global", 0) + 3 * kernel["wide_loads"]
    stores = kernel["mix"].get("store_global", 0) + 3 * kernel["wide_stores"]
    return {
        "kernel": kernel["name"],
        "instructions": kernel["instructions"],
        "registers": kernel["registers"],
        "inner_loop": sum(kernel["inner_mix"].values()),
        "multiply_adds": share_of_multiply_adds(kernel["inner_mix"]),
        "instructions_an_element": None if kernel["loops"] else kernel["instructions"] / max(1, loads, stores),
        "wide_loads": kernel["wide_loads"],
        "wide_stores": kernel["wide_stores"],
        "loads": kernel["mix"].get("load_global", 0),
        "stores": kernel["mix"].get("store_global", 0),
        "local": kernel["mix"].get("local", 0),
    }


def met(goal, kernels):
    """Which goals of a row its best kernel meets: that of the version for whole tiles, where there are two."""
    def any_of(holds):
        return any(holds(k) for k in kernels)

    tests = {
        "wide": lambda _: any_of(lambda k: k["wide_loads"] > 0 and k["wide_stores"] > 0),
        "local": lambda most: any_of(lambda k: k["local"] <= most),
        "multiply_adds": lambda least: any_of(lambda k: (k["multiply_adds"] or 0) >= least),
        "instructions_an_element": lambda most: any_of(lambda k: k["instructions_an_element"] is not None and k["instructions_an_element"] <= most),
    }
    return {name: tests[name](value) for name, value in goal.items()}


def goal_text(name, value):
    return {
        "wide": "128 bits",
        "local": f"local at most {value}",
        "multiply_adds": f"multiply-adds at least {value:.0%}",
        "instructions_an_element": f"at most {value} an element",
    }[name]


def number(value, pattern="{:.0f}"):
    return "" if value is None else pattern.format(value)


def table(results):
    head = ["row", "kernel", "instructions", "registers", "inner loop", "multiply-adds in it", "an element", "loads (128 bits)", "stores (128 bits)", "local", "goals"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in results["rows"]:
        for i, k in enumerate(row["kernels"]):
            goals = ", ".join(f"{goal_text(name, row['goal'][name])}: {'met' if yes else 'not met'}" for name, yes in row["met"].items()) if i == 0 else ""
            name = re.sub(r"^_kernel_|_block_id_[xyz]", "", k["kernel"])
            share = number(k["multiply_adds"] and 100 * k["multiply_adds"], "{:.0f} %")
            cells = [row["name"] if i == 0 else "", f"`{name}`", k["instructions"], k["registers"], k["inner_loop"] or "", share, number(k["instructions_an_element"], "{:.1f}")]
            cells += [f"{k['loads']} ({k['wide_loads']})", f"{k['stores']} ({k['wide_stores']})", k["local"], goals]
            lines.append("| " + " | ".join(str(c) for c in cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench sass", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eutectic", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--generators", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these rows, or patterns of names")
    parser.add_argument("--gpu", default="a100", help="the device that is planned for (default: a100)")
    parser.add_argument("--json", metavar="FILE", help="results")
    parser.add_argument("--table", metavar="FILE.md", help="the table as a page")
    o = parser.parse_args()
    rows = json.loads((HERE / "rows.json").read_text())
    for pattern in o.only or []:
        if not fnmatch.filter([r["name"] for r in rows], pattern):
            sys.exit(f"bench sass: --only names {pattern}, and no row is called so: {', '.join(r['name'] for r in rows)} are there.")
    chosen = [r for r in rows if not o.only or any(fnmatch.fnmatch(r["name"], p) for p in o.only)]
    results = {"target": TARGET, "gpu": o.gpu, "rows": []}
    for i, row in enumerate(chosen):
        print(f"[{i + 1}/{len(chosen)}] {row['name']}", file=sys.stderr, flush=True)
        read = inspected(o, row)
        kernels = [figures(k) for nest in read["nests"] for k in nest["kernels"]]
        results["architecture"] = read["architecture"]
        results["rows"].append({"name": row["name"], "goal": row.get("goal", {}), "met": met(row.get("goal", {}), kernels), "kernels": kernels})
    text = table(results)
    print(text, end="")
    if o.json:
        Path(o.json).write_text(json.dumps(results, indent=1) + "\n")
    if o.table:
        Path(o.table).write_text(
            "# Kernels for CUDA as machine code\n\n"
            "`scripts/bench sass --json docs/bench/sass.json --table docs/bench/sass.md` writes this page: each row of `apps/bench/sass/rows.json`, planned for an A100, compiled for capability 8.0 and read\n"
            "back by `ptxas` and `nvdisasm`. A stage with two versions has two kernels, the one for whole tiles first. What the columns say is in `scripts/bench sass --help`. Nothing was run.\n\n" + text
        )


if not shutil.which("nvdisasm") and "EUTECTIC_NVDISASM" not in os.environ:
    for bundled in HERE.parents[2].glob(".venv-peers/lib/python3*/site-packages/triton/backends/nvidia/bin/nvdisasm"):
        os.environ["EUTECTIC_NVDISASM"] = str(bundled)  # Triton's, where scripts/peers installed it
main()
