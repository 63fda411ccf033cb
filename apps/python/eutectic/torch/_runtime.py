"""Halide's runtime and its buffers, from Python: what every call of a kernel needs."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import threading
from pathlib import Path
from typing import Any

import torch

from eutectic.torch import _link

# halide_type_code_t and bits of halide_type_t, HalideRuntime.h.
TYPES = {
    "bool": (1, 1),
    "uint8": (1, 8), "uint16": (1, 16), "uint32": (1, 32), "uint64": (1, 64),
    "int8": (0, 8), "int16": (0, 16), "int32": (0, 32), "int64": (0, 64),
    "float16": (2, 16), "float32": (2, 32), "float64": (2, 64), "bfloat16": (4, 16),
}  # fmt: skip
HOST_DIRTY = 1


class Dimension(ctypes.Structure):
    _fields_ = [("min", ctypes.c_int32), ("extent", ctypes.c_int32), ("stride", ctypes.c_int32), ("flags", ctypes.c_uint32)]


class Buffer(ctypes.Structure):
    _fields_ = [
        ("device", ctypes.c_uint64),
        ("device_interface", ctypes.c_void_p),
        ("host", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("dimensions", ctypes.c_int32),
        ("dim", ctypes.POINTER(Dimension)),
        ("padding", ctypes.c_void_p),
    ]


def _openmp() -> ctypes.c_void_p | None:
    """GOMP_parallel of the OpenMP library that torch has loaded: another one would have other threads."""
    try:
        loaded = {line.split(maxsplit=5)[-1].strip() for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()}
    except OSError:
        return None
    for path in sorted(p for p in loaded if Path(p).name.startswith(("libgomp", "libiomp5", "libomp"))):
        with contextlib.suppress(OSError, AttributeError):
            return ctypes.cast(ctypes.CDLL(path).GOMP_parallel, ctypes.c_void_p)
    return None


class Runtime:
    """Halide's runtime, one for all kernels of the process, on the threads of torch's OpenMP; where torch has none, on a pool of its own."""

    def __init__(self, path: Path):
        self.library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        self.said = threading.local()
        self._latest = "it did not say why"  # what fails in a thread of Halide's own is said there
        self.threads = 0
        handler_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
        self._handler = handler_type(self._error)  # kept as long as it may be called
        self.library.halide_set_error_handler(self._handler)
        openmp = _openmp()
        if openmp is not None:
            self.library.eutectic_use_openmp(openmp)

    def _error(self, _context: Any, message: bytes) -> None:
        self.said.message = self._latest = message.decode(errors="replace").strip()

    def why(self) -> str:
        """What the last call of this thread that failed said."""
        return getattr(self.said, "message", self._latest)

    def set_threads(self) -> None:
        """As many as torch has."""
        threads = torch.get_num_threads()
        if threads != self.threads:
            self.library.halide_set_num_threads(threads)
            self.library.eutectic_set_threads(threads)
            self.threads = threads


@functools.cache
def runtime() -> Runtime:
    return Runtime(_link.runtime())
