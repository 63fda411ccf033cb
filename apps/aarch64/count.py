#!/usr/bin/env python3
"""What the inner loops of products cost on AArch64, counted instead of timed.

Each row of rows.json is planned and compiled for arm-64-linux; of its innermost loops the one with the fewest instructions for each
multiply-add (of vectors) is told: what else it does for each, and the cycles that llvm-mca gives a turn of it on each processor, with the
share of the processor's peak of multiply-adds. Loads are taken to hit the first level, branches to go as they mostly do. Of a processor
that LLVM has no model of, it takes an older one's: there are cycles of that one, and no share.

examples:
  scripts/aarch64 --count
  scripts/aarch64 --count --only matmul_1024 conv2d --keep /tmp/loops
  scripts/aarch64 --count --json docs/bench/aarch64.json
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import loops

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = json.loads((pathlib.Path(__file__).parent / "rows.json").read_text())
TURNS = 200  # of the loop that llvm-mca runs: what comes before the pipelines are full is below a hundredth


class Failure(Exception):
    """One sentence."""


def output_of(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise Failure("%s ended with status %d: %s" % (command[0], done.returncode, done.stderr.strip()[-2000:]))
    return done.stdout


OLDEST_MCA = 16  # the first that has a model of Neoverse N1; before, it goes by an older processor's


def find_mca():
    """The newest: models of processors come with versions."""
    for name in ["llvm-mca-%d" % version for version in range(30, OLDEST_MCA - 1, -1)] + ["llvm-mca"]:
        if shutil.which(name):
            version = re.search(r"version (\d+)", output_of([name, "--version"]))
            if version and int(version.group(1)) >= OLDEST_MCA:
                return name
    raise Failure("No llvm-mca of LLVM %d or later was found; install Debian's llvm-19." % OLDEST_MCA)


def processor_fields(name):
    """What src/machine/processors/NAME.txt says, with what it takes over from others."""
    fields = {}
    for line in (ROOT / "src/machine/processors" / (name + ".txt")).read_text().split("\n"):
        words = line.partition("#")[0].split()
        if len(words) > 1:
            fields[words[0]] = " ".join(words[1:])
    return {**(processor_fields(fields["like"]) if "like" in fields else {}), **fields}


def cycles(mca, processor, loop):
    """Of one turn. Models of older processors are asked about instructions that these did not have, too."""
    report = json.loads(output_of(
        [mca, "-mtriple=aarch64-linux-gnu", "-mcpu=" + processor, "-mattr=+dotprod,+fullfp16", "-iterations=%d" % TURNS, "-json"],
        input=loop.text()))
    return report["CodeRegions"][0]["SummaryView"]["TotalCycles"] / TURNS


def on_processor(mca, processor, loop):
    """Cycles of a turn, and which share of the processor's peak they are, or whose cycles they are."""
    taken, older = cycles(mca, processor, loop), ROWS["older"].get(processor)
    figures = {"cycles": round(taken, 2)}
    if older and taken == cycles(mca, older, loop):
        return {**figures, "model": older}
    at_peak = loop.multiply_adds() / float(processor_fields(processor.replace("-", "_"))["vector_ops_per_cycle"])
    return {**figures, "share_of_peak": round(at_peak / taken, 3)}


def compiled(row, options, folder):
    """The assembly of a row and the report of its plan, made in `folder`."""
    target = "-".join(["arm-64-linux", "no_runtime"] + row.get("features", []))
    output_of([options.generators, "-g", row["generator"], "-f", row["name"], "-n", row["name"], "-o", folder,
               "-e", "assembly,schedule", "-p", options.plugin, "target=" + target, "autoscheduler=Eutectic",
               "autoscheduler.parallelism=16", "autoscheduler.report=%s/%s.json" % (folder, row["name"])] + row["params"])
    made = pathlib.Path(folder) / row["name"]
    return made.with_suffix(".s").read_text(), json.loads(made.with_suffix(".json").read_text())


def counted(row, options, mca, folder):
    assembly, report = compiled(row, options, folder)
    found = loops.product_loops(assembly)
    if not found:
        raise Failure("The kernel %s has no innermost loop that multiplies and adds." % row["name"])
    main, counts = found[0], found[0].counts()
    (pathlib.Path(folder) / (row["name"] + ".loop.s")).write_text(main.text())
    result = {
        "name": row["name"],
        "generator": row["generator"],
        "params": row["params"],
        "target": report["target"],
        "policies": sorted({group["policy"] for group in report["groups"]}),
        "loop": counts,
        "per_multiply_add": {what: round(counts[what] / counts["multiply_adds"], 3) for what in ["instructions", "loads", "spills"]},
        "processors": {},
        "other_loops": [[loop.multiply_adds(), len(loop.instructions), loop.counts()["spills"]] for loop in found[1:]],
    }
    for processor in ROWS["processors"]:
        result["processors"][processor] = on_processor(mca, processor, main)
    return result


def print_row(result):
    each = result["per_multiply_add"]
    shares = "  ".join("%s %.2f" % (processor, figures["share_of_peak"])
                       for processor, figures in result["processors"].items() if "share_of_peak" in figures)
    print("%-20s %3d of %-2g  %.2f  %.2f  %.2f  %s" % (
        result["name"], result["loop"]["multiply_adds"], result["loop"]["products"] / result["loop"]["multiply_adds"],
        each["instructions"], each["loads"], each["spills"], shares), flush=True)


def versions(mca):
    llvm = re.search(r"version (\S+)", output_of([mca, "--version"]))
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    halide = re.search(r"^halide==(\S+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    eutectic = re.search(r"project\(\s*\w+\s+VERSION\s+(\S+)", (ROOT / "CMakeLists.txt").read_text())
    return {"commit": commit, "eutectic": eutectic[1], "halide": halide[1], "llvm_mca": llvm[1]}


def write(path, results, mca):
    """Head, then a row a line, as the other files of docs/bench."""
    head = json.dumps({"versions": versions(mca), "parallelism": 16, "turns": TURNS}, indent=1, sort_keys=True)[:-2]
    rows = ",\n".join("  " + json.dumps(result, separators=(",", ":")) for result in results)
    pathlib.Path(path).write_text(head + ',\n "rows": [\n' + rows + "\n ]\n}\n")


def parse(words):
    parser = argparse.ArgumentParser(prog="scripts/aarch64 --count", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="ROW", help="these rows")
    parser.add_argument("--json", metavar="FILE", help="write the counts there, too")
    parser.add_argument("--keep", metavar="FOLDER", help="leave assembly, loops, schedules and reports there")
    parser.add_argument("--generators", default=str(ROOT / "build/release/bin/generators"), help=argparse.SUPPRESS)
    parser.add_argument("--plugin", default=str(ROOT / "build/release/lib/libautoschedule_eutectic.so"), help=argparse.SUPPRESS)
    return parser.parse_args(words)


def run(options, folder):
    mca = find_mca()
    known = [row["name"] for row in ROWS["rows"]]
    unknown = [name for name in options.only or [] if name not in known]
    if unknown:
        raise Failure("There is no row '%s'; known are %s." % (unknown[0], ", ".join(known)))
    print("multiply-adds in a turn and products in each; for each of them instructions, loads, spills; share of the peak by llvm-mca")
    results = []
    for row in ROWS["rows"]:
        if not options.only or row["name"] in options.only:
            results.append(counted(row, options, mca, folder))
            print_row(results[-1])
    if options.json:
        write(options.json, results, mca)


def main(words):
    options = parse(words)
    try:
        if options.keep:
            pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
            run(options, options.keep)
        else:
            with tempfile.TemporaryDirectory() as folder:
                run(options, folder)
    except Failure as failure:
        print("scripts/aarch64: %s" % failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
