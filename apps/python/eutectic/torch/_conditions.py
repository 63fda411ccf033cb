"""What a kernel's values say of its indices: which sum of them a value is, and between what a sum is where a condition is true."""

from __future__ import annotations

import math
from typing import Any

import sympy
import torch
from torch._inductor.codegen.halide import HalideCSEVariable
from torch._inductor.virtualized import V

from eutectic.torch._coordinates import Ranges

# By the difference of the sides.
_COMPARED: dict[str, tuple[float, float]] = {
    "lt": (-math.inf, -1),
    "le": (-math.inf, 0),
    "gt": (1, math.inf),
    "ge": (0, math.inf),
    "eq": (0, 0),
}


class Variable(HalideCSEVariable):
    """A value of a kernel."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.expression: sympy.Expr | None = None  # of indices, where it is an integer that is known as one
        self.ranges: Ranges = {}

    def update_on_args(self, name: str, args: Any, kwargs: Any) -> None:
        super().update_on_args(name, args, kwargs)
        if name in ("index_expr", "value_expr") and args[1] in (torch.int32, torch.int64):
            self.expression = V.kernel.prepare_indexing(sympy.sympify(args[0]))
        elif name == "constant" and isinstance(args[0], int):
            self.expression = sympy.Integer(args[0])
        elif name == "to_dtype" and args[1] in (torch.int32, torch.int64) and isinstance(args[0], Variable):
            self.expression = args[0].expression if self.expression is None else self.expression
        elif name in _COMPARED:
            self.ranges = _compared(args[0], args[1], _COMPARED[name])
        elif name in ("and_", "logical_and", "bitwise_and"):
            self.ranges = _both(args[0], args[1])


def _compared(a: Any, b: Any, difference: tuple[float, float]) -> Ranges:
    """Where a - b is within `difference`."""
    if not all(isinstance(v, Variable) and v.expression is not None for v in (a, b)):
        return {}
    constant, rest = sympy.expand(a.expression - b.expression).as_coeff_Add()
    if rest == 0 or not isinstance(constant, sympy.Integer):
        return {}
    low, high = (end - int(constant) for end in difference)
    return {rest: (low, high), -rest: (-high, -low)}


def _both(a: Any, b: Any) -> Ranges:
    """Where both conditions are true."""
    joined: dict[sympy.Expr, tuple[float, float]] = {}
    for of in (a, b):
        for expression, (low, high) in of.ranges.items() if isinstance(of, Variable) else ():
            before = joined.get(expression, (-math.inf, math.inf))
            joined[expression] = (max(before[0], low), min(before[1], high))
    return joined
