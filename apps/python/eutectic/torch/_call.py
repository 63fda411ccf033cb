"""A function of a pair, called with tensors as they lie in memory."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import torch

from eutectic._errors import Error
from eutectic._pair import Argument
from eutectic.torch._runtime import HOST_DIRTY, TYPES, Buffer, Dimension, runtime

# Halide's sizes and strides have 32 bits.
_LARGEST = 2**31 - 1

# Layouts that are kept a thread: more than a program has in turn, and less than memory to speak of.
_MOST_PREPARED = 64

_SCALARS: dict[str, Any] = {
    "bool": ctypes.c_bool,
    "int8": ctypes.c_int8, "int16": ctypes.c_int16, "int32": ctypes.c_int32, "int64": ctypes.c_int64,
    "uint8": ctypes.c_uint8, "uint16": ctypes.c_uint16, "uint32": ctypes.c_uint32, "uint64": ctypes.c_uint64,
    "float32": ctypes.c_float, "float64": ctypes.c_double,
}  # fmt: skip


def as_taken(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor itself where elements of its last dimension are neighbours, as kernels read them; otherwise a contiguous copy."""
    if tensor.dim() > 0 and tensor.stride(-1) != 1 and tensor.size(-1) > 1:
        return tensor.contiguous()
    return tensor


class Call:
    """The function `name` of a library, which takes `arguments`, of which it does not look at those called `unread`. `mins`: where Halide counts the dimensions of an argument from, outermost
    first; of others from 0."""

    def __init__(self, library: ctypes.CDLL, name: str, arguments: Sequence[Argument], unread: Collection[str] = ()):
        self.name = name
        self._arguments = tuple(a for a in arguments if a.name not in unread)
        self._places = [i for i, a in enumerate(arguments) if a.name not in unread]
        for a in self._arguments:
            if a.type not in TYPES or (a.dimensions is None and a.type not in _SCALARS):
                raise Error(f"The argument {a.name} of {name} is of the type {a.type}, which tensors do not have: compute with another one.")
        self._function = getattr(library, f"{name}_argv")
        self._function.restype = ctypes.c_int
        self._prepared = threading.local()

    def __call__(self, values: Mapping[str, Any], mins: Mapping[str, Sequence[int]]) -> None:
        """Tensors, those that are written to as well, and numbers by the arguments' names. Raises Error with what the kernel says."""
        given = [values[a.name] for a in self._arguments]
        key = tuple((v.shape, v.stride()) if isinstance(v, torch.Tensor) else v for v in given)
        known: dict[Any, _Words] | None = getattr(self._prepared, "known", None)
        if known is None or len(known) >= _MOST_PREPARED:
            known = self._prepared.known = {}
        words = known.get(key)
        if words is None:
            layouts = [(v.shape, v.stride()) if isinstance(v, torch.Tensor) else v for v in given]
            words = known[key] = _Words(self.name, self._arguments, self._places, layouts, mins)
        for buffer, value in zip(words.buffers, given):
            if buffer is not None:
                buffer.host = value.data_ptr() or words.somewhere  # a null host is a question about sizes
        self._run(words)

    def needed(self, shapes: Mapping[str, Any], mins: Mapping[str, Sequence[int]]) -> dict[str, list[tuple[int, int]]]:
        """What the function would read and write of each buffer, outermost dimension first as (first, size), if all had these shapes:
        Halide's answer to buffers without memory. Numbers are given as they are."""
        layouts: list[Any] = []
        for a in self._arguments:
            shape = shapes[a.name]
            layouts.append(shape if a.dimensions is None else (shape, _contiguous(shape)))
        words = _Words(self.name, self._arguments, self._places, layouts, mins)
        self._run(words)
        return {
            a.name: [(b.dim[d].min, b.dim[d].extent) for d in reversed(range(b.dimensions))]
            for a, b in zip(self._arguments, words.buffers)
            if b is not None
        }

    def _run(self, words: _Words) -> None:
        halide = runtime()
        halide.set_threads()
        if self._function(words.argv) != 0:
            raise Error(f"{self.name} failed: {halide.why()}")


def _contiguous(shape: Sequence[int]) -> list[int]:
    strides = [1] * len(shape)
    for d in reversed(range(len(shape) - 1)):
        strides[d] = strides[d + 1] * max(1, shape[d + 1])
    return strides


class _Words:
    """What the function is given, but for where the tensors are. `places`: of the arguments among all, the others of which are null."""

    def __init__(self, function: str, arguments: Sequence[Argument], places: Sequence[int], layouts: Sequence[Any], mins: Mapping[str, Sequence[int]]):
        self.buffers: list[Buffer | None] = []
        self._kept: list[Any] = [ctypes.c_int64(0)]
        self.somewhere = ctypes.addressof(self._kept[0])
        self.argv = (ctypes.c_void_p * (1 + max(places, default=0)))()
        for place, argument, layout in zip(places, arguments, layouts):
            value = _scalar(argument, layout) if argument.dimensions is None else _buffer(function, argument, layout, mins.get(argument.name))
            self.buffers.append(value if isinstance(value, Buffer) else None)
            self._kept.append(value)
            self.argv[place] = ctypes.addressof(value)


def _scalar(argument: Argument, value: Any) -> Any:
    return _SCALARS[argument.type](value)


def _buffer(function: str, argument: Argument, layout: tuple[Sequence[int], Sequence[int]], mins: Sequence[int] | None) -> Buffer:
    shape, strides = layout
    if any(n > _LARGEST for n in (*shape, *strides)):
        raise Error(f"The tensor {argument.name} of {function} has a dimension or a stride beyond {_LARGEST}, the most that a kernel counts to: split it.")
    begins = mins or [0] * len(shape)
    # A dimension of one element may have any stride in torch; Halide wants 1 of the innermost.
    steps = [1 if d == len(shape) - 1 else stride for d, stride in enumerate(strides)]
    dims = (Dimension * max(1, len(shape)))(*(Dimension(b, n, s, 0) for b, n, s in reversed(list(zip(begins, shape, steps)))))
    code, bits = TYPES[argument.type]
    return Buffer(0, None, None, HOST_DIRTY, code, bits, 1, len(shape), dims, None)
