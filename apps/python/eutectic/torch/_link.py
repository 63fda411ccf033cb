"""Shared libraries: of a kernel, and of Halide's runtime, which all kernels of a process share."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from torch._inductor.runtime.cache_dir_utils import cache_dir

from eutectic import _install
from eutectic._errors import Error


def link_kernel(library: Path, kernel: Path, products: str | None = None) -> None:
    """A library of the object file `kernel`, on the runtime, and on the library of `products` where that is not None."""
    called = [] if products is None else [str(library_of_products(products)), f"-Wl,-rpath,{library_of_products(products).parent}"]
    _link(library, [str(kernel), *called, *_on_runtime(), "-lm"])


@functools.cache
def library_of_products(name: str) -> Path:
    """What kernels call for the library of that name, as a shared library, kept by content. Raises Error where it was not there when Eutectic was built."""
    archives = _install.library_of_products(name)
    made_of = hashlib.sha256(str(runtime()).encode())
    for archive in archives:
        made_of.update(archive.read_bytes())
    library = Path(cache_dir()) / "eutectic" / f"products_{made_of.hexdigest()[:32]}" / f"libeutectic_products_{name}.so"
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=library.parent) as folder:
            made = Path(folder) / library.name
            whole = ["-Wl,--whole-archive", *map(str, archives), "-Wl,--no-whole-archive"]
            _link(made, [*whole, *_CALLS[name], *_on_runtime(), "-lstdc++", "-lpthread", "-lm", f"-Wl,-soname,{library.name}"])
            made.replace(library)
    return library


# torch's OpenMP library has the name of the one that oneDNN was linked with, so that a process has one.
_CALLS = {"eigen": [], "openblas": ["-lopenblas"], "onednn": ["-ldnnl", "-lgomp"]}


def link_functions(files: Sequence[Path], functions: Sequence[str]) -> Path:
    """A library, kept by content, with these functions of static libraries, on the runtime, of which they may have one of their own."""
    made_of = hashlib.sha256(str(runtime()).encode())
    for file in files:
        made_of.update(file.read_bytes())
    library = Path(cache_dir()) / "eutectic" / f"functions_{made_of.hexdigest()[:32]}" / f"lib{functions[0]}.so"
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=library.parent) as folder:
            made = Path(folder) / library.name
            wanted = [f"-Wl,-u,{name}" for name in functions]
            # The runtime comes first, so that what it defines is not looked for in the files.
            _link(made, [*wanted, "-Wl,--no-as-needed", *_on_runtime(), *map(str, files), "-lm", "-ldl", "-lpthread", "-Wl,-z,defs"])
            made.replace(library)
    return library


def _on_runtime() -> list[str]:
    return [str(runtime()), f"-Wl,-rpath,{runtime().parent}"]


@functools.cache
def runtime_archive() -> Path:
    """Halide's runtime for this machine as a static library; made once for each version of Halide."""
    import halide as hl

    target = str(hl.get_host_target())
    made_of = hashlib.sha256(f"{target} {os.path.getmtime(hl.__file__)}".encode()).hexdigest()[:16]
    archive = Path(cache_dir()) / "eutectic" / f"halide_{made_of}" / "runtime.a"
    if not archive.exists():
        archive.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
            made = Path(folder) / archive.name
            hl.compile_standalone_runtime(str(made), hl.Target(target))
            made.replace(archive)
    return archive


@functools.cache
def runtime() -> Path:
    """The library with that runtime, whose parallel loops are those of threads.c."""
    archive, threads = runtime_archive(), Path(__file__).with_name("threads.c")
    made_of = hashlib.sha256(f"{archive.parent.name} {threads.read_text(encoding='utf-8')}".encode()).hexdigest()[:16]
    library = Path(cache_dir()) / "eutectic" / f"runtime_{made_of}" / "libeutectic_runtime.so"
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=library.parent) as folder:
            made = Path(folder) / library.name
            whole = ["-Wl,--whole-archive", str(archive), "-Wl,--no-whole-archive"]
            _link(made, ["-std=c11", "-O2", "-fPIC", str(threads), *whole, f"-Wl,-soname,{library.name}", "-ldl", "-lpthread", "-lm"])
            made.replace(library)
    return library


def _link(library: Path, words: Sequence[str]) -> None:
    compiler = os.environ.get("CC", "cc")
    try:
        done = subprocess.run([compiler, "-shared", "-o", str(library), *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Error(f"There is no C compiler {compiler} to link kernels with: install gcc, or name one in CC.") from None
    missing = sorted(set(re.findall(r"undefined (?:reference to|symbol:) [`']?(\w+)", done.stderr)))
    if done.returncode != 0 and missing:
        raise Error(f"{library.name} needs {', '.join(missing)}, which its files do not have: compile it without calls of libraries, or add the file that has them to the key files of its report.")
    if done.returncode != 0:
        raise Error(f"{compiler} cannot link {library.name} ({done.stderr.strip()}): name another C compiler in CC.")
