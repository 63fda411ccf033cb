#!/usr/bin/env python3
"""The schemas of what is written as JSON: they hold for reports of all kinds, describe every key, and without any one of their keys some report is refused."""

import copy
import json
import pathlib
import subprocess

from eutectic_command import GENERATORS, PLUGIN, Case, main
from jsonschema import Draft202012Validator

ROOT = pathlib.Path(__file__).parents[2]
TARGET = "x86-64-linux-avx-avx2-f16c-fma-sse41"
CPU = ("--target", TARGET, "--parallelism", 2)
GPU = ("--parallelism", 2, "--gpu", "a100", "--target")
STEP = {
    "nodes": {"net": {"generator": "mlp_loss", "params": {"batch": 16, "widths": "8,5"}, "gradient": ["w1"]},
              "adam": {"generator": "adam", "params": {"separate": True, "dims": 2, "n": 5, "rows": 8}}},
    "bind": {"adam.p": "net.w1", "adam.g": "net.d_w1", "adam.beta1": 0.9, "adam.beta2": 0.999, "adam.epsilon": 1e-8},
}  # fmt: skip


def schema(path):
    read = json.loads((ROOT / path).read_text())
    Draft202012Validator.check_schema(read)
    return read


def objects(node, path=""):
    """(path, schema) of each object that a schema describes."""
    if isinstance(node, dict):
        if "properties" in node:
            yield path, node
        for key, value in node.items():
            yield from objects(value, f"{path}/{key}")
    elif isinstance(node, list):
        for at, value in enumerate(node):
            yield from objects(value, f"{path}/{at}")


class Schemas(Case):
    def read(self, path):
        return json.loads((self.folder / path).read_text())

    def check(self, path, documents):
        """Every document is as `path` says, every key is described, and each is needed for some document."""
        whole = schema(path)
        for name, document in documents.items():
            for error in Draft202012Validator(whole).iter_errors(document):
                self.fail(f"{path} does not hold for {name}: {error.json_path}: {error.message}")
        for where, known in objects(whole):
            self.assertIs(known["additionalProperties"], False, where)
            self.assertLessEqual(set(known["required"]), set(known["properties"]), where)
            for key, value in known["properties"].items():
                self.assertRegex(value.get("description", ""), r"^\S.*[.]$", f"{path}: {where}/{key}")
                with_others = copy.deepcopy(whole)
                del dict(objects(with_others))[where]["properties"][key]
                refused = any(not Draft202012Validator(with_others).is_valid(document) for document in documents.values())
                self.assertTrue(refused, f"no report here has {where}/{key} of {path}")

    def test_reports(self):
        dense, small = (GENERATORS, "-g", "dense", "m=32", "k=48", "n=64"), ("batch=16", "widths=8,12,5")
        (self.folder / "step.json").write_text(json.dumps(STEP))
        documents = {
            "a product": self.report(*dense, *CPU),
            "one processor": self.report(*dense, *CPU, "--machine", "zen3"),
            "strict": self.report(*dense, *CPU, "--numerics", "strict"),
            "nan_safe": self.report(GENERATORS, "-g", "softmax", *CPU, "--numerics", "nan_safe"),
            "cuda": self.report(*dense, *GPU, "x86-64-linux-cuda-cuda_capability_80"),
            "opencl": self.report(GENERATORS, "-g", "sum_exp", *GPU, "x86-64-linux-opencl"),
            "a library": self.report(*dense, *CPU, "--library", "eigen"),
            "an arena": self.report(*dense, *CPU, "--arena"),
            "packed": self.report(*dense, *CPU, "--packed", "w"),
            "a batch": self.report(*dense, *CPU, "--batch", 4, "--over", "x"),
            "a graph": self.report(GENERATORS, "--graph", "step.json", *CPU),
            "a scatter": self.report(GENERATORS, "-g", "scatter_add", *CPU),
            "a scan": self.report(GENERATORS, "-g", "recursive_blur", *CPU),
            "windows": self.report(GENERATORS, "-g", "max_pool", *CPU),
            "both passes": self.report(GENERATORS, "-g", "mlp_loss_gradient", *small, *CPU),
        }
        subprocess.run([GENERATORS, "-g", "dense_forward", "-n", "dense", "-o", ".", "-e", "schedule", "-p", PLUGIN, f"target={TARGET}", "autoscheduler=Eutectic",
                        "autoscheduler.parallelism=2", "autoscheduler.report=plugin.json"], check=True, cwd=self.folder)
        documents["the plugin"] = self.read("plugin.json")
        self.done("compile", *dense, *CPU, "-o", "k")
        documents["compile"] = self.read("k/dense.report.json")
        pair = json.loads(self.done("grad", GENERATORS, "-g", "mlp_loss", *small, *CPU, "--wrt", "w1,b1,w2,b2", "-o", "k", "--json"))
        for function in ("forward", "backward"):
            documents[function] = self.read(f"k/mlp_loss_{function}.report.json")
            self.assertIn("residuals", documents[function])
        self.check("src/report/report.schema.json", documents)
        scalar = json.loads(self.done("grad", GENERATORS, "-g", "adam", "n=32", *CPU, "-o", "k", "--json"))
        self.check("autodiff/contract/pair.schema.json", {"grad --json": pair, "with scalars": scalar, "the file": self.read("k/mlp_loss.report.json")})

    def test_several_targets(self):
        how = (GENERATORS, "-g", "softmax", "--targets", f"{TARGET},x86-64-linux-opencl", "--parallelism", 2, "--json")
        self.check("src/report/targets.schema.json", {"softmax": json.loads(self.done("explain", *how))})


if __name__ == "__main__":
    main()
