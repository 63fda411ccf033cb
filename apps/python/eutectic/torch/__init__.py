"""Eutectic under torch.compile.

    import torch

    model = torch.compile(model, backend="eutectic")          # no import is needed: the wheel registers the name

    import eutectic.torch

    with eutectic.torch.options(effort="best", reports="reports"):
        model(x)                                              # what is compiled in here is compiled so
    print(eutectic.torch.explain(model, x))                   # every kernel: what was fused, its traffic, its time and the prediction

TorchInductor still decides what is one kernel; each becomes a Halide pipeline that Eutectic schedules, products stay ATen's, and what
Halide cannot take is compiled by Inductor's C++ backend.
"""

from eutectic.torch._backend import compile_graph
from eutectic.torch._explain import Explained, ExplainedKernel, explain
from eutectic.torch._options import Options, options

__all__ = ["Explained", "ExplainedKernel", "Options", "compile_graph", "explain", "options"]
