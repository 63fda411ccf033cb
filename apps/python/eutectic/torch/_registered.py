"""A pair that C++ registers with torch: calls take a fourth of the time of those that Python registers."""

from __future__ import annotations

import concurrent.futures
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from eutectic._errors import Error
from eutectic._install import command, sources_for_torch
from eutectic._pair import Pair
from eutectic.torch._link import THREADS, content_key, kept, runtime_archive

_WHAT_ALL_HAVE = "what operations have in common"


def register_compiled(pair: Pair, name: str) -> None:
    """Compiles, keeps and loads the library that registers the pair as eutectic::NAME. Raises Error where that cannot be."""
    source = _source(pair, name)
    archives = [_common(), *pair.files, runtime_archive()]
    # A runtime of its own, which must not be taken for another's.
    own = ["-Wl,-Bsymbolic", "-Wl,--exclude-libs,ALL", "-Wl,-z,defs"]
    torch_library = Path(torch.__path__[0]) / "lib"
    on_torch = [f"-L{torch_library}", f"-Wl,-rpath,{torch_library}", "-ltorch_cpu", "-lc10", "-ldl", "-lpthread", "-lm"]

    def make(library: Path) -> None:
        text = library.with_name("pair.cpp")
        text.write_text(source, encoding="utf-8")
        _run([_compiler(), *_flags(), "-O1", "-shared", str(text), *map(str, archives), *own, *on_torch, "-o", str(library)], f"what registers {pair.name}")

    torch.ops.load_library(kept(f"registered_{content_key(archives, source)}", f"lib{name}.so", make))


def _source(pair: Pair, name: str) -> str:
    done = subprocess.run([str(command()), "torch", str(pair.path), "--name", name], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Error(done.stderr.strip().removeprefix("eutectic: "))
    return done.stdout


def _common() -> Path:
    """What all such libraries have in common, compiled once for each version of torch."""
    sources = sources_for_torch()
    files = [*sorted(sources.glob("*.cpp")), THREADS]

    def make(archive: Path) -> None:
        print(f"eutectic: compiling {_WHAT_ALL_HAVE}, once for torch {torch.__version__}", file=sys.stderr)
        objects = [str(archive.with_name(f"{file.stem}.o")) for file in files]
        flags = [*_flags(), "-O2", "-fvisibility=hidden", "-x", "c++", "-c"]
        with concurrent.futures.ThreadPoolExecutor() as pool:  # of processes
            words = ([_compiler(), *flags, str(f), "-o", o] for f, o in zip(files, objects))
            list(pool.map(lambda w: _run(w, _WHAT_ALL_HAVE), words))
        _run(["ar", "crs", str(archive), *objects], _WHAT_ALL_HAVE)

    shared = sources.parent / "pair" / "library_arguments.h"
    key = content_key([*sorted(sources.glob("*.h")), shared, *files], torch.__version__, torch.__path__[0], _compiler())
    return kept(f"pytorch_{key}", "libeutectic_pytorch.a", make)


def _compiler() -> str:
    return os.environ.get("CXX", "c++")


def _flags() -> list[str]:
    import halide as hl

    include = Path(torch.__path__[0]) / "include"
    paths = [include, include / "torch" / "csrc" / "api" / "include", Path(hl.__file__).parent / "include"]
    return ["-std=c++20", "-fPIC", f"-I{sources_for_torch().parent}", *(f"-isystem{p}" for p in paths)]


def _run(words: Sequence[str], what: str) -> None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Error(f"There is no {words[0]} to compile {what} with: install g++, name a C++ compiler in CXX, or leave compiled=True out.") from None
    if done.returncode != 0:
        said = done.stderr.splitlines() or [f"it ended with {done.returncode}"]
        lines = [line for line in said if "error" in line or "undefined" in line] or said
        raise Error(f"{words[0]} cannot compile {what} ({lines[0].strip()}): name another C++ compiler in CXX, or leave compiled=True out.")
