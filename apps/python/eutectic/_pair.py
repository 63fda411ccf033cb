"""NAME.report.json of a pair: what a forward and its backward take and give, for frameworks that call them by name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eutectic._errors import Error

# The key "version" of the reports that this module reads.
VERSION = 1

Shape = tuple[Any, ...]


@dataclass(frozen=True)
class Argument:
    """Of a compiled function: a buffer, or, where `dimensions` is None, a scalar. `type` is "float32", "bool", ..."""

    name: str
    type: str
    dimensions: int | None


@dataclass(frozen=True)
class Output:
    """Of the forward. `sizes` are texts in terms of the inputs, outermost first; `differentiated`: the backward takes a gradient of it."""

    name: str
    sizes: tuple[str, ...]
    differentiated: bool


@dataclass(frozen=True)
class Residual:
    """What the forward keeps for the backward; `sizes`, and `mins`, where Halide counts each dimension from, as of an output."""

    name: str
    sizes: tuple[str, ...]
    mins: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """A pair as its report tells of it. `forward` and `backward` are names of arguments in the order of the compiled functions
    NAME_forward and NAME_backward; `unread` those that the backward takes and does not look at, null pointers; `gradients` the inputs whose
    gradients the backward gives, d_INPUT; `files` what holds the code."""

    path: Path
    name: str
    files: tuple[Path, ...]
    arguments: Mapping[str, Argument]
    forward: tuple[str, ...]
    backward: tuple[str, ...]
    unread: frozenset[str]
    inputs: tuple[str, ...]
    outputs: tuple[Output, ...]
    residuals: tuple[Residual, ...]
    gradients: tuple[str, ...]

    @classmethod
    def read(cls, path: str | Path) -> Pair:
        """Raises Error for what is no report of a pair."""
        file = Path(path)
        try:
            told = json.loads(file.read_text(encoding="utf-8"))
            pair = cls._of(file, told)
        except OSError as error:
            raise Error(f"The report {file} cannot be read ({error.strerror}): name the NAME.report.json that eutectic grad or add_eutectic_library(… GRADIENT) wrote.") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Error(f"{file} is no report of a pair: name the NAME.report.json that stands beside NAME_forward.report.json.") from None
        if told["accumulates"]:
            raise Error(f"The pair {pair.name} of {file} adds gradients to what their buffers hold, which frameworks do themselves: compile it without ACCUMULATE.")
        if "::" in pair.name:
            raise Error(f"The pair {pair.name} of {file} is in a namespace of C++, whose functions cannot be looked up by name: compile it without one.")
        for missing in (f for f in pair.files if not f.exists()):
            raise Error(f"The code of {pair.name} should be in {missing}, which is not there: keep it beside {file}, or build it anew.")
        return pair

    @classmethod
    def _of(cls, file: Path, told: dict[str, Any]) -> Pair:
        if told["version"] != VERSION:
            raise Error(f"The report {file} has version {told['version']}, and this eutectic reads {VERSION}: build the pair and the module from one version.")
        return cls(
            path=file,
            name=str(told["pair"]),
            files=tuple(file.parent / f for f in told["files"]),
            arguments={a["name"]: Argument(a["name"], a["type"], a.get("dimensions")) for a in told["arguments"]},
            forward=tuple(told["forward"]),
            backward=tuple(told["backward"]),
            unread=frozenset(told["unread"]),
            inputs=tuple(told["inputs"]),
            outputs=tuple(Output(o["name"], tuple(reversed(o["extents"])), o["differentiated"]) for o in told["outputs"]),
            residuals=tuple(
                Residual(r["name"], tuple(reversed(r.get("extents", []))), tuple(reversed(r["mins"]))) for r in told["residuals"]
            ),
            gradients=tuple(told["gradients"]),
        )

    def takes_by_backward(self) -> tuple[str, ...]:
        """What the backward reads: inputs, outputs, d_OUTPUT, then residuals."""
        given = {f"d_{name}" for name in self.gradients}
        return tuple(name for name in self.backward if name not in given and name not in self.unread)


_TERM = re.compile(r"[\w$.]+\.(?:extent|min)\(\d+\)|[A-Za-z_][\w$]*")


class Size:
    """A size such as "(w.extent(0) - 1) / 8 + 1", rounded down as Halide does.

        Size("x.extent(1) / 2")({"x": (9, 4)})      # 4: shapes have Halide's first dimension last
    """

    def __init__(self, text: str):
        self.text = text
        self._terms: list[tuple[str, str, int]] = []  # name, "extent", "min" or "" for a scalar, dimension
        try:
            self._code: Any = compile(_TERM.sub(self._term, text).replace("/", "//"), text, "eval")
        except SyntaxError:
            self._code = None

    def _term(self, match: re.Match[str]) -> str:
        word = match[0]
        size_of = re.fullmatch(r"(.+)\.(extent|min)\((\d+)\)", word)
        if size_of is None and word in ("min", "max"):
            return word
        self._terms.append((size_of[1], size_of[2], int(size_of[3])) if size_of else (word, "", 0))
        return f"v{len(self._terms) - 1}"

    def __call__(self, known: Mapping[str, Any], smaller: Callable[..., Any] = min, larger: Callable[..., Any] = max) -> Any:
        """Of these shapes and numbers, each by its argument's name; None where they do not tell."""
        if self._code is None or any(name not in known for name, what, _ in self._terms if what != "min"):
            return None
        values: dict[str, Any] = {"__builtins__": {}, "min": smaller, "max": larger}
        for number, (name, what, dimension) in enumerate(self._terms):
            if what == "min":
                values[f"v{number}"] = 0  # arrays and tensors have no other
            else:
                values[f"v{number}"] = known[name] if what == "" else known[name][len(known[name]) - 1 - dimension]
        try:
            return eval(self._code, values)  # noqa: S307: written by the differentiation, of numbers alone
        except ZeroDivisionError:
            return None


def sizes_of(texts: Sequence[str]) -> tuple[Size, ...]:
    return tuple(Size(text) for text in texts)
