#!/usr/bin/env python3
"""One framework, told which rows to run by the bench.

usage: worker.py torch|torch_compile|jax [--device cpu|cuda] [--isa avx2|avx512] --cache FOLDER

Its first line out is {"versions": {library: version}}. Then each line in is a question
    {"row", "kernels": [{"generator", "params"}], "tensors": FOLDER, "tolerance", "seconds", "cpu_time"}
and each line out its answer: {"difference"} and, if that is within the tolerance, {"samples": [seconds of one run, ...], "variant"};
{"absent": true} if the framework's rows have none for these kernels; or {"error": "why"}. FOLDER is what the bench's reference run left:
tensors.json and a file a tensor. It runs on HL_NUM_THREADS threads.
"""

import argparse
import importlib
import json
import math
import os
import pathlib
import sys
import time

import numpy

import restrict

# As in measure.cpp: shorter work is repeated within a sample, and there are at least as many samples.
SHORTEST_SAMPLE = 50e-6
FEWEST_SAMPLES = 5
# Each way of doing a row is timed this long; then the fastest goes on.
TRIAL_SECONDS = 0.1


class Tensors:
    """The inputs and results of a row's reference, as arrays whose last dimension is Halide's first."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        index = json.loads((self.folder / "tensors.json").read_text())
        self.inputs = {entry["name"]: self.input(entry) for entry in index["inputs"]}
        self.scalars = index["scalars"]
        self.outputs = index["outputs"]

    def read(self, entry):
        extents = entry["extents"][::-1]
        return numpy.fromfile(self.folder / (entry["name"] + ".bin"), dtype=entry["type"]).reshape(extents)

    def input(self, entry):
        dense = self.read(entry)
        if "pitch" not in entry:
            return dense
        wide = numpy.zeros(dense.shape[:-1] + (entry["pitch"],), dtype=dense.dtype)
        wide[..., : dense.shape[-1]] = dense
        return wide[..., : dense.shape[-1]]

    def difference(self, results):
        """As largest_difference() of workload.cpp."""
        worst = 0.0
        for entry in self.outputs:
            right = self.read(entry)
            given = numpy.asarray(results[entry["name"]])
            if given.shape != right.shape:
                raise ValueError("%s has the shape %s, the reference %s" % (entry["name"], given.shape, right.shape))
            largest = max(float(numpy.abs(right).max(initial=0)), float(numpy.finfo(numpy.float32).tiny))
            d = float(numpy.abs(given.astype(numpy.float64) - right).max(initial=0)) / largest
            worst = max(worst, math.inf if math.isnan(d) else d)
        return worst


def clock_of(question):
    return time.process_time if question["cpu_time"] else time.perf_counter


def time_runs(run, seconds, clock):
    fastest = math.inf
    for _ in range(3):
        start = clock()
        run()
        fastest = min(fastest, clock() - start)
    repeats = max(1, math.ceil(SHORTEST_SAMPLE / fastest))
    samples = []
    begin = clock()
    while len(samples) < FEWEST_SAMPLES or clock() - begin < seconds:
        start = clock()
        for _ in range(repeats):
            run()
        samples.append((clock() - start) / repeats)
    return samples


class Prepared:
    """A row, compiled and compared, in the fastest of the ways that the framework has."""

    def __init__(self, framework, question):
        tensors = Tensors(question["tensors"])
        params = [kernel["params"] for kernel in question["kernels"]]
        self.run, self.variant, self.difference = None, None, math.inf
        best = math.inf
        errors = []
        for name, run, results in framework.ways("+".join(kernel["generator"] for kernel in question["kernels"]), tensors, params):
            try:
                difference = tensors.difference(results(run()))
                if difference > question["tolerance"]:
                    self.difference = min(self.difference, difference)
                    continue
                seconds = min(time_runs(run, TRIAL_SECONDS, clock_of(question)))
            except Exception as error:  # one way that fails leaves the others
                errors.append("%s: %s" % (name, str(error).strip().split("\n")[0]))
                continue
            if seconds < best:
                best, self.run, self.variant, self.difference = seconds, run, name, difference
        if self.run is None and errors:
            raise RuntimeError("; ".join(errors))

    def answer(self, question):
        if self.run is None:
            return {"difference": min(self.difference, 1e300)}
        return {"difference": self.difference, "variant": self.variant, "samples": time_runs(self.run, question["seconds"], clock_of(question))}


def serve(framework, questions, answer):
    row, prepared = None, None
    for line in questions:
        question = json.loads(line)
        if question["row"] != row:
            row, prepared = question["row"], None  # what the last row held is free before this one is read
        try:
            if not framework.has("+".join(kernel["generator"] for kernel in question["kernels"])):
                answer({"absent": True})
                continue
            if prepared is None:
                prepared = Prepared(framework, question)
            answer(prepared.answer(question))
        except Exception as error:
            answer({"error": "%s: %s" % (type(error).__name__, str(error).strip().split("\n")[0][:300])})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("framework", choices=["torch", "torch_compile", "jax"])
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--isa", choices=sorted(restrict.ISAS), help="restrict the framework to this instruction set")
    parser.add_argument("--cache", required=True, type=pathlib.Path)
    options = parser.parse_args()
    if options.isa:
        options.cache = options.cache / options.isa
        restrict.restrict(options.isa, options.cache)

    # What a library prints must not come between the answers.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(value):
        out.write(json.dumps(value) + "\n")
        out.flush()

    threads = int(os.environ.get("HL_NUM_THREADS") or os.cpu_count())
    options.cache.mkdir(parents=True, exist_ok=True)
    # Only the asked framework is loaded.
    module = importlib.import_module("jax_rows" if options.framework == "jax" else "torch_rows")
    framework = module.start(options.framework, options.device, threads, options.cache)
    if options.isa and options.framework == "torch_compile":
        restrict.restrict_inductor(options.isa)
    answer({"versions": framework.versions()})
    serve(framework, sys.stdin, answer)


if __name__ == "__main__":
    main()
