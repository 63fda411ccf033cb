"""Planning pipelines, and compiling what was planned."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

import halide as hl
import numpy

from eutectic import _install
from eutectic._errors import Error, as_errors
from eutectic._report import Report

TargetLike = Union[hl.Target, str, None]


def target_of(target: TargetLike) -> hl.Target:
    """None: this machine."""
    if target is None:
        return hl.get_host_target()
    if isinstance(target, str):
        try:
            return hl.get_host_target() if target == "host" else hl.Target(target)
        except hl.HalideError:
            raise Error(
                f"The target {target} is none that Halide knows: write host, or architecture, bits, system and features as x86-64-linux-avx2-fma."
            ) from None
    return target


def _words(parameters: dict[str, Any]) -> dict[str, str]:
    """Parameters as the scheduler takes them: True is 1, a list is separated by commas."""
    words = {}
    for name, value in parameters.items():
        if value is None:
            continue
        if isinstance(value, bool):
            words[name] = "1" if value else "0"
        elif isinstance(value, (list, tuple)):
            words[name] = ",".join(str(v) for v in value)
        else:
            words[name] = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    words.setdefault("parallelism", str(_threads()))
    return words


def _threads() -> int:
    """What Halide's own thread pool uses."""
    named = os.environ.get("HL_NUM_THREADS", "")
    return int(named) if named.isdigit() and int(named) > 0 else len(os.sched_getaffinity(0))


def _pipeline(pipeline: hl.Pipeline | hl.Func) -> hl.Pipeline:
    return hl.Pipeline(pipeline) if isinstance(pipeline, hl.Func) else pipeline


@dataclass(frozen=True)
class Applied:
    """A pipeline that has been scheduled."""

    pipeline: hl.Pipeline
    target: hl.Target
    report: Report

    @property
    def schedule(self) -> str:
        """The schedule as C++."""
        return self.report.schedule


def apply(pipeline: hl.Pipeline | hl.Func, target: TargetLike = None, **parameters: Any) -> Applied:
    """Schedules `pipeline`, whose inputs, scalars and outputs have estimates (set_estimates), for `target` (None: this machine).

    `parameters` are the scheduler's, by name: effort="best", numerics="strict", machine="zen3", library="onednn", disable=["winograd"], ...
    parallelism is the number of threads of Halide's pool unless it is given. Raises Error."""
    _install.load()
    p = _pipeline(pipeline)
    for_target = target_of(target)
    if "report" in parameters:
        raise Error("The parameter report names a file, and apply() returns the report: take it from what is returned (.report.json).")
    with tempfile.TemporaryDirectory(prefix="eutectic-") as folder, as_errors():
        report = Path(folder) / "report.json"
        p.apply_autoscheduler(for_target, hl.AutoschedulerParams("Eutectic", {**_words(parameters), "report": str(report)}))
        return Applied(p, for_target, Report.from_json(json.loads(report.read_text(encoding="utf-8"))))


def copy_of(pipeline: hl.Pipeline | hl.Func) -> hl.Pipeline:
    """The same pipeline with Funcs of its own, and with the inputs of the other: estimates of these are those of both."""
    p = _pipeline(pipeline)
    with as_errors():
        data, inputs = hl.serialize_pipeline(p, get_params=True)
        return hl.deserialize_pipeline(data, inputs)


def explain(pipeline: hl.Pipeline | hl.Func, target: TargetLike = None, **parameters: Any) -> Report:
    """What apply() would do, and why. The pipeline stays as it is. Raises Error."""
    return apply(copy_of(pipeline), target, **parameters).report


class Callable:
    """A compiled pipeline: takes its inputs, then its outputs, as numpy arrays (innermost dimension last, as numpy has them) or as
    hl.Buffers. `names` are theirs, `report` says how it was scheduled."""

    def __init__(self, function: Any, names: Sequence[str], report: Report):
        self.function = function  # of as many hl.Buffers and numbers
        self.names = tuple(names)
        self.report = report

    def __call__(self, *arguments: Any) -> None:
        if len(arguments) != len(self.names):
            raise Error(f"The pipeline takes {len(self.names)} arguments ({', '.join(self.names)}), and was given {len(arguments)}.")
        with as_errors():
            self.function(*[_argument(name, a) for name, a in zip(self.names, arguments)])


def _argument(name: str, value: Any) -> Any:
    if not isinstance(value, numpy.ndarray):
        return value
    try:
        return hl.Buffer(value, name)
    except (hl.HalideError, ValueError, TypeError) as error:
        raise Error(f"The array for {name} cannot be a buffer ({error}): give one with positive strides and a type that Halide has.") from None


def compile_to_callable(
    pipeline: hl.Pipeline | hl.Func, arguments: Sequence[Any] | None = None, target: TargetLike = None, **parameters: Any
) -> Callable:
    """Schedules a copy of `pipeline` and compiles that. `arguments`: its inputs (ImageParams and Params) in the order in which the
    callable takes them; None: by name. Outputs follow. Raises Error."""
    for_target = target_of(target)
    applied = apply(copy_of(pipeline), for_target, **parameters)
    return compile_applied(applied, _names(arguments) if arguments is not None else None)


def _names(arguments: Sequence[Any]) -> list[str]:
    return [a if isinstance(a, str) else a.name() if callable(getattr(a, "name", None)) else a.name for a in arguments]


def _without_numbers(names: list[str]) -> list[str]:
    """As a person wrote them: Halide makes y$1 of the second Func y of a process. Of two of one name the second keeps its number."""
    plain = [name.split("$")[0] for name in names]
    return [short if short not in plain[:i] else name for i, (short, name) in enumerate(zip(plain, names))]


def compile_applied(applied: Applied, order: Sequence[str] | None) -> Callable:
    """Compiles it with its inputs in `order`."""
    with as_errors():
        inferred = {a.name: a for a in applied.pipeline.infer_arguments()}
        order = sorted(inferred) if order is None else list(order)
        if sorted(order) != sorted(inferred):
            raise Error(f"The pipeline reads the inputs {', '.join(sorted(inferred))}, and was given {', '.join(order)}: name each once.")
        function = applied.pipeline.compile_to_callable([inferred[name] for name in order], applied.target)
    outputs = _without_numbers([f.name() for f in applied.pipeline.outputs()])
    return Callable(function, list(order) + outputs, applied.report)
