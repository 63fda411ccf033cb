"""From an address, as Inductor has it, back to the coordinates of a tensor."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import sympy


class Coordinate(NamedTuple):
    """Of one dim: what it is, the least and the most that this may be, and the dim's size and stride."""

    expression: sympy.Expr
    low: int
    high: int
    size: int
    stride: int

    def beyond(self) -> int:
        """How many values lie outside of the dim."""
        return max(0, -self.low) + max(0, self.high - self.size + 1)


def coordinates_of(index: sympy.Expr, extents: dict[sympy.Symbol, sympy.Expr], sizes: Sequence[int], strides: Sequence[int]) -> list[Coordinate] | None:
    """Those of `index`, a sum of multiples of symbols that go from 0 to below their extents, in a tensor of such sizes and strides, the
    dim of stride 1 first. What is masked is the tensor and what surrounds it: of all ways to take the constant apart, the one that leaves
    the dims least. None where that is not one answer, or some number is not known."""
    dims = sorted(((int(t), int(n)) for n, t in zip(sizes, strides) if n != 1), reverse=True)
    if not dims or dims[-1][0] != 1 or any(outer[0] < inner[0] * inner[1] for outer, inner in itertools.pairwise(dims)):
        return None
    constant, sums, lows, highs = 0, [sympy.S.Zero] * len(dims), [0] * len(dims), [0] * len(dims)
    for term in sympy.Add.make_args(sympy.expand(index)):
        factor, symbol = term.as_coeff_Mul()
        if not isinstance(factor, sympy.Integer):
            return None
        if symbol == 1:
            constant += int(factor)
            continue
        if symbol not in extents or not isinstance(extents[symbol], (int, sympy.Integer)):
            return None
        of = next((d for d, (stride, _) in enumerate(dims) if int(factor) % stride == 0), None)
        if of is None:
            return None
        step = int(factor) // dims[of][0]
        most = step * (int(extents[symbol]) - 1)
        sums[of] += step * symbol
        lows[of] += min(0, most)
        highs[of] += max(0, most)
    found = _shifted(constant, sums, lows, highs, dims)
    return None if found is None else list(reversed(found))


def _shifted(constant: int, sums: list[sympy.Expr], lows: list[int], highs: list[int], dims: list[tuple[int, int]]) -> list[Coordinate] | None:
    """`constant` as a shift of each dim, outermost first."""
    best: list[list[Coordinate]] = []
    best_price = None
    for shifts in _shifts(constant, lows, highs, dims):
        made = [Coordinate(s + k, low + k, high + k, size, stride) for s, k, low, high, (stride, size) in zip(sums, shifts, lows, highs, dims)]
        price = sum(c.beyond() for c in made)
        if best_price is None or price < best_price:
            best, best_price = [made], price
        elif price == best_price and made not in best:
            best.append(made)
    return best[0] if len(best) == 1 else None


def _shifts(constant: int, lows: list[int], highs: list[int], dims: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Ways to write `constant` by the strides: each dim's part is none, the nearest, or one that keeps the dim within its size."""
    if len(dims) == 1:
        return [(constant,)]
    stride, size = dims[0]
    tried = {0, constant // stride, -(-constant // stride), -lows[0], size - 1 - highs[0]}
    return [
        (part, *rest) for part in sorted(tried) for rest in _shifts(constant - part * stride, lows[1:], highs[1:], dims[1:])
    ]
