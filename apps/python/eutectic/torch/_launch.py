"""Calling a kernel of torch.compile with tensors: Halide's buffers, made once for each thread where sizes are fixed."""

from __future__ import annotations

import contextlib
import ctypes
import math
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from eutectic._errors import Error
from eutectic.torch._runtime import HOST_DIRTY, TYPES, Buffer, Dimension, runtime


class Argument(NamedTuple):
    """A buffer, with sizes, strides and offset in elements as expressions of scalar arguments, innermost first; or, without a dtype, a
    scalar. `alias_of`: the argument whose memory it is another view of, or empty."""

    name: str
    alias_of: str
    dtype: str
    sizes: tuple[str, ...]
    strides: tuple[str, ...]
    offset: str


now = time.perf_counter
_times: dict[Function, float] | None = None


@contextlib.contextmanager
def timed() -> Iterator[dict[Function, float]]:
    """The fastest call of each kernel that is called inside, in the order of the first ones."""
    global _times
    _times = {}
    try:
        yield _times
    finally:
        _times = None


class Function:
    """A kernel. Called with tensors and numbers in the order of its arguments, those left out that are views of others."""

    def __init__(self, library: Path, arguments: Sequence[Argument], operations: tuple[str, ...]):
        self.folder, self.operations = library.parent, operations
        self._runtime = runtime()
        self._library = ctypes.CDLL(str(library))
        self._function = self._library.eutectic_kernel
        self._function.restype = ctypes.c_int
        self._arguments = list(arguments)
        self._scalars = [a.name for a in arguments if not a.dtype]
        self._given = [a.name for a in arguments if not a.alias_of]
        self._tensor_of = [self._given.index(a.alias_of or a.name) for a in arguments]
        self._sizes = compile(_expression(arguments), str(library), "eval")
        self._bytes = [torch.empty((), dtype=getattr(torch, a.dtype)).element_size() if a.dtype else 0 for a in arguments]
        self._prepared: dict[int, _Prepared] = {}

    def __call__(self, *given: Any) -> None:
        prepared = self._prepared.get(threading.get_ident())
        if prepared is None or self._scalars:
            prepared = self._prepared[threading.get_ident()] = self._prepare(given)
        for buffer, argument, offset in prepared.buffers:
            buffer.host = given[argument].data_ptr() + offset
        self._runtime.set_threads()
        begun = now() if _times is not None else 0.0
        failed = self._function(*prepared.words) != 0
        if _times is not None:
            _times[self] = min(_times.get(self, math.inf), now() - begun)
        if failed:
            raise Error(f"A kernel of {self._library._name} failed: {self._runtime.why()}")

    def _prepare(self, given: Sequence[Any]) -> _Prepared:
        scalars = {name: int(given[self._given.index(name)]) for name in self._scalars}
        return _Prepared(self._arguments, self._tensor_of, eval(self._sizes, {**scalars, "max": max, "min": min}), self._bytes, scalars)


def _expression(arguments: Sequence[Argument]) -> str:
    """One that gives (sizes, strides, offset) of each buffer."""
    parts = []
    for a in arguments:
        sizes, strides = ("(" + "".join(f"{e}, " for e in of) + ")" for of in (a.sizes, a.strides))
        parts.append(f"({sizes}, {strides}, {a.offset or 0})")
    return "(" + "".join(part + ", " for part in parts) + ")"


class _Prepared:
    """What the compiled function is given, but for where the tensors are."""

    def __init__(self, arguments: Sequence[Argument], tensor_of: Sequence[int], shapes: Any, sizes: Sequence[int], scalars: dict[str, int]):
        self.buffers: list[tuple[Buffer, int, int]] = []
        self.words: list[Any] = []
        self._kept: list[Any] = []
        for argument, tensor, (extents, strides, offset), size in zip(arguments, tensor_of, shapes, sizes):
            if not argument.dtype:
                self.words.append(ctypes.c_int64(scalars[argument.name]))
                continue
            dims = (Dimension * max(1, len(extents)))(*(Dimension(0, e, s, 0) for e, s in zip(extents, strides)))
            code, bits = TYPES[argument.dtype]
            buffer = Buffer(0, None, None, HOST_DIRTY, code, bits, 1, len(extents), dims, None)
            self._kept.append(dims)
            self.buffers.append((buffer, tensor, offset * size))
            self.words.append(ctypes.byref(buffer))
