"""The two functions of a pair on tensors: what they take is looked at, what they give is allocated."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from eutectic._errors import Error
from eutectic._library import check_library
from eutectic._pair import Argument, Pair, Size, sizes_of
from eutectic.torch._call import Call, as_taken
from eutectic.torch._link import link_functions

Shapes = Mapping[str, Callable[..., Sequence[Any]]]

# How ATen calls types in what it says.
_SCALAR_NAMES = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
    "float16": "Half", "bfloat16": "BFloat16", "float32": "Float", "float64": "Double",
    "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64",
}  # fmt: skip


def dtype_of(argument: Argument) -> torch.dtype:
    dtype: torch.dtype = getattr(torch, argument.type)
    return dtype


class Functions:
    """Forward and backward of `pair`, whose operation is called `operation` in what is said. `shapes` has, for an output whose sizes do not
    follow from the inputs', a function from the shapes of the inputs, by name, to its shape. Raises Error for what cannot be loaded."""

    def __init__(self, pair: Pair, operation: str, shapes: Shapes):
        self.pair, self.operation = pair, operation
        names = [f"{pair.name}_forward", f"{pair.name}_backward"]
        try:
            library = ctypes.CDLL(str(link_functions(pair.files, names)))
            self._forward = Call(library, names[0], [pair.arguments[n] for n in pair.forward])
            self._backward = Call(library, names[1], [pair.arguments[n] for n in pair.backward], pair.unread)
            check_library(pair, library)
        except (OSError, AttributeError) as error:
            raise Error(f"The code of {pair.name} cannot be loaded ({error}): build the pair of {pair.path} anew, for this machine.") from None
        self.tensors = [n for n in pair.inputs if self.is_tensor(n)]
        self.taken_by_backward = pair.takes_by_backward()
        texts = {o.name: o.sizes for o in pair.outputs} | {r.name: r.sizes for r in pair.residuals}
        self._sizes = {name: sizes_of(text) for name, text in texts.items()}
        self._mins = {r.name: sizes_of(r.mins) for r in pair.residuals}
        self._shapes = dict(shapes)
        self._fitting: set[Any] = set()
        for name in set(self._shapes) - {o.name for o in pair.outputs}:
            raise Error(f"A shape was given for {name}, which is no output of {pair.name}: it has {', '.join(o.name for o in pair.outputs)}.")

    def is_tensor(self, name: str) -> bool:
        """A number that has a gradient is a tensor of no dimensions; others are numbers."""
        return self.pair.arguments[name].dimensions is not None or name in self.pair.gradients

    def forward(self, *given: Any) -> tuple[torch.Tensor, ...]:
        """Outputs, then what is kept. Raises RuntimeError for inputs that are not as they should be."""
        known = self._known(given)
        made = self._made(known, torch.empty)
        self._check_fit(known)
        self._forward({**self._values(self.pair.inputs, given), **made}, self._begins(known))
        return tuple(made.values())

    def fake_forward(self, *given: Any) -> tuple[torch.Tensor, ...]:
        """Tensors of the same kind, without their values. Sizes may be symbols."""
        known = self._known(given)
        made = self._made(known, next(v for v in given if isinstance(v, torch.Tensor)).new_empty)
        if all(type(n) is int for name in self.tensors for n in known[name]):
            self._check_fit(known)
        return tuple(made.values())

    def backward(self, *given: Any) -> tuple[torch.Tensor, ...]:
        """Gradients, from what the backward takes, followed by the sizes of all tensors among the inputs."""
        made = self._gradients(given, torch.empty)
        values = self._values(self.taken_by_backward, given)
        shapes = {n: v.shape if isinstance(v, torch.Tensor) else v for n, v in values.items()}
        self._backward({**values, **{f"d_{n}": v for n, v in made.items()}}, self._begins({**shapes, **self._input_sizes(given)}))
        return tuple(made.values())

    def fake_backward(self, *given: Any) -> tuple[torch.Tensor, ...]:
        like = next(v for v in given if isinstance(v, torch.Tensor))
        return tuple(self._gradients(given, like.new_empty).values())

    def _input_sizes(self, given: Sequence[Any]) -> dict[str, Any]:
        return dict(zip(self.tensors, given[len(self.taken_by_backward) :]))

    def _gradients(self, given: Sequence[Any], empty: Callable[..., torch.Tensor]) -> dict[str, torch.Tensor]:
        sizes = self._input_sizes(given)
        return {n: empty(tuple(sizes[n]), dtype=dtype_of(self.pair.arguments[n])) for n in self.pair.gradients}

    def _values(self, names: Sequence[str], given: Sequence[Any]) -> dict[str, Any]:
        """What a function is called with."""
        values = dict(zip(names, given))
        for name, value in values.items():
            if isinstance(value, torch.Tensor):
                values[name] = value.item() if self.pair.arguments[name].dimensions is None else as_taken(value)
        return values

    def _known(self, given: Sequence[Any]) -> dict[str, Any]:
        """Shapes and numbers by name. What is wrong is said as ATen says it (TensorUtils.cpp)."""
        for number, (name, value) in enumerate(zip(self.pair.inputs, given), 1):
            if not isinstance(value, torch.Tensor):
                continue
            wanted = self.pair.arguments[name].dimensions or 0
            if value.dim() != wanted:
                raise RuntimeError(
                    f"Expected {wanted}-dimensional tensor, but got {value.dim()}-dimensional tensor for argument #{number} '{name}' {self._where()}"
                )
            dtype = dtype_of(self.pair.arguments[name])
            if value.dtype != dtype:
                scalar = _SCALAR_NAMES[self.pair.arguments[name].type]
                raise RuntimeError(
                    f"Expected tensor for argument #{number} '{name}' to have scalar type {scalar}; but got {value.type()} instead {self._where()}"
                )
        return {n: v.shape if isinstance(v, torch.Tensor) else v for n, v in zip(self.pair.inputs, given)}

    def _where(self) -> str:
        return f"(while checking arguments for {self.operation})"

    def _made(self, known: Mapping[str, Any], empty: Callable[..., torch.Tensor]) -> dict[str, torch.Tensor]:
        """What the forward writes, empty."""
        shapes = self._made_shapes(known)
        return {n: empty(shapes[n], dtype=dtype_of(self.pair.arguments[n])) for n in self._sizes}

    def _made_shapes(self, known: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
        known = dict(known)
        made: dict[str, tuple[Any, ...]] = {}
        for name, sizes in self._sizes.items():
            if name in self._shapes:
                made[name] = tuple(self._shapes[name](**{n: known[n] for n in self.pair.inputs}))
            else:
                made[name] = self._evaluated(name, sizes, known)
            known[name] = made[name]  # what is kept may have the sizes of an output
        return made

    def _begins(self, known: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
        """Where residuals begin."""
        return {n: tuple(self._evaluated(n, sizes, known)) for n, sizes in self._mins.items()}

    def _evaluated(self, name: str, sizes: Sequence[Size], known: Mapping[str, Any]) -> tuple[Any, ...]:
        values = tuple(size(known, torch.sym_min, torch.sym_max) for size in sizes)
        if None in values or len(values) != self.pair.arguments[name].dimensions:
            raise Error(
                f"The sizes of {name}, which {self.operation} gives, do not follow from its inputs: give them as operation(…, shapes={{{name!r}: lambda {', '.join(self.pair.inputs)}: (…)}}), a function of the inputs' shapes."
            )
        return values

    def _check_fit(self, known: Mapping[str, Any]) -> None:
        """Raises RuntimeError where an input is smaller than what is read of it, or has a size that the operation never asks for."""
        key = tuple(known.values())
        if key in self._fitting:
            return
        needed = self._needed(known)
        for number, name in enumerate(self.pair.inputs, 1):
            for d, (first, size) in enumerate(needed.get(name, [])):
                end, there = first + size, known[name][d]
                if size > 0 and (first < 0 or end > there or (end < there and self._read_the_same(known, name, d, end))):
                    raise RuntimeError(
                        f"Expected tensor to have size {end} at dimension {d}, but got size {there} for argument #{number} '{name}' {self._where()}"
                    )
        self._fitting.add(key)

    def _read_the_same(self, known: Mapping[str, Any], name: str, d: int, end: int) -> bool:
        """Is as much read of the input, however large it is? Then the rest is not what a window or a step leaves over, but a wrong size."""
        larger = list(known[name])
        larger[d] *= 2
        first, size = self._needed({**known, name: tuple(larger)})[name][d]
        return first + size == end

    def _needed(self, known: Mapping[str, Any]) -> dict[str, list[tuple[int, int]]]:
        numbers = {n: 0 for n in self.tensors if self.pair.arguments[n].dimensions is None}
        return self._forward.needed({**known, **self._made_shapes(known), **numbers}, self._begins({**known, **self._made_shapes(known)}))
