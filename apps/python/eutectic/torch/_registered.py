"""A pair that C++ registers with torch: calls take a fourth of the time of those that Python registers."""

from __future__ import annotations

import concurrent.futures
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import torch
from torch._inductor.runtime.cache_dir_utils import cache_dir

from eutectic._errors import Error
from eutectic._install import command, sources_for_torch
from eutectic._pair import Pair
from eutectic.torch._link import runtime_archive

_COMMON = ("call", "operation", "register", "size")
_THREADS = Path(__file__).with_name("threads.c")


def register_compiled(pair: Pair, name: str) -> None:
    """Compiles, keeps and loads the library that registers the pair as eutectic::NAME. Raises Error where that cannot be."""
    source = _source(pair, name)
    common, archive = _common(), runtime_archive()
    made_of = hashlib.sha256(f"{common} {archive} {source}".encode())
    for file in pair.files:
        made_of.update(file.read_bytes())
    library = _folder(f"registered_{made_of.hexdigest()[:32]}") / f"lib{name}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=library.parent) as scratch:
            text, made = Path(scratch) / "pair.cpp", Path(scratch) / library.name
            text.write_text(source, encoding="utf-8")
            files = [str(f) for f in (common, *pair.files, archive)]
            # A runtime of its own, which must not be taken for another's.
            own = ["-Wl,-Bsymbolic", "-Wl,--exclude-libs,ALL", "-Wl,-z,defs"]
            lib = Path(torch.__path__[0]) / "lib"
            _run([_compiler(), *_flags(), "-O1", "-shared", str(text), *files, *own, f"-L{lib}", f"-Wl,-rpath,{lib}", "-ltorch_cpu", "-lc10", "-ldl", "-lpthread", "-lm", "-o", str(made)], f"what registers {pair.name}")
            made.replace(library)
    torch.ops.load_library(library)


def _source(pair: Pair, name: str) -> str:
    done = subprocess.run([str(command()), "torch", str(pair.path), "--name", name], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Error(done.stderr.strip().removeprefix("eutectic: "))
    return done.stdout


def _folder(name: str) -> Path:
    folder = Path(cache_dir()) / "eutectic" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _common() -> Path:
    """What all such libraries have in common, compiled once for each version of torch."""
    sources = sources_for_torch()
    made_of = hashlib.sha256(f"{torch.__version__} {torch.__path__[0]} {_compiler()}".encode())
    files = [*(sources / f"{part}.cpp" for part in _COMMON), _THREADS]
    for file in (*sorted(sources.glob("*.h")), *files):
        made_of.update(file.read_bytes())
    archive = _folder(f"pytorch_{made_of.hexdigest()[:32]}") / "libeutectic_pytorch.a"
    if archive.exists():
        return archive
    print(f"eutectic: compiling what operations have in common, once for torch {torch.__version__}", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=archive.parent) as scratch:
        objects = [str(Path(scratch) / f"{file.stem}.o") for file in files]
        flags = [*_flags(), "-O2", "-fvisibility=hidden", f"-I{sources.parent}"]
        with concurrent.futures.ThreadPoolExecutor() as pool:  # of processes
            words = ([_compiler(), *flags, "-x", "c++", "-c", str(f), "-o", o] for f, o in zip(files, objects))
            list(pool.map(lambda w: _run(w, "what operations have in common"), words))
        made = Path(scratch) / archive.name
        _run(["ar", "crs", str(made), *objects], "what operations have in common")
        made.replace(archive)
    return archive


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
