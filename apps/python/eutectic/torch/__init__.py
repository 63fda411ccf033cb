"""Eutectic under torch.compile, and its pairs as operations.

    import torch

    model = torch.compile(model, backend="eutectic")          # no import is needed: the wheel registers the name

    import eutectic.torch

    with eutectic.torch.options(effort="best", reports="reports"):
        model(x)                                              # what is compiled in here is compiled so
    print(eutectic.torch.explain(model, x))                   # every kernel: what was fused, its traffic, its time and the prediction

TorchInductor still decides what is one kernel; each becomes a Halide pipeline that Eutectic schedules, products stay ATen's, and what
Halide cannot take is compiled by Inductor's C++ backend.

A forward and a backward that were compiled ahead of time are an operation, by their report:

    layer = eutectic.torch.operation("kernels/layer.report.json")
    layer(x, w, b).sum().backward()
"""

from eutectic.torch._backend import compile_graph
from eutectic.torch._explain import Explained, ExplainedKernel, explain
from eutectic.torch._operation import Operation, operation
from eutectic.torch._options import Options, options

__all__ = ["Explained", "ExplainedKernel", "Operation", "Options", "compile_graph", "explain", "operation", "options"]
