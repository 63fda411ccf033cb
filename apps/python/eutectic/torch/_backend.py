"""torch.compile(..., backend="eutectic"): TorchInductor, with kernels of ours while it compiles."""

from __future__ import annotations

import contextlib
import copy
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch._inductor import compile_fx, config
from torch._inductor.codegen import common
from torch._inductor.codegen.wrapper import PythonWrapperCodegen

from eutectic._errors import Error
from eutectic.torch import _build, _kernel
from eutectic.torch._options import Options, current, made

TORCH = "2.15"  # whose Inductor the classes of _kernel.py derive from

# Which scheduling a device has is one table for the process.
_registering = threading.RLock()


def compile_graph(graph: torch.fx.GraphModule, inputs: Sequence[torch.Tensor], *, options: dict[str, Any] | None = None) -> Callable[..., Any]:
    """The function that torch.compile calls. `options`: those of eutectic.torch.Options, over what options() says around the call.
    Raises eutectic.Error where this torch is not the one that it is for."""
    if torch.__version__.split("+")[0].rsplit(".", 1)[0] != TORCH:
        raise Error(f"The backend eutectic of torch.compile is for torch {TORCH}, and this is {torch.__version__}: install torch {TORCH}, or use another backend.")
    chosen = made(current(), options or {})

    def inner(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], **arguments: Any) -> Any:
        _build.warm_up(chosen)  # here, for nothing is compiled where autograd's cache has the graph
        return _with_refusals(chosen, gm, example_inputs, arguments)

    with config.patch(_settings(chosen, {}, True)), _build.reporting(chosen.reports):
        compiled: Callable[..., Any] = compile_fx.compile_fx(graph, list(inputs), inner_compile=inner)
    return compiled


def _settings(chosen: Options, refused: dict[tuple[str, ...], str], scans: bool) -> dict[str, Any]:
    """Inductor's configuration. The name of a scheduler, which is nowhere looked up, is part of the keys of its caches and of autograd's,
    which shall not take kernels of others, or of other options, for these."""
    name = f"eutectic {_build.compiled_by()} {sorted(chosen.parameters().items())} {sorted(refused)}"
    return {"cpu_backend": "halide", "halide.scheduler_cpu": name, "halide.scan_kernels": scans, "cpp_wrapper": False}


def _with_refusals(chosen: Options, gm: torch.fx.GraphModule, inputs: Sequence[Any], arguments: dict[str, Any]) -> Any:
    """Compiles; where a kernel turns out to be refused, once more with that one in C++."""
    refused: dict[tuple[str, ...], str] = {}
    scans = True
    while True:
        attempt = torch.fx.GraphModule(gm, copy.deepcopy(gm.graph))  # which Inductor changes; tensors that it names are shared
        try:
            with _kernels_of_ours(chosen, refused, scans):
                compiled = compile_fx.compile_fx_inner(attempt, inputs, **arguments)
            _kernel.tell_once(refused)
            _build.collect(refused.values())
            return compiled
        except Exception as error:
            found = _cause(error, (_build.Refused, _kernel.ScanRefused))
            if isinstance(found, _kernel.ScanRefused) and scans:
                scans = False
                refused.clear()
            elif isinstance(found, _build.Refused) and found.nodes not in refused:
                refused[found.nodes] = found.reason
            else:
                raise


def _cause(error: BaseException | None, kinds: tuple[type[BaseException], ...]) -> BaseException | None:
    """What of those kinds `error` came of: Inductor wraps what is raised inside of it."""
    while error is not None and not isinstance(error, kinds):
        error = getattr(error, "inner_exception", None) or error.__cause__ or error.__context__
    return error


@contextlib.contextmanager
def _kernels_of_ours(chosen: Options, refused: dict[tuple[str, ...], str], scans: bool) -> Iterator[None]:
    """Inductor's CPU kernels are ours inside, and whose they were before outside."""
    with _registering:
        common.init_backend_registration()
        before = common.device_codegens["cpu"]
        common.register_backend_for_device(
            "cpu",
            lambda scheduler: _kernel.Scheduling(scheduler, chosen, refused),
            PythonWrapperCodegen,
            before.cpp_wrapper_codegen,
            before.fx_wrapper_codegen,
        )
        try:
            with config.patch(_settings(chosen, refused, scans)), _build.reporting(chosen.reports):
                yield
        finally:
            common.device_codegens["cpu"] = before
