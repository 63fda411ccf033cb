"""Restricts a framework to an instruction set (../isas.json), before it is loaded: libraries read their environment once."""

import json
import os
import pathlib
import shutil

ISAS = json.loads((pathlib.Path(__file__).parents[1] / "isas.json").read_text())

WRAPPER = """#!/bin/sh
# Inductor compiles with -march=native, whatever the width of its vectors: the last -march counts.
exec {compiler} "$@" -march={march}
"""


def compiler_for(isa, cache):
    """A compiler that makes code for the instruction set alone; its name ends in g++, by which Inductor tells what it is."""
    compiler = shutil.which(os.environ.get("CXX") or "g++")
    if compiler is None:
        raise FileNotFoundError("torch.compile needs a C++ compiler, and there is no %s; install g++." % (os.environ.get("CXX") or "g++"))
    path = pathlib.Path(cache).resolve() / "g++"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(WRAPPER.format(compiler=compiler, march=ISAS[isa]["march"]))
    path.chmod(0o755)
    return path


def restrict(isa, cache):
    """Sets the environment that oneDNN, ATen, MKL, OpenBLAS, XLA and Inductor's compiler read. XLA_FLAGS of the caller's stay."""
    for variable, value in ISAS[isa]["environment"].items():
        if variable == "XLA_FLAGS":
            value = (os.environ.get(variable, "") + " " + value).strip()
        os.environ[variable] = value
    os.environ["CXX"] = str(compiler_for(isa, cache))


def restrict_inductor(isa):
    """The width of Inductor's vectors, and its -march where this PyTorch has that setting; after torch is loaded."""
    from torch._inductor import config

    config.cpp.simdlen = ISAS[isa]["vector_bits"]
    if hasattr(config.cpp, "march"):
        config.cpp.march = ISAS[isa]["march"]
