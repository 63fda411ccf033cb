"""A report as data, as text and as HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Cost:
    """Predicted seconds, and what they are spent on."""

    total_seconds: float
    compute_seconds: float
    memory_seconds: float
    idle_seconds: float
    launch_seconds: float


@dataclass(frozen=True)
class Traffic:
    """Bytes through memory: with every Func in a buffer of its own, in this plan, and the difference that fusion makes."""

    unfused_bytes: int
    fused_bytes: int
    saved_bytes: int


@dataclass(frozen=True)
class Group:
    """One loop nest."""

    root: str
    members: tuple[str, ...]
    policy: str  # what kind of loops
    cost: Cost
    loads_bytes: int
    stores_bytes: int
    saved_bytes: int


@dataclass(frozen=True)
class RunnerUp:
    """The next best place of a producer, with all else as it is."""

    decision: str
    more_seconds: float | None  # that everything would take; None: no policy has loops for it


@dataclass(frozen=True)
class Edge:
    """Where a producer is computed for a consumer, and why."""

    producer: str
    consumer: str
    decision: str
    reason: str
    grade: str  # exact, contracting, reassociating or approximate: what may differ from the program as written
    unfused_bytes: int
    fused_bytes: int
    saved_bytes: int
    recomputed_operations: float
    runner_up: RunnerUp | None


@dataclass(frozen=True)
class MemberLoss:
    """The plan on another processor of the target's family: how many times what the best loops for it take."""

    processor: str
    seconds: float
    loss: float


@dataclass(frozen=True)
class Report:
    """What the scheduler decided, and why. `json` has everything that it says."""

    target: str
    machine: str
    numerics: str
    cost: Cost
    unfused_cost: Cost
    traffic: Traffic
    groups: tuple[Group, ...]
    edges: tuple[Edge, ...]
    family: tuple[MemberLoss, ...]
    notes: tuple[str, ...]
    schedule: str = field(repr=False)  # C++, as the body of a function of Halide::Pipeline pipeline
    plan_hash: str
    plan_seconds: float
    json: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Report:
        """What the parameter report=FILE.json and `eutectic explain --json` write."""
        return cls(
            target=data["target"],
            machine=data["machine"],
            numerics=data["numerics"],
            cost=_of(Cost, data["cost"]),
            unfused_cost=_of(Cost, data["unfused_cost"]),
            traffic=_of(Traffic, data["traffic"]),
            groups=tuple(_of(Group, {**g, "members": tuple(g["members"]), "cost": _of(Cost, g["cost"])}) for g in data["groups"]),
            edges=tuple(
                _of(Edge, {**e, "runner_up": _of(RunnerUp, e["runner_up"]) if e.get("runner_up") else None}) for e in data["edges"]
            ),
            family=tuple(_of(MemberLoss, m) for m in data.get("family", [])),
            notes=tuple(str(n) for n in data.get("notes", [])),
            schedule=data["schedule"],
            plan_hash=data["plan_hash"],
            plan_seconds=data["plan_seconds"],
            json=data,
        )

    def group_table(self) -> list[tuple[str, ...]]:
        """A heading, then a line a group: its Funcs, its loops, predicted time, its share of the whole, bytes of traffic."""
        total = self.cost.total_seconds or 1.0
        lines: list[tuple[str, ...]] = [("group", "loops", "predicted", "share", "loads", "stores")]
        for g in self.groups:
            share = f"{100 * g.cost.total_seconds / total:.0f} %"
            lines.append((" ".join(g.members), g.policy, seconds(g.cost.total_seconds), share, size(g.loads_bytes), size(g.stores_bytes)))
        return lines

    def edge_table(self) -> list[tuple[str, ...]]:
        """A heading, then a line an edge: the decision, what it saves, its reason and its runner-up."""
        lines: list[tuple[str, ...]] = [("edge", "decision", "saves", "reason", "runner-up")]
        for e in self.edges:
            lines.append((f"{e.producer} → {e.consumer}", e.decision, size(e.saved_bytes), e.reason, _next_best(e.runner_up)))
        return lines

    def _title(self) -> str:
        return (
            f"{seconds(self.cost.total_seconds)} predicted, {seconds(self.unfused_cost.total_seconds)} unfused; "
            f"{size(self.traffic.fused_bytes)} of traffic, {size(self.traffic.unfused_bytes)} unfused"
        )

    def __str__(self) -> str:
        parts = [f"Plan for {self.target} on {self.machine}", self._title(), text_table(self.group_table()), text_table(self.edge_table())]
        return "\n\n".join(parts + list(self.notes))

    def _repr_html_(self) -> str:
        about = html.escape(f"Plan for {self.target} on {self.machine}: {self._title()}")
        notes = "".join(f"<p>{html.escape(n)}</p>" for n in self.notes)
        return (
            f"<div><p>{about}</p>{html_table(self.group_table())}{html_table(self.edge_table())}{notes}"
            f"<details><summary>the schedule</summary><pre>{html.escape(self.schedule)}</pre></details></div>"
        )


def _of(kind: Any, data: dict[str, Any]) -> Any:
    """`kind` from those of `data` that it has a place for."""
    return kind(**{name: data[name] for name in kind.__dataclass_fields__ if name in data})


def _scaled(value: float, step: float, units: Sequence[str]) -> str:
    for unit in units[:-1]:
        if abs(value) < step:
            return f"{value:.3g} {unit}"
        value /= step
    return f"{value:.3g} {units[-1]}"


def _next_best(place: RunnerUp | None) -> str:
    if place is None:
        return ""
    if place.more_seconds is None:
        return f"{place.decision}, for which no policy has loops"
    return f"{place.decision}, {seconds(abs(place.more_seconds))} {'more' if place.more_seconds >= 0 else 'less'}"


def seconds(value: float) -> str:
    """"1.5 us"."""
    return _scaled(value * 1e9, 1000, ("ns", "us", "ms", "s"))


def size(value: float) -> str:
    """"32 KiB"."""
    return _scaled(value, 1024, ("B", "KiB", "MiB", "GiB"))


def text_table(table: Iterable[Sequence[str]]) -> str:
    """In columns; the first line is the heading."""
    lines = [list(line) for line in table]
    widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in lines)


def html_table(table: Sequence[Sequence[str]]) -> str:
    """The same as HTML."""

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f'<{tag} style="text-align:left">{html.escape(c)}</{tag}>' for c in cells) + "</tr>"

    return "<table>" + row(table[0], "th") + "".join(row(line, "td") for line in table[1:]) + "</table>"
