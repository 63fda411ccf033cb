"""What became of a model: its kernels, what each is made of, the time it takes and the time that was predicted."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from eutectic._report import Report, html_table, seconds, size, text_table
from eutectic.torch import _backend, _build, _launch


@dataclass(frozen=True)
class ExplainedKernel:
    """One kernel of ours."""

    operations: tuple[str, ...]  # of ATen, which were fused
    report: Report
    measured_seconds: float  # the fastest of some calls, on this machine as busy as it is
    source: str = field(repr=False)  # the pipeline, in Python


@dataclass(frozen=True)
class Explained:
    """A model's kernels, in the order of their first calls; what C++ has, and why; what one call of everything takes, with products and
    other calls of ATen in between."""

    kernels: tuple[ExplainedKernel, ...]
    refused: tuple[str, ...]
    total_seconds: float

    def table(self) -> list[tuple[str, ...]]:
        """A heading, then a line a kernel: its operations, Funcs and loop nests, bytes of traffic, time, prediction."""
        lines: list[tuple[str, ...]] = [("operations", "Funcs", "nests", "traffic", "unfused", "measured", "predicted")]
        for k in self.kernels:
            t = k.report.traffic
            funcs = str(sum(len(g.members) for g in k.report.groups))
            times = seconds(k.measured_seconds), seconds(k.report.cost.total_seconds)
            lines.append((" ".join(k.operations), funcs, str(len(k.report.groups)), size(t.fused_bytes), size(t.unfused_bytes), *times))
        return lines

    def _title(self) -> str:
        ours = sum(k.measured_seconds for k in self.kernels)
        return f"{len(self.kernels)} kernels, {seconds(ours)} of {seconds(self.total_seconds)}"

    def _others(self) -> list[str]:
        return [f"By Inductor's C++ backend: {reason}" for reason in self.refused]

    def __str__(self) -> str:
        return "\n\n".join([self._title(), text_table(self.table()), *self._others()])

    def _repr_html_(self) -> str:
        parts = [f"<p>{html.escape(line)}</p>" for line in [self._title(), *self._others()]]
        parts.append(html_table(self.table()))
        for k in self.kernels:
            parts.append(f"<details><summary>{html.escape(' '.join(k.operations))}</summary>{k.report._repr_html_()}<pre>{html.escape(k.source)}</pre></details>")
        return "<div>" + "".join(parts) + "</div>"

    def save(self, path: str | Path) -> None:
        """As a page of its own."""
        page = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>eutectic</title><body>{self._repr_html_()}</body></html>\n'
        Path(path).write_text(page, encoding="utf-8")


def explain(model: Callable[..., Any], *inputs: Any, calls: int = 5, **keywords: Any) -> Explained:
    """Compiles `model` as options() around the call say, calls it with `inputs`, and says what was done. A loss that has a gradient is
    differentiated, too, so that kernels of the backward are there. Raises eutectic.Error as the backend does."""
    with _build.collected() as collected:
        compiled = torch.compile(model, backend=_backend.compile_graph)

        def call() -> None:
            result = compiled(*inputs, **keywords)
            if isinstance(result, torch.Tensor) and result.requires_grad and result.numel() == 1:
                result.backward()

        call()
        totals = []
        with _launch.timed() as times:
            for _ in range(max(1, calls)):
                begun = _launch.now()
                call()
                totals.append(_launch.now() - begun)
    kernels = []
    for function, taken in times.items():
        folder = function.folder
        report = Report.from_json(json.loads((folder / "report.json").read_text(encoding="utf-8")))
        kernels.append(ExplainedKernel(function.operations, report, taken, (folder / "source.py").read_text(encoding="utf-8")))
    return Explained(tuple(kernels), tuple(dict.fromkeys(collected)), min(totals))
