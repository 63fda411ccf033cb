"""Shared libraries: of a kernel, and of Halide's runtime, which all kernels of a process share."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from torch._inductor.runtime.cache_dir_utils import cache_dir

from eutectic import _install
from eutectic._errors import Error


THREADS = Path(__file__).with_name("threads.c")


def kept(folder: str, name: str, make: Callable[[Path], None]) -> Path:
    """The file `name` in that folder of the cache: where it is not there yet, `make` writes it to the place that it is given, and it appears whole or not at all."""
    file = Path(cache_dir()) / "eutectic" / folder / name
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=file.parent) as scratch:
            made = Path(scratch) / name
            make(made)
            made.replace(file)
    return file


def content_key(files: Iterable[Path], *texts: str) -> str:
    """Of what is made of these files, and depends on these texts."""
    content = hashlib.sha256("\0".join(texts).encode())
    for file in files:
        content.update(file.read_bytes())
    return content.hexdigest()[:32]


def link_kernel(library: Path, kernel: Path, products: str | None = None) -> None:
    """A library of the object file `kernel`, on the runtime, and on the library of `products` where that is not None."""
    called = [] if products is None else [str(library_of_products(products)), f"-Wl,-rpath,{library_of_products(products).parent}"]
    _link(library, [str(kernel), *called, *_on_runtime(), "-lm"])


# torch's OpenMP library has the name of the one that oneDNN was linked with, so that a process has one.
_CALLS = {"eigen": [], "openblas": ["-lopenblas"], "onednn": ["-ldnnl", "-lgomp"]}


@functools.cache
def library_of_products(name: str) -> Path:
    """What kernels call for the library of that name, as a shared library. Raises Error where it was not there when Eutectic was built."""
    archives = _install.library_of_products(name)
    whole = ["-Wl,--whole-archive", *map(str, archives), "-Wl,--no-whole-archive"]

    def make(library: Path) -> None:
        _link(library, [*whole, *_CALLS[name], *_on_runtime(), "-lstdc++", "-lpthread", "-lm", f"-Wl,-soname,{library.name}"])

    return kept(f"products_{content_key(archives, str(runtime()))}", f"libeutectic_products_{name}.so", make)


def link_functions(files: Sequence[Path], functions: Sequence[str]) -> Path:
    """A library, kept by content, with these functions of static libraries, on the runtime, of which they may have one of their own."""
    wanted = [f"-Wl,-u,{name}" for name in functions]

    def make(library: Path) -> None:
        # The runtime comes first, so that what it defines is not looked for in the files.
        _link(library, [*wanted, "-Wl,--no-as-needed", *_on_runtime(), *map(str, files), "-lm", "-ldl", "-lpthread", "-Wl,-z,defs"])

    return kept(f"functions_{content_key(files, str(runtime()))}", f"lib{functions[0]}.so", make)


def _on_runtime() -> list[str]:
    return [str(runtime()), f"-Wl,-rpath,{runtime().parent}"]


@functools.cache
def runtime_archive() -> Path:
    """Halide's runtime for this machine as a static library; made once for each version of Halide."""
    import halide as hl

    target = str(hl.get_host_target())
    key = content_key([], target, str(os.path.getmtime(hl.__file__)))
    return kept(f"halide_{key}", "runtime.a", lambda archive: hl.compile_standalone_runtime(str(archive), hl.Target(target)))


@functools.cache
def runtime() -> Path:
    """The library with that runtime, whose parallel loops are those of threads.c."""
    archive = runtime_archive()
    whole = ["-Wl,--whole-archive", str(archive), "-Wl,--no-whole-archive"]

    def make(library: Path) -> None:
        _link(library, ["-std=c11", "-O2", "-fPIC", str(THREADS), *whole, f"-Wl,-soname,{library.name}", "-ldl", "-lpthread", "-lm"])

    return kept(f"runtime_{content_key([THREADS], archive.parent.name)}", "libeutectic_runtime.so", make)


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
