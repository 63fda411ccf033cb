"""What TorchInductor emits: its own Halide kernels, in the form that ours are built from, and C++ for what Halide cannot take."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import logging
import warnings
from collections.abc import Iterator
from typing import Any

import sympy
import torch
from torch._inductor import config, ir
from torch._inductor.codegen.common import PythonPrinter, SizeArg
from torch._inductor.codegen.cpp import CppScheduling
from torch._inductor.codegen.halide import DimensionInfo, HalideKernel, HalideScheduling, halide_type
from torch._inductor.utils import get_kernel_metadata
from torch._inductor.virtualized import V

from eutectic.torch._build import Refused
from eutectic.torch._conditions import Variable
from eutectic.torch._coordinates import Coordinate, coordinates_of
from eutectic.torch._launch import Argument
from eutectic.torch._operations import Operations, keyed, unkeyed
from eutectic.torch._options import Options

# Where Inductor's generated program ends, and what only it needs begins.
_MAIN = 'if __name__ == "__main__":'
_python = PythonPrinter().doprint


class ScanRefused(RuntimeError):
    """A scan is refused, which the C++ backend has none of, either: it is left to ATen."""


class Kernel(HalideKernel):
    """One kernel of Inductor's. A masked load is a select around a clamped one, so that no update stands between what is read and its
    reader; maxima and minima of floats are those of integers."""

    overrides = Operations

    def create_cse_var(self, name: Any, bounds: Any = None, dtype: Any = None, shape: Any = None) -> Variable:
        self.body.writeline(f"{name} = hl.Func({name!r})")
        return Variable(name, bounds, dtype, shape)

    def reduction(self, dtype: torch.dtype, src_dtype: torch.dtype, reduction_type: Any, value: Any) -> Any:
        if reduction_type not in ("max", "min", "argmax", "argmin") or not src_dtype.is_floating_point:
            return super().reduction(dtype, src_dtype, reduction_type, value)
        found = self.cse.reduction_cache.get((src_dtype, reduction_type, value))
        if found is None:
            key, integer = keyed(value, src_dtype, reduction_type.endswith("max"))
            found = super().reduction(dtype if reduction_type.startswith("arg") else integer, integer, reduction_type, key)
            found = found if reduction_type.startswith("arg") else unkeyed(found, src_dtype)
            self.cse.reduction_cache[(src_dtype, reduction_type, value)] = found
        return found

    def load(self, name: str, index: sympy.Expr) -> Any:
        at = self.prepare_indexing(index)
        found = self._coordinates(name, at) if self._load_mask else None
        if found is None:
            return super().load(name, index)
        variable = self._view(self.args.input(name), [DimensionInfo(c.expression, sympy.Integer(c.size), sympy.Integer(c.stride)) for c in found])
        dtype = V.graph.get_dtype(name)
        kind = halide_type(torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype)
        texts = [self.index_to_str(c.expression) for c in found]
        inside = [f"hl.clamp(hl.i32({text}), 0, {c.size - 1})" if c.beyond() else text for text, c in zip(texts, found)]
        used = self.sort_used_dims({*self.used_dims_from_index(at), *self._load_mask.used_dims})
        other = self.kexpr(self._load_other or 0)
        loaded = f"hl.cast({kind}, {variable}[{', '.join(inside)},])"
        return self.genfunc(f"hl.select({self._load_mask}, {loaded}, hl.cast({kind}, {other}))", used)

    def store(self, name: str, index: sympy.Expr, value: Any, mode: Any = None) -> None:
        if mode == "atomic_add" and V.graph.get_dtype(name) == torch.bool:
            raise NotImplementedError("adding up truth values, of which Halide keeps one bit")
        super().store(name, index, value, mode)

    def _coordinates(self, name: str, at: sympy.Expr) -> list[Coordinate] | None:
        layout = V.graph.get_buffer(name).get_layout()
        numbers = [*layout.size, *layout.stride, layout.offset]
        if layout.offset != 0 or not all(isinstance(n, (int, sympy.Integer)) for n in numbers):
            return None
        return coordinates_of(at, self.halide_vars, layout.size, layout.stride, self._load_mask.ranges)

    def _view(self, variable: str, dims: list[DimensionInfo]) -> str:
        """The name of an argument that has those dims."""
        name = variable
        for number in itertools.count():
            if self.install_dims(name, dims, sympy.S.Zero, False):
                return name
            name = f"{variable}_view{number}"
            if name not in self.buffer_aliases[variable]:
                self.buffer_aliases[variable].append(name)
        raise AssertionError("there is always one more name")

    def halide_kernel_meta(self) -> Any:
        """Without a scheduler, whose plugin would be looked for."""
        with config.patch({"halide.scheduler_cpu": None}):
            return super().halide_kernel_meta()

    def codegen_kernel(self, name: Any = None) -> str:
        """A module with a generator `Kernel`: no main program, no torch."""
        text: str = super().codegen_kernel(name)
        return text[: text.index(_MAIN)].replace("from torch._inductor.runtime import halide_helpers\n", "")

    def arguments(self) -> list[Argument]:
        """What the compiled function is given, in its order."""
        told = []
        for _, argument in self.halide_argdefs():
            if isinstance(argument, SizeArg):
                told.append(Argument(argument.name, "", "", (), (), ""))
                continue
            dims = self.buffer_dimensions[argument.name]
            told.append(
                Argument(
                    argument.name,
                    argument.alias_of or "",
                    str(argument.dtype).removeprefix("torch."),
                    tuple(_python(self.rename_indexing(d.size)) for d in dims),
                    tuple(_python(self.rename_indexing(d.stride)) for d in dims),
                    _python(self.rename_indexing(self.buffer_offsets[argument.name])),
                )
            )
        return told


class Scheduling(HalideScheduling):
    """Inductor's, with kernels that Eutectic builds."""

    kernel_type = Kernel

    def __init__(self, scheduler: Any, options: Options, refused: dict[tuple[str, ...], str]) -> None:
        super().__init__(scheduler)
        self._options = options
        self._refused = refused
        self._nodes: tuple[str, ...] = ()
        self._cpp: Any = CppScheduling(scheduler)

    def codegen_node(self, node: Any) -> Any:
        names = tuple(n.get_name() for n in node.get_nodes())
        if names in self._refused:
            self._in_cpp(node, names)
            return None
        self._nodes = names
        try:
            with _unsaid("torch._inductor.scheduler", "Error in codegen for"):
                return super().codegen_node(node)
        except Exception as error:  # of whatever kind Inductor's emitters raise for what they have not
            if isinstance(error, Refused):
                raise
            raise Refused(names, f"{type(error).__name__} {error}") from error

    def define_kernel(self, src_code: str, node_schedule: Any, kernel: Kernel) -> str:
        wrapper = V.graph.wrapper_code
        with V.set_kernel_handler(kernel):
            arguments = [tuple(a) for a in kernel.arguments()]
            target = kernel.halide_kernel_meta().target
        key = f"{src_code}{arguments!r}"  # offsets and strides are not in the source
        if key in wrapper.src_to_kernel:
            known: str = wrapper.src_to_kernel[key]
            return known
        name = f"eutectic_kernel_{wrapper.next_kernel_suffix()}"
        wrapper.src_to_kernel[key] = name
        wrapper.add_import_once("from eutectic.torch import _build as eutectic_build")
        fused = [o for n in node_schedule if getattr(n, "node", None) is not None for o in n.node.get_origins()]
        operations = tuple(sorted({_name(o) for o in fused} - {""}))
        if self._options.numerics == "fast":
            target = target.replace("-strict_float", "")
        options = dataclasses.replace(self._options, reports="")  # of the one who loads what was compiled
        text = f"eutectic_build.kernel({self._nodes!r}, {operations!r}, {target!r}, eutectic_build.{options!r}, {arguments!r}, {src_code!r})"
        origins, detailed = get_kernel_metadata(node_schedule, wrapper)
        wrapper.define_kernel(name, text, f"{origins}\n{detailed}")
        return name

    def _in_cpp(self, node: Any, names: tuple[str, ...]) -> None:
        """The nodes one by one by Inductor's C++ backend, which groups loops in a way of its own."""
        for part in node.get_nodes():
            if part.get_name() in self.scheduler.removed_ops:
                continue
            if isinstance(getattr(part.node, "data", None), ir.Scan):
                raise ScanRefused(self._refused[names])
            grouped = part.group
            with config.patch(cpu_backend="cpp"):
                part.group = (grouped[0], self._cpp.group_fn(part._sizes))
                try:
                    self._cpp.codegen_node(part)
                    self._cpp.flush()
                finally:
                    part.group = grouped


def _name(node: Any) -> str:
    """The operation of a node of the graph, as ATen names it: aten.add."""
    return str(getattr(node.target, "overloadpacket", "")) if node.op == "call_function" else ""


@contextlib.contextmanager
def _unsaid(logger: str, beginning: str) -> Iterator[None]:
    """Inside, what `logger` says is critical and begins so is not said: it is told as a refusal."""

    def keep(record: logging.LogRecord) -> bool:
        return not record.getMessage().startswith(beginning)

    log = logging.getLogger(logger)
    log.addFilter(keep)
    try:
        yield
    finally:
        log.removeFilter(keep)


_told: set[str] = set()


def tell_once(refused: dict[tuple[str, ...], str]) -> None:
    """A warning for each reason that has not been told."""
    for reason in refused.values():
        if reason not in _told:
            _told.add(reason)
            warnings.warn(f"A kernel is compiled by Inductor's C++ backend because Halide does not take it: {reason}", stacklevel=2)
