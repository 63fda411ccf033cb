"""From an address, as Inductor has it, back to the coordinates of a tensor."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import sympy

# The least and the most that sums of multiples of symbols are where a mask is true.
Ranges = Mapping[sympy.Expr, tuple[float, float]]


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


def coordinates_of(
    index: sympy.Expr, extents: Mapping[sympy.Symbol, sympy.Expr], sizes: Sequence[int], strides: Sequence[int], ranges: Ranges
) -> list[Coordinate] | None:
    """Those of `index`, a sum of multiples of symbols that go from 0 to below their extents, in a tensor of such sizes and strides, the
    dim of stride 1 first; dims that the index goes through as if they were one are one. By `ranges` every coordinate is inside of its dim
    where the tensor is read. None where that cannot be told, or some number is not known."""
    dims = sorted(((int(t), int(n)) for n, t in zip(sizes, strides) if n != 1), reverse=True)
    if not dims or dims[-1][0] != 1 or any(outer[0] < inner[0] * inner[1] for outer, inner in itertools.pairwise(dims)):
        return None
    terms = _terms(index, extents)
    if terms is None:
        return None
    found = (_placed(*terms, extents, ranges, way) for way in _joined(dims))
    return next((list(reversed(f)) for f in found if f is not None), None)


def _terms(index: sympy.Expr, extents: Mapping[sympy.Symbol, sympy.Expr]) -> tuple[int, list[tuple[int, sympy.Symbol]]] | None:
    """A constant, and multiples of symbols."""
    constant, multiples = 0, []
    for term in sympy.Add.make_args(sympy.expand(index)):
        factor, symbol = term.as_coeff_Mul()
        if not isinstance(factor, sympy.Integer):
            return None
        if symbol == 1:
            constant += int(factor)
        elif isinstance(extents.get(symbol), (int, sympy.Integer)):
            multiples.append((int(factor), symbol))
        else:
            return None
    return constant, multiples


def _joined(dims: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The dims, outermost first, and all ways to take neighbours with nothing between them for one; first those that leave most dims."""
    ways: list[list[tuple[int, int]]] = [[]]
    for stride, size in dims:
        joined = [[*way[:-1], (stride, way[-1][1] * size)] for way in ways if way and way[-1][0] == stride * size]
        ways = [[*way, (stride, size)] for way in ways] + joined
    return sorted(ways, key=len, reverse=True)


def _placed(
    constant: int, multiples: list[tuple[int, sympy.Symbol]], extents: Mapping[sympy.Symbol, sympy.Expr], ranges: Ranges, dims: list[tuple[int, int]]
) -> list[Coordinate] | None:
    """Each multiple goes to the outermost dim whose stride divides it."""
    sums: list[dict[sympy.Symbol, int]] = [{} for _ in dims]
    for factor, symbol in multiples:
        of = next(d for d, (stride, _) in enumerate(dims) if factor % stride == 0)
        sums[of][symbol] = factor // dims[of][0]
    everywhere = [_range(s, {x: (0, int(extents[x]) - 1) for x in s}) for s in sums]
    inside = [_range_where(s, extents, ranges) for s in sums]
    rooms = [(-low, size - 1 - high) for (low, high), (_, size) in zip(inside, dims)]
    shifts = _shifts(constant, rooms, [stride for stride, _ in dims])
    if shifts is None:
        return None
    return [Coordinate(_sum(s) + k, low + k, high + k, size, stride) for s, k, (low, high), (stride, size) in zip(sums, shifts, everywhere, dims)]


def _sum(multiples: Mapping[sympy.Symbol, int]) -> sympy.Expr:
    return sympy.Add(*(factor * symbol for symbol, factor in multiples.items()))


def _range(multiples: Mapping[sympy.Symbol, int], ranges: Mapping[sympy.Symbol, tuple[int, int]]) -> tuple[int, int]:
    """The least and the most of a sum."""
    ends = [sorted((factor * ranges[x][0], factor * ranges[x][1])) for x, factor in multiples.items()]
    return sum(low for low, _ in ends), sum(high for _, high in ends)


def _range_where(multiples: Mapping[sympy.Symbol, int], extents: Mapping[sympy.Symbol, sympy.Expr], ranges: Ranges) -> tuple[int, int]:
    """Of a sum, where the mask is true."""
    low, high = _range(multiples, {x: _both((0, int(extents[x]) - 1), ranges.get(x)) for x in multiples})
    return _both((low, high), ranges.get(_sum(multiples)))


def _both(a: tuple[int, int], b: tuple[float, float] | None) -> tuple[int, int]:
    return a if b is None else (int(max(a[0], b[0])), int(min(a[1], b[1])))


def _shifts(constant: int, rooms: Sequence[tuple[int, int]], strides: Sequence[int]) -> tuple[int, ...] | None:
    """`constant` by the strides, each dim's part within its room; there is at most one way."""
    if not rooms:
        return () if constant == 0 else None
    (low, high), stride = rooms[0], strides[0]
    least = sum(room[0] * t for room, t in zip(rooms[1:], strides[1:]))
    most = sum(room[1] * t for room, t in zip(rooms[1:], strides[1:]))
    for part in range(max(low, -((most - constant) // stride)), min(high, (constant - least) // stride) + 1):
        rest = _shifts(constant - part * stride, rooms[1:], strides[1:])
        if rest is not None:
            return (part, *rest)
    return None
