#!/usr/bin/env python3
"""What is kept without a budget is not predicted slower than what any budget keeps, and reasons fit what is chosen.

usage: test_predicted_choices.py GENERATORS NETWORK_GENERATORS PLUGIN [all]

Forward and backward are planned for the machine that residuals are priced for (residual_machine()). `all`: every
differentiable generator and network, else some of both.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TARGET = "x86-64-linux-avx2-fma-f16c-sse41-avx-no_runtime"
# Of the seconds: prices of the same plan, added up in another order.
TOLERANCE = 1e-9
MOST_BUDGETS = 6

SOME = [("mlp_loss", []), ("layernorm", []), ("dense", ["activation=gelu"])]
NETWORKS = [
    ("feed_forward", []),
    ("feed_forward", ["width=256", "hidden=1024", "rows=64", "skip=true"]),
    ("layers", ["activation=relu"]),
    ("layers", ["activation=gelu", "width=300", "rows=77"]),
]


class Refused(Exception):
    pass


class Choice:
    """A pair, planned."""

    def __init__(self, program, generator, parameters):
        self.seconds = 0
        with tempfile.TemporaryDirectory() as folder:
            for part in ("forward", "backward"):
                report, kept = (pathlib.Path(folder) / name for name in ("report.json", "kept.json"))
                command = [program, "-g", f"{generator}_{part}", "-o", folder, "-e", "schedule", "-p", PLUGIN, f"target={TARGET}", "autoscheduler=Eutectic"]
                command += ["autoscheduler.parallelism=2", f"autoscheduler.report={report}", f"residual_report={kept}", *parameters]
                result = subprocess.run(command, capture_output=True, text=True)
                if result.returncode != 0:
                    raise Refused(result.stderr)
                self.seconds += json.loads(report.read_text())["cost"]["total_seconds"]
                self.kept = json.loads(kept.read_text())
        self.peak = self.kept["total_bytes"] + self.kept["temporary_bytes"]

    def names(self):
        return [(r["name"], r["kind"]) for r in self.kept["residuals"] + self.kept["without_residual"]]


def budgets_of(program, generator, parameters, peak):
    """Choices under a generous budget and under smaller and smaller ones."""
    budget, choices = 1 << 40, []
    while len(choices) < MOST_BUDGETS:
        try:
            choices.append(Choice(program, generator, [*parameters, f"budget={budget}"]))
        except Refused as refused:
            if "is less than the least possible" not in str(refused):
                raise
            break
        budget = min(peak, choices[-1].peak) - 1
        if budget < 0:
            break
    return choices


class PredictedChoices(unittest.TestCase):
    def check(self, program, generator, parameters):
        default = Choice(program, generator, parameters)
        choices = budgets_of(program, generator, parameters, default.peak)
        self.assertEqual(default.names(), choices[0].names())
        for choice in choices:
            self.assertLessEqual(default.seconds, choice.seconds * (1 + TOLERANCE), choice.names())
        for residual in default.kept["residuals"] + default.kept["without_residual"]:
            self.assertNotRegex(residual["reason"], r" less\b", residual["name"])
        for choice in choices[1:]:
            for residual in choice.kept["residuals"] + choice.kept["without_residual"]:
                if re.search(r" less\b", residual["reason"]):
                    self.assertRegex(residual["reason"], "which the budget rules out$", residual["name"])

    def test_networks(self):
        for generator, parameters in NETWORKS if ALL else NETWORKS[::2]:
            with self.subTest(generator, parameters=parameters):
                self.check(NETWORK_GENERATORS, generator, parameters)

    def test_generators(self):
        listed = subprocess.run([GENERATORS], capture_output=True, text=True)
        every = sorted(set(re.findall(r"\b(\w+)_backward\b", listed.stdout + listed.stderr)))
        self.assertGreater(len(every), 20)
        for generator, parameters in [(name, []) for name in every] if ALL else SOME:
            with self.subTest(generator):
                self.check(GENERATORS, generator, parameters)


if __name__ == "__main__":
    ALL = sys.argv[4:] == ["all"]
    GENERATORS, NETWORK_GENERATORS, PLUGIN = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:4])
    unittest.main(argv=sys.argv[:1], verbosity=2)
