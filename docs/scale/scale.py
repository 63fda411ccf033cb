#!/usr/bin/env python3
"""What a step of `distributed` takes on more ranks than there are here: measured, simulated, projected.

usage: docs/scale/scale.py [MEASURED.json] [--measure [PROGRAM]] [--latency US] [--bandwidth GB/S] [--json FILE] [--plot FILE.svg]
"""

import argparse
import dataclasses
import json
import math
import os
import subprocess
import sys

import schedule

PROGRAM = "build/release/bin/distributed"
RANKS = (1, 2, 4)  # real ones
# What a rank's work is made of.
USED = (
    "forward_seconds",
    "backward_seconds",
    "update_seconds",
    "shard_backward_pieces_seconds",
    "bucket_add_seconds",
    "mpi_add_seconds",
)
# Runs of each job, of which the quietest counts, and the first decile of its steps: what else the machine does only adds.
RUNS = 5
PROJECTED = [2**power for power in range(11)]
SAMPLES = (16, 256, 4096)  # a shard: what the kernels are planned for, and more of the same


class Refusal(Exception):
    """One sentence."""


def run(program, ranks, words, mca=()):
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), *mca]
    if os.geteuid() == 0:
        command.append("--allow-run-as-root")
    done = subprocess.run([*command, program, "--json", "--threads", "1", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Refusal("%s on %d ranks ended with status %d: %s" % (program, ranks, done.returncode, done.stderr.strip().split("\n")[0]))
    return json.loads(done.stdout)


def measure(program):
    """Everything that the rest is made of, with one thread a rank."""
    measured = {"runs": [], "links": {}}
    for numerics in ("fast", "strict"):
        for ranks in RANKS:
            print("measuring %d %s, %s numerics" % (ranks, "rank" if ranks == 1 else "ranks", numerics), file=sys.stderr)
            tries = [run(program, ranks, ["--numerics", numerics, "--epochs", "40"]) for _ in range(RUNS)]
            best = min(tries, key=lambda made: made["step_seconds"]["quiet"])
            kept = ("ranks", "cores", "batch", "shards", "numerics", "buckets", "step_seconds", "times", "weights")
            measured["runs"].append({key: best[key] for key in kept})
            if best["times"]:
                measured["runs"][-1]["times"] = {key: best["times"][key] for key in USED}
    for name, mca in (("shared memory", ()), ("tcp", ("--mca", "btl", "tcp,self"))):
        print("measuring messages through %s" % name, file=sys.stderr)
        tries = [run(program, 2, ["--epochs", "1", "--links"], mca)["links"] for _ in range(RUNS)]
        measured["links"][name] = [
            {"bytes": sizes[0]["bytes"], "seconds": min(link["seconds"] for link in sizes)} for sizes in zip(*tries)
        ]
    return measured


def link_of(points, by_core):
    """Latency: that of the smallest message. Bandwidth: of the largest."""
    latency, largest = points[0]["seconds"], points[-1]
    return schedule.Link(latency, largest["bytes"] / (largest["seconds"] - latency), by_core)


def work_of(run, samples=16):
    """One core's work, of one rank that runs all shards; a shard of more samples takes as many times as long."""
    times, shards = run["times"], run["shards"]
    sizes = [bucket["bytes"] for bucket in run["buckets"]]
    longer = samples / (run["batch"] / shards)
    quiet = {part: times[part + "_seconds"]["quiet"] for part in ("forward", "backward", "update")}
    adds = times["bucket_add_seconds"]
    own_sums = sum(adds) * (shards - 1)
    # Pieces by themselves find their data in caches: they are its shares, and the backward of all shards is what they add up to.
    pieces, fast = times["shard_backward_pieces_seconds"], run["numerics"] == "fast"
    slower = (quiet["backward"] - (own_sums if fast else 0.0)) / (shards * sum(pieces))
    update = quiet["update"] - (0.0 if fast else own_sums)
    return schedule.Work(
        forward=longer * quiet["forward"] / shards,
        pieces=tuple(longer * slower * piece for piece in pieces),
        add=tuple(adds),
        arrive=tuple(times["mpi_add_seconds"]),
        update=tuple(update * size / sum(sizes) for size in sizes),
        buckets=tuple(sizes),
    )


def check(measured):
    """Each real job beside its simulation and its projection."""
    link = link_of(measured["links"]["shared memory"], by_core=True)
    alone = {run["numerics"]: run for run in measured["runs"] if run["ranks"] == 1}
    rows = []
    for run in measured["runs"]:
        job = schedule.Job(
            ranks=run["ranks"],
            shards=run["shards"],
            cores=run["cores"],
            ranks_per_machine=run["ranks"],
            strict=run["numerics"] == "strict",
            work=work_of(alone[run["numerics"]]),
            link=link,
        )
        simulated, _ = schedule.simulate(job)
        rows.append(
            {
                "numerics": run["numerics"],
                "ranks": run["ranks"],
                "measured_seconds": run["step_seconds"]["quiet"],
                "simulated_seconds": simulated,
                "projected_seconds": schedule.project(job),
            }
        )
    return rows


def halved_and_doubled(job, bucket):
    """A sum by halves and back (Rabenseifner): what an MPI may choose for large buckets; this Open MPI does not, in place."""
    size, link, ranks = job.work.buckets[bucket], job.link, job.ranks
    if ranks == 1:
        return 0.0
    rounds = math.ceil(math.log2(ranks))
    return 2 * (rounds * link.latency + size * (ranks - 1) / ranks / link.bandwidth) + job.work.arrive[bucket]


KINDS = {
    "fast": (False, schedule.reduction_seconds),
    "fast, by halves": (False, halved_and_doubled),
    "strict": (True, schedule.reduction_seconds),
}


def projections(measured, link):
    """Up to 1,024 machines of one rank and one shard each: seconds and efficiency of a step, by kind and samples of a shard."""
    alone = {run["numerics"]: run for run in measured["runs"] if run["ranks"] == 1}
    rows = []
    for kind, (strict, reduction) in KINDS.items():
        for samples in SAMPLES:
            for ranks in PROJECTED:
                job = schedule.Job(ranks, ranks, 1, 1, strict, work_of(alone["strict" if strict else "fast"], samples), link)
                one = schedule.project(dataclasses.replace(job, ranks=1, shards=1))
                seconds = schedule.project(job, reduction)
                rows.append({"kind": kind, "samples": samples, "ranks": ranks, "seconds": seconds, "efficiency": one / seconds})
    return rows


def simulated_beyond(measured, link):
    """The same of fast numerics and shards of 256 samples, by simulation: what the formula leaves out."""
    alone = {run["numerics"]: run for run in measured["runs"] if run["ranks"] == 1}
    rows = []
    for ranks in PROJECTED:
        job = schedule.Job(ranks, ranks, 1, 1, False, work_of(alone["fast"], 256), link)
        rows.append({"ranks": ranks, "samples": 256, "seconds": schedule.simulate(job)[0], "projected_seconds": schedule.project(job)})
    return rows


def print_rows(rows):
    print("%-8s %6s %12s %12s %12s" % ("numerics", "ranks", "measured", "simulated", "projected"))
    for row in rows:
        print(
            "%-8s %6d %9.0f us %9.0f us %9.0f us"
            % (row["numerics"], row["ranks"], *(1e6 * row[key + "_seconds"] for key in ("measured", "simulated", "projected")))
        )


def print_projections(rows, link):
    print()
    print("projected, messages of %.1f us and %.1f GB/s:" % (1e6 * link.latency, link.bandwidth / 1e9))
    print("%-16s %8s %9s %9s %9s" % ("numerics", "samples", "4", "64", "1024"))
    for kind in KINDS:
        for samples in SAMPLES:
            line = {row["ranks"]: row["efficiency"] for row in rows if row["kind"] == kind and row["samples"] == samples}
            print("%-16s %8d %7.1f %% %7.1f %% %7.1f %%" % (kind, samples, *(100 * line[ranks] for ranks in (4, 64, 1024))))


def positive(text):
    value = float(text)
    if not 0 < value < math.inf:
        raise ValueError(text)
    return value


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print("scripts/scale: %s; --help has examples." % message, file=sys.stderr)
        sys.exit(2)


EXAMPLES = """examples:
  scripts/scale
  scripts/scale --measure --plot scale.svg
  scripts/scale --latency 2 --bandwidth 12.5      what a network of 100 Gbit/s would do
"""


def plot(rows, beyond, path):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    # Text stays text, and nothing depends on the day or on chance: the same data give the same file.
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "eutectic"})
    figure, panels = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True)
    looks = {16: ("#9aa5b1", "o"), 256: ("#b4540a", "s"), 4096: ("#1f2933", "^")}
    for axes, kind in zip(panels, KINDS):
        for samples in SAMPLES:
            color, marker = looks[samples]
            line = [row for row in rows if row["kind"] == kind and row["samples"] == samples]
            axes.plot([row["ranks"] for row in line], [row["efficiency"] for row in line], marker=marker, markersize=3, linewidth=0.9, color=color, label=f"{samples:,} samples a rank")
        axes.set_xscale("log", base=2)
        axes.set_xticks([1, 4, 16, 64, 256, 1024], ["1", "4", "16", "64", "256", "1024"])
        axes.set_ylim(0, 1.05)
        axes.set_title(kind, fontsize=9)
        axes.set_xlabel("ranks", fontsize=8)
        axes.tick_params(labelsize=7)
    one = beyond[0]["seconds"]
    panels[0].plot([row["ranks"] for row in beyond], [one / row["seconds"] for row in beyond], "x", markersize=5, color=looks[256][0], label="256 samples, simulated")
    panels[0].set_ylabel("efficiency", fontsize=8)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, fontsize=7, frameon=False, loc="lower center", ncols=4)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


def main(words):
    here = os.path.dirname(os.path.abspath(__file__))
    parser = Parser(
        prog="scripts/scale",
        description=__doc__.split("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("measured", nargs="?", default=os.path.join(here, "measured.json"), metavar="MEASURED.json")
    parser.add_argument("--measure", nargs="?", const=PROGRAM, metavar="PROGRAM", help="measure 1, 2 and 4 ranks, and write MEASURED.json first")
    parser.add_argument("--latency", type=positive, metavar="US", help="of a message between machines (default: measured through TCP)")
    parser.add_argument("--bandwidth", type=positive, metavar="GB/S", help="of a message between machines (default: measured through TCP)")
    parser.add_argument("--json", metavar="FILE", help="write what is printed and drawn")
    parser.add_argument("--plot", metavar="FILE.svg")
    asked = parser.parse_args(words)
    try:
        if asked.measure:
            measured = measure(asked.measure)
            with open(asked.measured, "w") as file:
                json.dump(measured, file, indent=1)
                file.write("\n")
        with open(asked.measured) as file:
            measured = json.load(file)
    except (Refusal, OSError, ValueError, KeyError) as error:
        print("scripts/scale: %s" % error, file=sys.stderr)
        return 2
    link = link_of(measured["links"]["tcp"], by_core=False)
    link = dataclasses.replace(
        link,
        latency=1e-6 * asked.latency if asked.latency else link.latency,
        bandwidth=1e9 * asked.bandwidth if asked.bandwidth else link.bandwidth,
    )
    checked, rows, beyond = check(measured), projections(measured, link), simulated_beyond(measured, link)
    print_rows(checked)
    print_projections(rows, link)
    if asked.json:
        with open(asked.json, "w") as file:
            json.dump({"checked": checked, "projected": rows, "simulated": beyond}, file, indent=1)
    if asked.plot:
        plot(rows, beyond, asked.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
