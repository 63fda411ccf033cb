"""A pair as an operation of PyTorch: eutectic::NAME, made of its report."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from eutectic._errors import Error
from eutectic._pair import Pair
from eutectic.torch._functions import Functions, Shapes, dtype_of
from eutectic.torch._registered import register_compiled

_NAMESPACE = "eutectic"

_lock = threading.Lock()
_known: dict[str, tuple[bytes, Operation]] = {}  # by name, with what it was made of: what is registered stays so


class Operation:
    """Called with the inputs of a pair, in their order or by name: tensors, and numbers where the pair takes scalars that have no gradient.
    Returns its output, or a tuple of them. `pair` is what the report says, `op` what is registered with torch."""

    def __init__(self, pair: Pair, name: str):
        self.pair = pair
        self.name = name
        self.op = _registered(name)

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        return self.op(*inputs, **named)

    def __repr__(self) -> str:
        return f"<eutectic.torch.Operation {self.op._schema}>"


def operation(report: str | Path, *, name: str | None = None, shapes: Shapes | None = None, compiled: bool = False) -> Operation:
    """The operation eutectic::NAME of the pair whose report this is (NAME.report.json, beside the code): differentiable by the inputs
    that the pair has gradients of, with shapes for torch.compile, on tensors where they are.

        layer = eutectic.torch.operation("kernels/layer.report.json")
        layer(x, w, b).sum().backward()

    name: what to register it as (None: the pair's). shapes: for an output whose sizes do not follow from those of the inputs, a function
    from their shapes, by name, to its shape: {"y": lambda x, w: (x[0], 10)}. compiled: registered by C++, so that a call takes a fourth of the
    time, some microseconds; that is compiled with the C++ compiler of CXX, a part of it once for each version of torch (20 s), and kept. Tensors are on the CPU, of the types that the pair was compiled
    for; one whose last dimension has a stride is copied, others are read and written in place. A wrong type, number of dimensions or size is
    a RuntimeError in PyTorch's words. Raises Error for what is no pair, or cannot be loaded, and where another pair has the name."""
    pair = Pair.read(report)
    called = name or _identifier(pair.name)
    if not called.isidentifier():
        raise Error(f'The operation of {pair.path} cannot be called "{called}": give it a name of letters, digits and underscores.')
    with _lock:
        made_of = _content(pair)
        before = _known.get(called)
        if before is not None and before[0] != made_of:
            raise Error(
                f"The operation {_NAMESPACE}::{called} was made of {before[1].pair.path}: give that of {pair.path} another name, operation(…, name=…)."
            )
        if before is None:
            if compiled and shapes:
                raise Error(f"The operation {_NAMESPACE}::{called} was given shapes, which are functions of Python, and compiled=True: leave one of them out.")
            if _is_registered(called):
                raise Error(
                    f"A library that was loaded has registered {_NAMESPACE}::{called}: call torch.ops.{_NAMESPACE}.{called}, or give the operation of {pair.path} another name, operation(…, name=…)."
                )
            if compiled:
                register_compiled(pair, called)
            else:
                _register(pair, called, shapes or {})
            before = _known[called] = made_of, Operation(pair, called)
        return before[1]


def _content(pair: Pair) -> bytes:
    content = hashlib.sha256(pair.path.read_bytes())
    for file in pair.files:
        content.update(file.read_bytes())
    return content.digest()


def _identifier(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _registered(name: str) -> Any:
    return getattr(getattr(torch.ops, _NAMESPACE), name).default


def _is_registered(name: str) -> bool:
    return bool(torch._C._dispatch_has_kernel(f"{_NAMESPACE}::{name}")) or hasattr(getattr(torch.ops, _NAMESPACE), name)


def _register(pair: Pair, name: str, shapes: Shapes) -> None:
    """Registers NAME, which is differentiated, and what it is made of: NAME_forward, which also returns what is kept, and NAME_backward."""
    functions = Functions(pair, f"{_NAMESPACE}::{name}", shapes)
    if not functions.tensors:
        raise Error(f"The pair {pair.name} takes no tensor, so that there is nothing to dispatch an operation by: give it an input that is a buffer.")
    made = [*pair.outputs, *pair.residuals]
    inputs = ", ".join(f"{_schema_type(functions, n)} {_identifier(n)}" for n in pair.inputs)
    read = ", ".join(f"{_schema_type(functions, n)} {_identifier(n)}" for n in functions.taken_by_backward)
    sizes = ", ".join(f"SymInt[] sizes_of_{_identifier(n)}" for n in functions.tensors)
    library = torch.library.Library(_NAMESPACE, "FRAGMENT")
    library.define(f"{name}({inputs}) -> {_returned(len(pair.outputs))}")
    library.define(f"{name}_forward({inputs}) -> {_returned(len(made))}")
    library.define(f"{name}_backward({read}, {sizes}) -> {_returned(len(pair.gradients))}")
    _libraries.append(library)

    library.impl(f"{name}_forward", _one_or_all(functions.forward), "CPU")
    library.impl(f"{name}_backward", _one_or_all(functions.backward), "CPU")
    torch.library.register_fake(f"{_NAMESPACE}::{name}_forward", _one_or_all(functions.fake_forward), lib=library)
    torch.library.register_fake(f"{_NAMESPACE}::{name}_backward", _one_or_all(functions.fake_backward), lib=library)
    forward, backward = _registered(f"{name}_forward"), _registered(f"{name}_backward")
    _differentiate(library, functions, name, backward)

    def outputs(*given: Any) -> Any:
        returned = forward(*given)
        return returned if len(made) == 1 else returned[0] if len(pair.outputs) == 1 else returned[: len(pair.outputs)]

    library.impl(name, outputs, "CompositeImplicitAutograd")


_libraries: list[torch.library.Library] = []  # what a library registers goes with it


def _schema_type(functions: Functions, name: str) -> str:
    argument = functions.pair.arguments[name]
    if argument.dimensions is not None or name in functions.tensors:
        return "Tensor"
    return "float" if argument.type.startswith("float") else "bool" if argument.type == "bool" else "SymInt"


def _returned(count: int) -> str:
    return "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"


def _one_or_all(function: Callable[..., tuple[torch.Tensor, ...]]) -> Callable[..., Any]:
    """A tuple of one tensor as that tensor, as schemas have it."""

    def called(*given: Any) -> Any:
        returned = function(*given)
        return returned[0] if len(returned) == 1 else returned

    return called


def _differentiate(library: torch.library.Library, functions: Functions, name: str, backward: Callable[..., Any]) -> None:
    """Gives NAME_forward its gradient, and NAME_backward a refusal to have one."""
    pair = functions.pair
    made = [*(o.name for o in pair.outputs), *(r.name for r in pair.residuals)]
    differentiated = [o.name for o in pair.outputs if o.differentiated]

    def keep(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        returned = dict(zip(made, (output,) if isinstance(output, torch.Tensor) else output))
        values = {**dict(zip(pair.inputs, inputs)), **returned}
        read = {n: values[n] for n in functions.taken_by_backward if n in values}
        ctx.names = [n for n, v in read.items() if isinstance(v, torch.Tensor)]
        ctx.save_for_backward(*(read[n] for n in ctx.names))
        ctx.numbers = {n: v for n, v in read.items() if not isinstance(v, torch.Tensor)}
        ctx.sizes = [tuple(values[n].shape) for n in functions.tensors]
        ctx.output_sizes = {n: tuple(returned[n].shape) for n in differentiated}
        ctx.mark_non_differentiable(*(v for n, v in returned.items() if n not in differentiated))
        ctx.set_materialize_grads(False)

    def differentiate(ctx: Any, *upstream: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        given = {n: d for n, d in zip(made, upstream) if n in differentiated}
        if all(d is None for d in given.values()):
            return (None,) * len(pair.inputs)
        values = {**dict(zip(ctx.names, ctx.saved_tensors)), **ctx.numbers}
        for n, d in given.items():
            dtype = dtype_of(pair.arguments[f"d_{n}"])
            values[f"d_{n}"] = torch.zeros(ctx.output_sizes[n], dtype=dtype) if d is None else d
        returned = backward(*(values[n] for n in functions.taken_by_backward), *ctx.sizes)
        gradients = dict(zip(pair.gradients, (returned,) if isinstance(returned, torch.Tensor) else returned))
        return tuple(gradients.get(n) if wanted else None for n, wanted in zip(pair.inputs, ctx.needs_input_grad))

    def refuse(ctx: Any, *upstream: Any) -> Any:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")

    torch.library.register_autograd(f"{_NAMESPACE}::{name}_forward", differentiate, setup_context=keep, lib=library)
    torch.library.register_autograd(f"{_NAMESPACE}::{name}_backward", refuse, lib=library)
