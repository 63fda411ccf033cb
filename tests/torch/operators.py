#!/usr/bin/env python3
"""PyTorch's own operators, with PyTorch's own samples, compiled by backend eutectic and compared with eager.

The first sample of every operator and type; all samples of a tenth of the operators, drawn by the seed below; values and, where there are
any, gradients. What differs is compiled by Inductor's C++ backend, too: only what that gets right is wrong here. Each operator is tried in
a process that others share until it dies. Results go into a database as they come, from which a run that was stopped goes on.

Outcomes: right; refused (some kernel of it is C++, and the result right); wrong; fails (we raise, C++ does not); neither (C++ is not right,
either); skipped (random, or eager itself raises).

examples:
  scripts/torch-operators --jobs 2 --resume operators.db
  scripts/torch-operators --jobs 2 --resume operators.db --only softmax --types float32
  scripts/torch-operators --resume operators.db --summary docs/torch.md
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

TYPES = ["float32", "float64", "bfloat16", "int64", "bool"]
SEED, TENTH = 20261127, 0.1
TOLERANCE = {"float32": (1e-4, 1e-4), "float64": (1e-7, 1e-7), "bfloat16": (2e-2, 2e-2)}
SECONDS = 300  # for one sample, compiling included
RANDOM = ["rand", "dropout", "bernoulli", "multinomial", "empty"]  # values that are drawn, or whatever memory holds
OUTCOMES = ["right", "refused", "wrong", "fails", "neither", "skipped"]


def operators():
    """By name, "linalg.norm" or "div.floor_rounding"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    return {op.name + (f".{op.variant_test_name}" if op.variant_test_name else ""): op for op in op_db}


def operators_of(dtype: str) -> list[str]:
    import torch

    return sorted(name for name, op in operators().items() if getattr(torch, dtype) in op.supported_dtypes("cpu"))


def named(name: str, parts) -> bool:
    return not parts or any(part in name for part in parts)


def every_sample(name: str) -> bool:
    return random.Random(f"{SEED} {name}").random() < TENTH


class Worker:
    """Compares, in the process that it is in."""

    def __init__(self):
        import torch

        import eutectic.torch
        from eutectic.torch import _build

        self.torch, self.backend, self.build = torch, eutectic.torch.compile_graph, _build
        self.known = operators()
        torch._functorch.config.enable_autograd_cache = False  # what comes out of a cache does not say what was refused
        torch._inductor.config.fx_graph_cache = False
        torch._dynamo.config.cache_size_limit = 1 << 16
        torch.set_num_threads(1)

    def leaves(self, value):
        return [t for t in self.torch.utils._pytree.tree_leaves(value) if isinstance(t, self.torch.Tensor)]

    def run(self, function, sample):
        """Outputs, and gradients of their weighted sum."""
        torch = self.torch
        with torch.random.fork_rng():
            torch.manual_seed(0)
            outputs = self.leaves(function(sample.input, *sample.args, **sample.kwargs))
        differentiable = [y for y in outputs if y.requires_grad and (y.is_floating_point() or y.is_complex())]
        wanted = [x for x in self.leaves((sample.input, sample.args, sample.kwargs)) if x.requires_grad]
        if not differentiable or not wanted:
            return [y.detach() for y in outputs], []
        weights = [torch.ones_like(y) for y in differentiable]
        return [y.detach() for y in outputs], list(torch.autograd.grad(differentiable, wanted, weights, allow_unused=True))

    def difference(self, got, wanted, dtype):
        rtol, atol = TOLERANCE.get(dtype, (0, 0))
        for part, expected in zip(got, wanted):
            if len(part) != len(expected):
                return f"{len(part)} results instead of {len(expected)}"
            for a, b in zip(part, expected):
                if (a is None) != (b is None):
                    return "a gradient is missing"
                if a is not None:
                    inexact = b.dtype.is_floating_point or b.dtype.is_complex
                    try:
                        self.torch.testing.assert_close(
                            a, b, rtol=rtol or (1e-4 if inexact else 0), atol=atol or (1e-4 if inexact else 0), equal_nan=True, check_stride=False
                        )
                    except AssertionError as error:
                        return str(error).replace("\n", " ")[:300]
        return None

    def compiled(self, op, sample, backend):
        torch = self.torch
        torch._dynamo.reset()
        return self.run(torch.compile(lambda i, *a, **k: op(i, *a, **k), backend=backend, dynamic=False), sample)

    def compare(self, name, dtype, index):
        torch, op = self.torch, self.known[name]
        kind = getattr(torch, dtype)
        differentiable = kind in op.supported_backward_dtypes("cpu") and op.supports_autograd and kind.is_floating_point

        def sample():
            torch.manual_seed(1)
            for i, s in enumerate(op.sample_inputs("cpu", kind, requires_grad=differentiable)):
                if i == index:
                    return s
            return None

        if sample() is None:
            return "none", ""
        try:
            wanted, again = self.run(op, sample()), self.run(op, sample())
        except Exception as error:
            return "skipped", f"eager: {error}"[:300]
        if self.difference(again, wanted, dtype) or any(part in name for part in RANDOM):
            return "skipped", "random"
        with self.build.collected() as refused:
            try:
                said = self.difference(self.compiled(op, sample(), self.backend), wanted, dtype)
                outcome = "wrong" if said else "right"
            except Exception as error:
                outcome, said = "fails", f"{type(error).__name__}: {error}".replace("\n", " ")[:300]
        if outcome == "right":
            return ("refused", "; ".join(dict.fromkeys(refused))[:300]) if refused else ("right", "")
        try:
            return ("neither", said) if self.difference(self.compiled(op, sample(), "inductor"), wanted, dtype) else (outcome, said)
        except Exception:
            return "neither", said

    def serve(self):
        answers = sys.stdout
        sys.stdout = sys.stderr
        for line in sys.stdin:
            print(json.dumps(self.compare(*json.loads(line))), file=answers, flush=True)


class Database:
    """Outcomes of samples, and the operators and types whose samples have all been tried, with the commit and the day."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.connection = sqlite3.connect(path, check_same_thread=False)
        self.connection.execute("create table if not exists outcomes (name text, dtype text, sample int, outcome text, said text, primary key (name, dtype, sample))")
        self.connection.execute("create table if not exists tried (name text, dtype text, at text, day text, primary key (name, dtype))")

    def tried(self):
        return {(name, dtype): (at, day) for name, dtype, at, day in self.connection.execute("select name, dtype, at, day from tried")}

    def add(self, name, dtype, sample, outcome, said):
        with self.lock, self.connection:
            self.connection.execute("insert or replace into outcomes values (?, ?, ?, ?, ?)", (name, dtype, sample, outcome, said))

    def add_tried(self, name, dtype, commit):
        with self.lock, self.connection:
            self.connection.execute("insert or replace into tried values (?, ?, ?, ?)", (name, dtype, commit, time.strftime("%Y-%m-%d")))

    def forget(self, outcomes, dtypes, parts):
        """Operators, of these types and names, that have one of these outcomes."""
        with self.lock, self.connection:
            for name, dtype, outcome in list(self.connection.execute("select distinct name, dtype, outcome from outcomes")):
                if outcome in outcomes and dtype in dtypes and named(name, parts):
                    self.connection.execute("delete from tried where name = ? and dtype = ?", (name, dtype))
                    self.connection.execute("delete from outcomes where name = ? and dtype = ?", (name, dtype))

    def rows(self):
        return list(self.connection.execute("select name, dtype, sample, outcome, said from outcomes order by name, dtype, sample"))


def ask(process, task):
    """An answer, or None where the process died or took too long."""
    timer = threading.Timer(SECONDS, process.kill)
    timer.start()
    try:
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        return json.loads(line) if line else None
    except BrokenPipeError:
        return None
    finally:
        timer.cancel()


def work(tasks, database, commit, progress):
    process = None
    for task in tasks:
        index = 0
        while True:  # all samples of those that are drawn
            if process is None:
                process = subprocess.Popen([sys.executable, __file__, "--worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            answer = ask(process, [*task, index])
            if answer is None:
                process.kill()
                process = None
                answer = ["fails", "the process died, or took too long"]
            if answer[0] != "none":
                database.add(*task, index, *answer)
                progress(task, index, answer)
            if answer[0] == "none" or not every_sample(task[0]):
                break
            index += 1
        database.add_tried(*task, commit)
    if process:
        process.stdin.close()
        process.wait()


HEADING = """# PyTorch's operators

`scripts/torch-operators`: the first sample of every operator and type that `op_db` has, and all samples of a tenth of the operators, values and gradients, compiled by
backend eutectic and compared with eager. Where they differ, or we raise, Inductor's C++ backend is tried: what it does not get right, either, is `neither`. `refused`: some kernel is C++, and the result right. `skipped`: random, not
initialized, or eager raises. The tenth is drawn by seed {seed}. `--summary` writes this page and [torch-operators.json](torch-operators.json), where types stay as they are until as many of their operators have been tried anew.
"""


def counted(database):
    """What the database has of each type."""
    import importlib.metadata

    import torch

    entries, tried, rows = {}, database.tried(), database.rows()
    for dtype in TYPES:
        of = {name: run for (name, t), run in tried.items() if t == dtype}
        mine = [(name, sample, outcome, said) for name, t, sample, outcome, said in rows if t == dtype and name in of]
        entries[dtype] = {
            "operators": len(of),
            "of": len(operators_of(dtype)),
            "commits": sorted({commit or "unknown" for commit, _ in of.values()}),
            "day": max((day for _, day in of.values()), default=""),
            "torch": torch.__version__,
            "halide": importlib.metadata.version("halide"),
            "outcomes": {o: sum(outcome == o for _, _, outcome, _ in mine) for o in OUTCOMES},
            "refused": dict(collections.Counter(said for *_, outcome, said in mine if outcome == "refused").most_common()),
            **{o: [[name, sample, said] for name, sample, outcome, said in mine if outcome == o] for o in ("wrong", "fails", "neither")},
        }
    return entries


def merged(known, entries):
    """`entries`, but for types of which `known` has more operators."""
    return {t: known[t] if t in known and known[t]["operators"] > entries[t]["operators"] else entries[t] for t in TYPES}


def page(entries):
    """Counts by type, and what is wrong, fails or is refused."""
    lines = [HEADING.format(seed=SEED), f"{sum(sum(e['outcomes'].values()) for e in entries.values())} samples:", ""]
    lines += ["| type | operators | " + " | ".join(OUTCOMES) + " | commit | day | torch | halide |", "|---" * (len(OUTCOMES) + 6) + "|"]
    for t, e in entries.items():
        operators_tried = str(e["of"]) if e["operators"] == e["of"] else f"{e['operators']} of {e['of']}"
        cells = [t, operators_tried, *(str(e["outcomes"][o]) for o in OUTCOMES), ", ".join(e["commits"]), e["day"], e["torch"], e["halide"]]
        lines.append(f"| {' | '.join(cells)} |")
    for outcome in ("wrong", "fails", "neither"):
        found = [f"- `{name}`, {t}, sample {sample}: {said[:160]}" for t, e in entries.items() for name, sample, said in e[outcome]]
        lines += ["", f"{outcome}:" if found else f"{outcome}: none.", *([""] if found else []), *found]
    reasons = collections.Counter()
    for e in entries.values():
        reasons.update(e["refused"])
    return "\n".join([*lines, "", "refused, which C++ computes:", "", *(f"- {count}: {said}" for said, count in reasons.most_common())]) + "\n"


def summarize(database, to):
    numbers = to.with_name("torch-operators.json")
    entries = merged(json.loads(numbers.read_text(encoding="utf-8")) if numbers.exists() else {}, counted(database))
    numbers.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    to.write_text(page(entries), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(prog="scripts/torch-operators", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1, help="processes that compare (default 1)")
    parser.add_argument("--resume", metavar="DB", help="the database of outcomes, made or gone on from")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="operators whose names contain one of these")
    parser.add_argument("--types", nargs="+", choices=TYPES, default=TYPES)
    parser.add_argument("--again", nargs="+", choices=OUTCOMES, default=[], help="try operators that have one of these outcomes anew")
    parser.add_argument("--json", action="store_true", help="print outcomes as JSON lines instead of progress")
    parser.add_argument("--summary", metavar="FILE.md", help="write what the database has as a page, with the numbers beside it, and compare nothing")
    parser.add_argument("--commit", default="", help=argparse.SUPPRESS)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.worker:
        Worker().serve()
        return 0
    if not o.resume:
        parser.error("the results need a database: give --resume DB.")
    database = Database(o.resume)
    if o.summary:
        summarize(database, Path(o.summary))
        return 0
    database.forget(o.again, o.types, o.only)
    tried = database.tried()
    tasks = [(name, dtype) for dtype in o.types for name in operators_of(dtype) if named(name, o.only) and (name, dtype) not in tried]
    begun, done = time.time(), collections.Counter()

    def progress(task, index, answer):
        done[answer[0]] += 1
        if o.json:
            print(json.dumps({"name": task[0], "dtype": task[1], "sample": index, "outcome": answer[0], "said": answer[1]}), flush=True)
        else:
            counts = ", ".join(f"{done[k]} {k}" for k in OUTCOMES if done[k])
            loud = f"  {task[0]} {task[1]} {index}: {answer[0]}, {answer[1][:160]}\n" if answer[0] in ("wrong", "fails") else ""
            print(f"{loud}\r{sum(done.values())} samples of {len(tasks)} operators and types after {time.time() - begun:.0f} s: {counts}", end="", flush=True)

    random.Random(SEED).shuffle(tasks)
    shares = [iter(tasks[i :: max(1, o.jobs)]) for i in range(max(1, o.jobs))]
    threads = [threading.Thread(target=work, args=(share, database, o.commit, progress)) for share in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print()
    return 1 if done["wrong"] or done["fails"] else 0


if __name__ == "__main__":
    sys.exit(main())
