#!/usr/bin/env python3
"""Tries the numbers of the hand-written schedules and prints what is fastest.

usage: try_variants.py BUILD ROW [--only WORD] [--rounds N] [--seconds S] [--threads N]

BUILD is a build folder in which scripts/bench has built and run ROW, one of the suite cpu. One group of numbers at a time is changed, each
variant is compiled, checked against the reference and timed next to the best one so far, and kept if its minimum is more than --gain
per cent smaller. A round goes once through all groups. On one thread (--threads 1) it is CPU time that is compared, which repeats within
some per cent whatever else the machine does: choose tiles there, and what is parallel on all.

example: schedules/manual/try_variants.py build/release mlp_step
"""

import argparse
import itertools
import json
import os
import pathlib
import subprocess
import tempfile

# What may be chosen, by kernel: registers are 32, of which rows * columns / 16 hold sums.
TILES = [(12, 32), (8, 48), (6, 64), (4, 96), (14, 32), (8, 32), (24, 16), (16, 16)]
MORE_TILES = TILES + [(4, 64), (5, 64), (7, 64), (6, 32), (7, 32), (10, 32), (13, 32), (4, 48), (6, 48), (7, 48), (9, 48), (4, 32), (28, 16), (20, 16)]
NARROW = [(16, 16), (8, 16), (24, 16), (12, 16), (28, 16)]
PARALLEL = [0, 1, 2]  # by columns, by rows, serial
# A variant that is so many times as slow in its first process gets no second one.
HOPELESS = 1.15
STAGE = [0, 1, 2]  # not, in the panel, at the root


def grid(**numbers):
    """One group: every combination."""
    return [[dict(zip(numbers, values)) for values in itertools.product(*numbers.values())]]


def tiles(tiles, **numbers):
    """One group: every tile with every combination of the rest."""
    return [[{"rows": r, "columns": c, **rest} for r, c in tiles for rest in grid(**numbers)[0]]]


def product(name, tiles=TILES, parallel=PARALLEL, stage=None):
    choices = [[{"rows_" + name: r, "columns_" + name: c} for r, c in tiles], [{"parallel_" + name: p} for p in parallel]]
    if stage:
        choices.append([{"stage_" + name: s} for s in stage])
    return choices


def layer(number, tiles):
    return [[{"rows" + number: r, "columns" + number: c} for r, c in tiles]] + grid(**{"parallel" + number: PARALLEL, "pack" + number: [0, 1]})


TASKS = [1 << n for n in range(11, 21)]
ROWS = [1, 2, 4, 8, 16, 32, 64, 128]
FLAT = grid(task=TASKS, vectors=[1, 2, 3, 4, 6, 8])
MATRIX = grid(rows=ROWS, vectors=[1, 2, 3, 4, 6, 8, 12])
CHOICES = {
    "adam": FLAT,
    "attention": tiles(MORE_TILES) + grid(vectors=[1, 2, 4, 8], exps=[1, 2, 3, 4]),
    "avg_pool": grid(lines=[1, 2, 3, 4, 5, 6, 7, 8, 10, 14, 28], vectors=[1, 2, 3, 4, 6]),
    "batched_matmul": tiles(MORE_TILES, pack=[0, 1]) + grid(panel=[1, 2, 4], block=[64, 1024]),
    "bottleneck": [[{"rows_" + f: r, "columns_" + f: c} for r, c in MORE_TILES] for f in ("h1", "h2", "y")],
    "conv2d": tiles(MORE_TILES, by_rows=[0, 1]) + grid(lines=[1, 2, 4, 7, 8]),
    "dense": tiles(MORE_TILES, parallel=[0, 1], pack=[0, 1]),
    "dense_dropout": tiles(MORE_TILES, parallel=[0, 1], pack=[0, 1]),
    "depthwise_separable": tiles(MORE_TILES) + grid(vectors=[1, 2, 3, 4, 6, 8], by_rows=[0, 1], lines=[1, 2, 4]),
    "dropout": MATRIX,
    "embedding": MATRIX,
    "layernorm": grid(rows=ROWS, vectors=[1, 2, 4, 8], unroll=[1, 2]),
    "log1pexp": FLAT,
    "log_softmax": grid(rows=[2, 4, 16], vectors=[1, 2, 4, 8], vectors_exp=[1, 2, 4], unroll=[1, 2]),
    "matmul": tiles(MORE_TILES, pack=[0, 1]),
    "max_pool": grid(lines=[1, 2, 3, 4, 5, 6, 7, 8, 10, 14, 28], vectors=[1, 2, 3, 4, 6]),
    "mlp": layer("1", MORE_TILES) + layer("2", MORE_TILES) + layer("3", NARROW),
    "mlp_loss_forward": product("residual_h1", stage=STAGE) + product("residual_h2", stage=STAGE) + product("residual_logits", NARROW),
    "mlp_loss_backward": product("d_z2", stage=STAGE) + product("d_z1", stage=STAGE) + product("d_w1") + product("d_w2") + product("d_w3", NARROW),
    "pointwise_chain": FLAT,
    "rmsnorm": grid(rows=ROWS, vectors=[1, 2, 4, 8], unroll=[1, 2]),
    "scatter_add": grid(rows=[16, 64, 256], vectors=[1, 2, 4], panel=[64, 128, 256], vectors_add=[1, 2, 4]),
    "softmax": grid(rows=[1, 2, 4, 8, 16], vectors=[2, 4, 8], exps=[1, 2, 4], unroll=[1, 2]),
    "softmax_xent": grid(rows=[1, 2, 4, 8, 16, 32, 64, 128], vectors=[1, 2, 4, 8]),
    "sum_exp": grid(task=TASKS, vectors=[1, 2, 3, 4, 6, 8]),
    "views": grid(rows=ROWS, vectors=[1, 2, 3, 4, 6, 8, 12]),
    "views transpose": tiles(MORE_TILES, pack=[0, 1]) + grid(panel=[1, 2, 4], block=[128, 256, 512, 1024]),
}


def choices_of(kernel):
    special = "%s %s" % (kernel["generator"], kernel["params"].get("view"))
    return CHOICES[special if special in CHOICES else kernel["generator"]]


def rows():
    suite = pathlib.Path(__file__).resolve().parents[2] / "apps/bench/suites/cpu.json"
    return json.loads(suite.read_text())["rows"]


class Row:
    def __init__(self, build, name, seconds, threads):
        self.build, self.name, self.seconds, self.threads = build, name, seconds, threads
        (row,) = [r for r in rows() if r["name"] == name]
        self.kernels = row["kernels"]
        self.folder = build / "bench/cpu" / name
        (self.runtime,) = build.glob("**/libeutectic_runtime.a")
        self.work = pathlib.Path(tempfile.mkdtemp())
        self.environment = dict(os.environ, HL_NUM_THREADS=str(threads))

    def compile(self, index, numbers):
        """The object of one kernel; of two variants with the same numbers, one is compiled."""
        kernel = self.kernels[index]
        words = ["%s=%s" % item for item in sorted(numbers.items())]
        target = self.work / "_".join([str(index)] + words)
        if not (target / "kernel.o").exists():
            target.mkdir(exist_ok=True)
            name = "kernel_%d" % index
            subprocess.run(
                [self.build / "bin/generators", "-g", kernel["generator"], "-f", name, "-n", "kernel", "-o", target, "-e", "object",
                 "-p", self.build / "lib/libautoschedule_manual.so", "target=host-no_runtime", "autoscheduler=Manual",
                 "autoscheduler.schedule=" + kernel["generator"]]
                + ["%s=%s" % item for item in kernel["params"].items()] + ["autoscheduler." + word for word in words],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return target / "kernel.o"

    def library(self, numbers):
        objects = [self.compile(i, numbers[i]) for i in range(len(self.kernels))]
        path = self.work / ("%d.so" % len(list(self.work.glob("*.so"))))
        subprocess.run(["g++", "-shared", "-o", path, *objects, self.runtime, "-lpthread", "-ldl"], check=True)
        return path

    def samples(self, library):
        child = subprocess.run(
            [self.build / "bin/bench", "cpu", "--only", self.name, "--child", library, "--reference", self.folder / "tensors", "--seconds",
             str(self.seconds)] + (["--cpu-time"] if self.threads == 1 else []),
            check=True, stdout=subprocess.PIPE, env=self.environment)
        report = json.loads(child.stdout)
        if "samples" not in report:
            raise ValueError("differs from the reference by %g" % report["difference"])
        return report["samples"]

    def compare(self, a, b):
        """The fastest runs of two libraries, taking turns."""
        times = ([], [])
        for _ in range(3):
            for library, samples in zip((a, b), times):
                samples.extend(self.samples(library))
        return min(times[0]), min(times[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("row", choices=[row["name"] for row in rows()], metavar="ROW")
    parser.add_argument("--only", default="", help="only numbers whose name contains this")
    parser.add_argument("--gain", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.2, help="timed in each of three processes a variant")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()

    row = Row(options.build.resolve(), options.row, options.seconds, options.threads)
    best = [{} for _ in row.kernels]
    best_library = row.library(best)
    best_time, tried = None, 1
    for _ in range(options.rounds):
        for index, kernel in enumerate(row.kernels):
            for choices in choices_of(kernel):
                for choice in choices:
                    if not any(options.only in name for name in choice):
                        continue
                    candidate = [dict(numbers) for numbers in best]
                    candidate[index].update(choice)
                    tried += 1
                    try:
                        library = row.library(candidate)
                        first = min(row.samples(library))
                        if best_time and first > HOPELESS * best_time:
                            print("%-60s %8.1f us" % (choice, 1e6 * first), flush=True)
                            continue
                        time, reference = row.compare(library, best_library)
                        best_time = min(time, reference)
                    except (subprocess.CalledProcessError, ValueError) as error:
                        print("%-60s failed: %s" % (choice, error), flush=True)
                        continue
                    kept = time < (1 - options.gain / 100) * reference
                    print("%-60s %8.1f us, best so far %8.1f us%s" % (choice, 1e6 * time, 1e6 * reference, "  kept" if kept else ""), flush=True)
                    if kept:
                        best, best_library = candidate, library
    print("%d variants tried; the best has %s" % (tried, best))


if __name__ == "__main__":
    main()
