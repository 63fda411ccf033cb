#!/usr/bin/env python3
"""Suite torch: kernels and models under torch.compile, by Eutectic, by Inductor's C++ backend, by its Halide backend with Adams2019, and eager.

Each contender of a row has a process of its own, which compiles, then waits; the processes take turns, and the fastest call of all turns
counts. Results are compared with eager's first. Compile seconds are those of the first call with a cache that has nothing of the row, but
what a contender makes once on a machine, as precompiled headers (cold), and of a second process with what the first left there (warm).

examples:
  scripts/bench torch
  scripts/bench torch --only softmax layer_norm_step --contenders eutectic inductor
  scripts/bench torch --json docs/bench/torch.json
  scripts/bench torch --json docs/bench/torch.json --resume      rows that the file has stay as they are
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONTENDERS = ["eutectic", "inductor", "Adams2019", "eager"]
TOLERANCE = 2e-3  # of the largest value of a result: sums in other orders, through a model


def compiler(contender):
    import torch

    if contender == "eager":
        return lambda f: f
    if contender == "eutectic":
        import eutectic.torch

        return lambda f: torch.compile(f, backend=eutectic.torch.compile_graph)
    if contender == "Adams2019":
        from torch._inductor import config

        config.cpu_backend = "halide"
        config.halide.scheduler_cpu = "Adams2019"
    return lambda f: torch.compile(f)


def child(row, contender, threads, results):
    """Compiles, compares or writes results, then answers each line with the seconds of the fastest of some calls."""
    import rows
    import torch

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(**told):
        print(json.dumps(told), file=answers, flush=True)

    torch.set_num_threads(threads)
    try:
        call = rows.made(row, compiler(contender))
        begun = time.perf_counter()
        got = [t.detach() for t in call() if t is not None]
        seconds = time.perf_counter() - begun
        if contender == "eager":
            torch.save(got, results)
            difference = 0.0
        else:
            pairs = list(zip(got, torch.load(results)))
            difference = max((float((a.double() - b.double()).abs().max() / b.double().abs().max().clamp_min(1e-6)) for a, b in pairs if b.numel()), default=0.0)
        answer(compile_seconds=seconds, difference=difference)
    except Exception as error:
        answer(failed=f"{type(error).__name__}: {error}".replace("\n", " ")[:300])
        return
    for line in sys.stdin:
        end, best = time.perf_counter() + float(line), math.inf
        while time.perf_counter() < end:
            begun = time.perf_counter()
            call()
            best = min(best, time.perf_counter() - begun)
        answer(seconds=best)


class Contender:
    def __init__(self, row, name, o, results, cache, timeout):
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": cache}
        if name == "Adams2019":
            environment["HALIDE_LIB"] = str(Path(o.halide) / "lib64")
            environment["HL_NUM_THREADS"] = str(o.threads)  # its kernels run on Halide's own
        words = [sys.executable, "-B", __file__, "--child", row, name, str(o.threads), results]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        self.told = self._answer(timeout)

    def _answer(self, timeout=600):
        import threading

        timer = threading.Timer(timeout, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        return json.loads(line) if line else {"failed": f"no answer in {timeout:.0f} s"}

    def turn(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return self._answer().get("seconds", math.inf)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def warm_up(o, caches):
    """What is made once on a machine."""
    for name in o.contenders:
        if name != "eager":
            Contender("column_sum", "eager", o, str(Path(caches) / "warm_up.pt"), caches, o.timeout).end()
            Contender("column_sum", name, o, str(Path(caches) / "warm_up.pt"), str(Path(caches) / name), o.timeout).end()


def measure(row, o, caches):
    """{"seconds", "compile_seconds": {contender: [cold, warm]}, "failed"}"""
    result = {"name": row, "seconds": {}, "compile_seconds": {}, "failed": {}}
    with tempfile.TemporaryDirectory() as folder:
        results = str(Path(folder) / "results.pt")
        running = {}
        for name in ["eager", *(c for c in o.contenders if c != "eager")]:
            cache = str(Path(caches) / name)
            contender = Contender(row, name, o, results, cache, o.timeout)
            if name != "eager" and "failed" not in contender.told:
                cold = contender.told["compile_seconds"]
                contender.end()
                contender = Contender(row, name, o, results, cache, o.timeout)
                result["compile_seconds"][name] = [cold, contender.told.get("compile_seconds")]
            wrong = contender.told.get("difference", 0.0)
            if "failed" in contender.told or not wrong <= TOLERANCE:
                result["failed"][name] = contender.told.get("failed", f"its results differ by {wrong:.3g} of the largest")
                contender.process.kill()
            elif name in o.contenders:
                running[name] = contender
            else:
                contender.end()
        for _ in range(o.rounds):
            for name, contender in running.items():
                result["seconds"][name] = min(result["seconds"].get(name, math.inf), contender.turn(o.seconds))
        for contender in running.values():
            contender.end()
    return result


def means(results, contenders):
    """Of each other contender's time over ours: the geometric mean, the worst row, the share of rows where ours is not slower."""
    told = {}
    for other in contenders:
        ratios = {r["name"]: r["seconds"][other] / r["seconds"]["eutectic"] for r in results if "eutectic" in r["seconds"] and other in r["seconds"]}
        if other != "eutectic" and ratios:
            worst = min(ratios, key=ratios.get)
            told[other] = {
                "ratio": math.exp(sum(map(math.log, ratios.values())) / len(ratios)),
                "rows": len(ratios),
                "worst": ratios[worst],
                "worst_row": worst,
                "not_slower": sum(r >= 1 for r in ratios.values()) / len(ratios),
            }
    return told


def machine(threads):
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = next((line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")), platform.processor())
    return {"cpu": model, "cores": len(os.sched_getaffinity(0)), "threads": threads, "kernel": platform.release(), "load": Path("/proc/loadavg").read_text().split()[:3]}


def tell(results, o):
    """The last row, and all of them into the file."""
    import torch

    r = results[-1]
    times = ", ".join(f"{c} {r['seconds'][c] * 1e6:.4g} us" for c in o.contenders if c in r["seconds"])
    best = {c: r["seconds"][c] / r["seconds"]["eutectic"] for c in o.contenders if c in r["seconds"] and c != "eutectic"} if "eutectic" in r["seconds"] else {}
    ratios = " ".join(f"{c} {v:.2f}" for c, v in best.items())
    failed = "".join(f"; {c} failed: {said[:90]}" for c, said in r["failed"].items())
    print(f"{r['name']}: {times}; over ours {ratios}{failed}", flush=True)
    if o.json:
        told = {
            "machine": machine(o.threads),
            "versions": {"torch": torch.__version__, "halide": "21.0.0", "commit": o.commit},
            "means": means(results, o.contenders),
            "rows": results,
        }
        Path(o.json).write_text(json.dumps(told, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def resumed(o):
    """The rows of the file that have all contenders, where they were measured with as many threads; others are measured anew."""
    if not o.resume or not Path(o.json).exists():
        return []
    told = json.loads(Path(o.json).read_text(encoding="utf-8"))
    threads = told["machine"].get("threads")
    if threads != o.threads:
        sys.exit(f"scripts/bench torch: the rows of {o.json} were measured with {threads or 'an unknown number of'} threads, and this run has {o.threads}: give --threads, or another file.")
    return [r for r in told["rows"] if all(c in r["seconds"] for c in o.contenders)]


def main():
    import rows

    parser = argparse.ArgumentParser(prog="scripts/bench torch", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="ROW", help="these rows")
    parser.add_argument("--contenders", nargs="+", choices=CONTENDERS, default=CONTENDERS)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=5, help="turns of each contender (default 5)")
    parser.add_argument("--seconds", type=float, default=0.15, help="of a turn (default 0.15)")
    parser.add_argument("--timeout", type=float, default=180, help="seconds until a contender's compiling is given up (default 180)")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--resume", action="store_true", help="with --json: leave out rows that FILE has, and keep them")
    parser.add_argument("--commit", default="", help=argparse.SUPPRESS)
    o = parser.parse_args()
    unknown = [name for name in o.only or [] if name not in rows.names()]
    if unknown:
        parser.error(f"there is no row {unknown[0]} in suite torch; known are {', '.join(rows.names())}.")
    if o.resume and not o.json:
        parser.error("--resume was given without --json, whose file has the rows to keep: name one.")
    import halide

    o.halide = Path(halide.__file__).parent
    results = resumed(o)
    known = {r["name"] for r in results}
    with tempfile.TemporaryDirectory() as caches:
        warm_up(o, caches)
        for row in (r for r in o.only or rows.names() if r not in known):
            results.append(measure(row, o, caches))
            tell(results, o)
    for other, m in means(results, o.contenders).items():
        print(f"{other}: {m['ratio']:.2f} over {m['rows']} rows, worst {m['worst']:.2f} ({m['worst_row']}), not slower in {100 * m['not_slower']:.0f} %")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
    else:
        main()
