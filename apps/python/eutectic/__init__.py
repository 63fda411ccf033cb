"""Eutectic: an automatic scheduler for Halide pipelines, and their derivatives, from Python.

    import eutectic
    import halide as hl

    result = eutectic.apply(pipeline)                 # schedules it
    print(eutectic.explain(pipeline))                 # what it would do, and why; the pipeline stays as it is
    run = eutectic.compile_to_callable(pipeline)      # run(x, w, y): numpy arrays or hl.Buffers

    layer = eutectic.Gradient(pipeline, wrt=["x", "w"])
    outputs, kept = layer.forward(x=x, w=w)
    gradients = layer.backward(kept, y=dy)

Whatever is wrong ends as eutectic.Error, in one sentence that says what to do.
"""

from eutectic._errors import Error
from eutectic._gradient import Gradient, Kept, stop_gradient
from eutectic._install import command, load, plugin
from eutectic._report import Cost, Edge, Group, MemberLoss, Report, RunnerUp, Traffic
from eutectic._schedule import Applied, Callable, apply, compile_to_callable, explain

__version__ = "0.1.0"

__all__ = [
    "Applied",
    "Callable",
    "Cost",
    "Edge",
    "Error",
    "Gradient",
    "Group",
    "Kept",
    "MemberLoss",
    "Report",
    "RunnerUp",
    "Traffic",
    "apply",
    "command",
    "compile_to_callable",
    "explain",
    "load",
    "plugin",
    "stop_gradient",
]
