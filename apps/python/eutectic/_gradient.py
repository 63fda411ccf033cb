"""A forward and a backward of a pipeline, planned together and compiled in this process."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import halide as hl
import numpy

from eutectic import _install
from eutectic._errors import Error, as_errors
from eutectic._pair import sizes_of
from eutectic._report import Report
from eutectic._report import size as bytes_text
from eutectic._schedule import Applied, Callable, TargetLike, apply, compile_applied, copy_of, target_of


def stop_gradient(func: hl.Func) -> hl.Func:
    """Lets no gradient pass through func: it counts as a constant. Returns func, of which the values stay what they are."""
    func.add_trace_tag("eutectic.stop_gradient")  # as autodiff/stop_gradient.h
    return func


@dataclass(frozen=True)
class Kept:
    """What a forward keeps for its backward, with the arguments that both take."""

    inputs: Mapping[str, Any]
    outputs: Mapping[str, numpy.ndarray]
    residuals: Mapping[str, hl.Buffer]

    @property
    def bytes(self) -> int:
        """Of the residuals."""
        return sum(b.size_in_bytes() for b in self.residuals.values())


class Gradient:
    """Differentiates `pipeline` (an hl.Pipeline or an hl.Func, with estimates).

    wrt: names of inputs, buffers or scalars (None: every buffer of a floating-point type); of: names of outputs (None: the only one).
    budget: bytes kept between the two plus the larger peak of temporaries, at most, such as "64KiB" (None: by cost). Other parameters are
    those of apply(). Raises Error, also for what has no gradient.

        layer = Gradient(pipeline, wrt=["x", "w"])
        outputs, kept = layer.forward(x=x, w=w)
        gradients = layer.backward(kept, y=dy)      # {"x": dx, "w": dw}
    """

    def __init__(
        self,
        pipeline: hl.Pipeline | hl.Func,
        wrt: Sequence[str] | None = None,
        of: Sequence[str] | None = None,
        *,
        budget: str | None = None,
        target: TargetLike = None,
        **parameters: Any,
    ):
        for_target = target_of(target)
        with tempfile.TemporaryDirectory(prefix="eutectic-") as folder:
            source = Path(folder) / "pipeline.hlpipe"
            apply_saving(pipeline, source, for_target)
            self._contract = _differentiate(source, wrt, of, budget)
            self._forward, self._forward_arguments = _compiled(source.with_name("pipeline_forward.hlpipe"), for_target, parameters)
            self._backward, self._backward_arguments = _compiled(source.with_name("pipeline_backward.hlpipe"), for_target, parameters)
        self._residuals = {r["name"]: r for r in self._contract["residuals"]}
        self._sizes = {o["name"]: o["extents"] for o in self._contract["outputs"]}

    @property
    def forward_report(self) -> Report:
        return self._forward.report

    @property
    def backward_report(self) -> Report:
        return self._backward.report

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of what forward() takes."""
        return tuple(a["name"] for a in self._forward_arguments["inputs"])

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of what forward() returns."""
        return tuple(a["name"] for a in self._forward_arguments["outputs"] if a["name"] not in self._residuals)

    @property
    def residuals(self) -> list[dict[str, Any]]:
        """What is kept: names, types, shapes, bytes at the estimates, and why each is kept and not recomputed."""
        return list(self._residuals.values())

    def __repr__(self) -> str:
        kept = ", ".join(f"{name} ({bytes_text(r['bytes'])})" for name, r in self._residuals.items()) or "nothing"
        return f"<eutectic.Gradient ({', '.join(self.inputs)}) -> ({', '.join(self.outputs)}), keeps {kept}>"

    def forward(
        self, *, shapes: Mapping[str, Sequence[int]] | None = None, **inputs: Any
    ) -> tuple[dict[str, numpy.ndarray], Kept]:
        """The outputs by name, and what backward() needs. `shapes`, as numpy has them, of outputs whose sizes the inputs do not tell."""
        arguments = self._forward_arguments
        _check_names("forward()", "input", inputs, self.inputs)
        taken = {a["name"]: _input(a, inputs[a["name"]]) for a in arguments["inputs"]}
        outputs: dict[str, numpy.ndarray] = {}
        kept: dict[str, Any] = {}
        for a in arguments["outputs"]:  # the pipeline's own come first, and what is kept may have their sizes
            if a["name"] in self._residuals:
                kept[a["name"]] = self._residual(a, {**taken, **outputs})
            else:
                outputs[a["name"]] = numpy.empty(self._shape(a, taken, shapes or {}), _dtype(a))
        self._forward(*taken.values(), *outputs.values(), *kept.values())
        return outputs, Kept(taken, outputs, kept)

    def backward(self, kept: Kept, **d_outputs: Any) -> dict[str, numpy.ndarray]:
        """Gradients by the names of inputs, given those of the outputs: backward(kept, y=dy)."""
        arguments = self._backward_arguments
        output_of = {f"d_{name}": name for name in self._sizes}
        wanted = [output_of[a["name"]] for a in arguments["inputs"] if a["name"] in output_of]
        _check_names("backward()", "gradient of output", d_outputs, wanted)
        known: dict[str, Any] = {**kept.inputs, **kept.outputs, **kept.residuals}
        taken = []
        for a in arguments["inputs"]:
            name = a["name"]
            if name in output_of:
                value = _input(a, d_outputs[output_of[name]])
                _same_shape(name, value, kept.outputs[output_of[name]])
                taken.append(value)
            else:
                taken.append(known[name])
        gradients = {a["name"][2:]: numpy.empty(numpy.shape(kept.inputs[a["name"][2:]]), _dtype(a)) for a in arguments["outputs"]}
        self._backward(*taken, *gradients.values())
        return gradients

    def _shape(self, argument: dict[str, Any], taken: Mapping[str, Any], shapes: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
        name = argument["name"]
        if name in shapes:
            return tuple(shapes[name])
        extents = _evaluated(self._sizes.get(name, ["?"]), taken)
        if extents is not None and len(extents) == len(argument["dimensions"]):
            return tuple(reversed(extents))
        raise Error(f"The size of output {name} does not follow from the inputs: give it as shapes={{{name!r}: (...)}}.")

    def _residual(self, argument: dict[str, Any], taken: Mapping[str, Any]) -> hl.Buffer:
        name = argument["name"]
        extents = _evaluated(self._residuals[name]["extents"], taken)
        mins = _evaluated(self._residuals[name]["mins"], taken)
        if extents is None or mins is None:
            raise Error(f"The size of {name}, which the forward keeps, does not follow from its arguments: compile the pair with eutectic grad.")
        buffer = hl.Buffer(_type(argument), extents, name)
        buffer.set_min(mins)
        return buffer


def _evaluated(texts: Sequence[str], arguments: Mapping[str, Any]) -> list[int] | None:
    """Sizes in terms of arrays and numbers; None where they do not tell."""
    known = {name: value.shape if isinstance(value, numpy.ndarray) else value for name, value in arguments.items()}
    values = [size(known) for size in sizes_of(texts)]
    return None if None in values else [int(value) for value in values]


def apply_saving(pipeline: hl.Pipeline | hl.Func, path: Path, target: hl.Target) -> None:
    """Writes a copy of `pipeline`, with its arguments beside it."""
    _install.load()
    with as_errors():
        copy_of(pipeline).apply_autoscheduler(target, hl.AutoschedulerParams("Eutectic", {"save": str(path)}))


def _arguments_of(path: Path) -> Path:
    """The file of its arguments beside a pipeline's."""
    return path.with_suffix(".args.json")


def _differentiate(source: Path, wrt: Sequence[str] | None, of: Sequence[str] | None, budget: str | None) -> dict[str, Any]:
    inputs = json.loads(_arguments_of(source).read_text(encoding="utf-8"))["inputs"]
    words = [str(_install.command()), "grad", str(source), "--pipelines", "--json", "-o", str(source.parent)]
    words += ["--args-order", ",".join(i["name"] for i in inputs)]
    for option, value in (("--wrt", wrt), ("--of", of)):
        if value is not None:
            words += [option, ",".join([value] if isinstance(value, str) else value)]
    if budget is not None:
        words += ["--budget", budget]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip() or f"eutectic grad ended with {done.returncode}"
        raise Error(re.sub(r"^eutectic[^:]*:\s*", "", said.replace(str(source), "the pipeline")))
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _compiled(path: Path, target: hl.Target, parameters: dict[str, Any]) -> tuple[Callable, dict[str, Any]]:
    arguments = json.loads(_arguments_of(path).read_text(encoding="utf-8"))
    with as_errors():
        inputs = hl.deserialize_parameters(str(path))
        for record in arguments["inputs"] + arguments["outputs"]:
            parameter = inputs.get(record.get("parameter") or record["name"])
            if parameter is not None:
                _restore(parameter, record)
        pipeline = hl.deserialize_pipeline(str(path), inputs)
        for func, record in zip(pipeline.outputs(), arguments["outputs"]):
            estimates = [d.get("estimate") for d in record.get("dimensions", [])]
            if estimates and None not in estimates:
                func.set_estimates([tuple(e) for e in estimates])
    applied = apply(pipeline, target, loaded=True, **parameters)
    return _callable(applied, arguments), arguments


def _restore(parameter: hl.Parameter, record: dict[str, Any]) -> None:
    """What a file of a pipeline loses."""
    for d, dimension in enumerate(record.get("dimensions", [])):
        if "estimate" in dimension:
            first, extent = dimension["estimate"]
            parameter.set_min_constraint_estimate(d, hl.Expr(first))
            parameter.set_extent_constraint_estimate(d, hl.Expr(extent))
    if record.get("estimate") is not None:
        constants = {"float32": hl.f32, "float64": hl.f64}
        constant = constants.get(record["type"], lambda value: hl.cast(_type(record), hl.Expr(value)))
        parameter.set_estimate(constant(record["estimate"]))


def _callable(applied: Applied, arguments: dict[str, Any]) -> Callable:
    """With the arguments that the contract names, which takes those that nothing reads, too: they are left out of the call."""
    read = {a.name for a in applied.pipeline.infer_arguments()}
    order = [a["name"] for a in arguments["inputs"] if a["name"] in read]
    compiled = compile_applied(applied, order)
    names = [a["name"] for a in arguments["inputs"] + arguments["outputs"]]
    inputs = len(arguments["inputs"])
    used = [i for i, name in enumerate(names) if i >= inputs or name in read]

    def call(*values: Any) -> None:
        compiled.function(*[values[i] for i in used])

    return Callable(call, names, applied.report)


def _type(argument: dict[str, Any]) -> hl.Type:
    kinds = {"float": hl.Float, "bfloat": hl.BFloat, "int": hl.Int, "uint": hl.UInt}
    match = re.fullmatch(r"(float|bfloat|int|uint)(\d+)", argument["type"])
    return kinds[match[1]](int(match[2])) if match else hl.Bool()


def _dtype(argument: dict[str, Any]) -> numpy.dtype[Any]:
    return numpy.dtype(str(argument["type"]))


def _input(argument: dict[str, Any], value: Any) -> Any:
    """A buffer's array with its type, a scalar as it is."""
    if "dimensions" not in argument:
        return value
    array = numpy.asarray(value)
    if array.dtype != _dtype(argument):
        raise Error(f"The array for {argument['name']} has the type {array.dtype}, and the pipeline takes {argument['type']}: convert it with astype().")
    if array.ndim != len(argument["dimensions"]):
        raise Error(f"The array for {argument['name']} has {array.ndim} dimensions, and the pipeline takes {len(argument['dimensions'])}.")
    return array


def _check_names(function: str, kind: str, given: Mapping[str, Any], wanted: Sequence[str]) -> None:
    missing = [name for name in wanted if name not in given]
    unknown = [name for name in given if name not in wanted]
    if missing or unknown:
        said = (f"lacks the {kind} {', '.join(missing)}" if missing else f"was given {', '.join(unknown)}")
        raise Error(f"The call of {function} {said}: it takes {', '.join(wanted)}, by name.")


def _same_shape(name: str, value: numpy.ndarray, output: numpy.ndarray) -> None:
    if value.shape != output.shape:
        raise Error(f"The gradient {name} has the shape {value.shape}, and the output has {output.shape}: they must be the same.")
