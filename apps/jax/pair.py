"""A pair that was compiled ahead of time as a function of JAX, from its report: two calls of XLA's foreign function interface, and the rule that
joins them."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import halide
import jax
import jax.numpy as jnp
import numpy as np

import eutectic
from eutectic._library import check_library
from eutectic._pair import Pair, sizes_of

_HANDLER = Path(__file__).with_name("handler.cpp")


def operation(report: str | Path) -> Callable[..., Any]:
    """The function of the pair whose NAME.report.json this is, on CPUs, differentiable once by the inputs that the pair has gradients of.

        layer = operation("kernels/layer.report.json")
        gradient = jax.jit(jax.grad(lambda w: layer(x, w, b).sum()))

    It takes the inputs in their order, arrays of the types that the pair was compiled for and numbers, and returns the output or a tuple of
    them. Sizes are those of the arrays at hand when JAX traces it. Raises eutectic.Error for what is no pair, cannot be linked, or does not
    take such inputs."""
    pair = Pair.read(report)
    library = ctypes.CDLL(str(_linked(pair)))
    check_library(pair, library)
    for direction in ("forward", "backward"):
        symbol = getattr(library, f"eutectic_{direction}")
        jax.ffi.register_ffi_target(_target(pair, direction), jax.ffi.pycapsule(symbol), platform="cpu")
    return _differentiable(pair)


def _target(pair: Pair, direction: str) -> str:
    return f"eutectic_{pair.name}_{direction}"


def _linked(pair: Pair) -> Path:
    """A library of the pair and its handlers, kept beside the report while it is newer than all of them."""
    library = pair.path.parent / f"lib{pair.name}_jax.so"
    if library.exists() and all(f.stat().st_mtime < library.stat().st_mtime for f in (*pair.files, pair.path, _HANDLER)):
        return library
    functions = {direction: f"{pair.name}_{direction}_argv" for direction in ("forward", "backward")}
    compiler = os.environ.get("CXX", "c++")
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        made = Path(folder) / library.name
        words = [compiler, "-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-o", str(made), str(_HANDLER)]
        words += [f"-DEUTECTIC_{direction.upper()}={name}" for direction, name in functions.items()]
        words += [f"-I{jax.ffi.include_dir()}", f"-I{Path(halide.__file__).parent / 'include'}"]
        words += [str(f) for f in pair.files] + ["-Wl,-Bsymbolic", "-ldl", "-lpthread", "-lm"]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise eutectic.Error(f"There is no C++ compiler {compiler} for the handlers of {pair.name}: install g++, or name one in CXX.") from None
        if done.returncode != 0:
            raise eutectic.Error(f"{compiler} cannot link the handlers of {pair.name} ({done.stderr.strip()[-500:]}): name another C++ compiler in CXX.")
        made.replace(library)
    return library


def _differentiable(pair: Pair) -> Callable[..., Any]:
    outputs = [o.name for o in pair.outputs]
    made = [*outputs, *(r.name for r in pair.residuals)]
    differentiated = {o.name for o in pair.outputs if o.differentiated}
    read_back = pair.takes_by_backward()

    def run(inputs: Sequence[Any]) -> dict[str, Any]:
        values = {n: _as_taken(pair, n, v) for n, v in zip(pair.inputs, inputs)}
        shapes = _made_shapes(pair, {n: _known(pair, n, v, g) for (n, v), g in zip(values.items(), inputs)})
        types = [jax.ShapeDtypeStruct(shapes[n], pair.arguments[n].type) for n in made]
        return {**values, **dict(zip(made, _call(pair, "forward", values, types, made, pair.forward, shapes)))}

    def returned(values: dict[str, Any]) -> Any:
        return values[outputs[0]] if len(outputs) == 1 else tuple(values[n] for n in outputs)

    @jax.custom_vjp
    def function(*inputs: Any) -> Any:
        return returned(run(_counted(pair, inputs)))

    def forward(*inputs: Any) -> tuple[Any, Any]:
        values = run(_counted(pair, inputs))
        kept = {n: values[n] for n in read_back if n in values}
        return returned(values), (kept, {n: jnp.asarray(v) for n, v in zip(pair.inputs, inputs)})

    def backward(saved: Any, upstream: Any) -> tuple[Any, ...]:
        kept, inputs = saved
        given = dict(zip(outputs, (upstream,) if len(outputs) == 1 else upstream))
        values = {**kept, **{f"d_{n}": d.astype(pair.arguments[f"d_{n}"].type) for n, d in given.items() if n in differentiated}}
        names = [f"d_{n}" for n in pair.gradients]
        types = [jax.ShapeDtypeStruct(inputs[n].shape, pair.arguments[n].type) for n in pair.gradients]
        shapes = _made_shapes(pair, {n: _known(pair, n, v, v) for n, v in inputs.items()})
        got = dict(zip(pair.gradients, _call(pair, "backward", {n: values[n] for n in read_back}, types, names, pair.backward, shapes)))
        return tuple(got[n] if n in got else _nothing(inputs[n]) for n in pair.inputs)  # dicts come back sorted

    function.defvjp(forward, backward)
    function.__name__ = pair.name
    return function


def _counted(pair: Pair, inputs: Sequence[Any]) -> Sequence[Any]:
    if len(inputs) != len(pair.inputs):
        raise eutectic.Error(f"{pair.name} takes {', '.join(pair.inputs)}, and was given {len(inputs)} inputs: give it {len(pair.inputs)}.")
    return inputs


def _as_taken(pair: Pair, name: str, value: Any) -> Any:
    argument = pair.arguments[name]
    array = jnp.asarray(value, argument.type) if argument.dimensions is None else jnp.asarray(value)
    if array.ndim != (argument.dimensions or 0) or array.dtype.name != argument.type:
        raise eutectic.Error(
            f"The input {name} of {pair.name} was given as {array.dtype.name} of {array.ndim} dimensions: give an array of {argument.type} of {argument.dimensions or 0}."
            + (" JAX has 64 bits with jax_enable_x64." if argument.type.endswith("64") else "")
        )
    return array


def _known(pair: Pair, name: str, value: Any, given: Any) -> Any:
    """What sizes of outputs may follow from: a shape, or a number, where that is known while JAX traces."""
    return value.shape if pair.arguments[name].dimensions is not None else given


def _made_shapes(pair: Pair, known: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Of inputs, outputs and what is kept."""
    for of in (*pair.outputs, *pair.residuals):
        sizes = tuple(size(known) for size in sizes_of(of.sizes))
        if None in sizes:
            raise eutectic.Error(f"The sizes of {of.name}, which {pair.name} gives, do not follow from its inputs: write a pipeline whose outputs have sizes of its inputs.")
        known[of.name] = sizes
    return known


def _call(pair: Pair, direction: str, values: dict[str, Any], types: list[Any], made: list[str], order: Sequence[str], shapes: dict[str, Any]) -> Any:
    names = [*values, *made]
    begins = {r.name: [size(shapes) for size in sizes_of(r.mins)] for r in pair.residuals}
    places, mins = [], []
    for name in order:
        if name not in names:  # the function does not look at it
            places.append(len(names))
            continue
        dimensions = pair.arguments[name].dimensions
        places.append(names.index(name) if dimensions is not None else -1 - names.index(name))
        mins += begins.get(name, [0] * (dimensions or 0))
    run = jax.ffi.ffi_call(_target(pair, direction), types, vmap_method="sequential")
    return run(*values.values(), places=np.array(places, np.int64), mins=np.array(mins, np.int64))


def _nothing(value: Any) -> Any:
    """The gradient by an input that the pair has none of."""
    if jnp.issubdtype(value.dtype, jnp.floating):
        return jnp.zeros_like(value)
    return np.zeros(value.shape, jax.dtypes.float0)
