"""Operations as Halide expressions, where Inductor's own are not accurate, wrong for some values, or cannot be computed in vectors."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch._inductor.codegen.halide import HalideOverrides, halide_type
from torch._inductor.virtualized import V, ops


class Operations(HalideOverrides):
    """Inductor's, but for these."""

    @staticmethod
    def exp(x: Any) -> str:
        # Halide's own of floats is 0 of NaN, and of what is too large for its exponent; from 89 on it is infinite, up to -104 it is 0.
        inside = f"hl.clamp({x}, {_like(x, -200)}, {_like(x, 200)})"
        return f"(hl.exp({x}) if {_is_double(x)} else hl.select({Operations.isnan(x)}, {x}, hl.exp({inside})))"

    @staticmethod
    def log(x: Any) -> str:
        # Halide's own of floats takes NaN and infinities for numbers, and subnormal numbers for larger ones.
        small = f"({x} < hl.f32(1.1754944e-38))"
        scaled = f"hl.log(hl.select({small}, {x} * hl.f32(2.0**24), {x})) - hl.select({small}, hl.f32({24 * math.log(2)!r}), hl.f32(0))"
        return f"(hl.log({x}) if {_is_double(x)} else hl.select({x} < {_like(x, _INF)}, {scaled}, {x}))"

    @staticmethod
    def log2(x: Any) -> str:
        return f"({Operations.log(x)}) * {_like(x, f'hl.f64({1 / math.log(2)!r})')}"

    @staticmethod
    def log1p(x: Any) -> Any:
        # What 1 + x has lost of x, as part of it. log(1 + x) x / ((1 + x) - 1) is Kahan's, which is as good, and divides as often.
        one = _like(x, 1)
        u = V.kernel.genfunc(f"{x} + {one}", x.used_dims)
        known = f"({x} < {_like(x, _INF)}) & ({u} != 0)"
        lost = V.kernel.genfunc(f"hl.select({known}, ({x} - ({u} - {one})) / {u}, {_like(x, 0)})", x.used_dims)
        return _odd(x, f"{ops.log(u)} + {lost}")

    @staticmethod
    def expm1(x: Any) -> Any:
        # Kahan: (e^x - 1) x / log(e^x), where e^x is neither 1 nor so small or large that nothing is lost.
        one = _like(x, 1)
        e = ops.exp(x)
        less = V.kernel.genfunc(f"{e} - {one}", x.used_dims)
        quotient = V.kernel.genfunc(f"{less} * {x} / {ops.log(e)}", x.used_dims)
        return f"hl.select({e} == {one}, {x}, hl.select((hl.abs({x}) < 20), {quotient}, {less}))"

    @staticmethod
    def tanh(x: Any) -> str:
        # The scheduler's own joins the sign's bit with the others', which LLVM computes wrong in vectors of AVX-512 where x is a bfloat16
        # and a select stands around it.
        return _odd(x, f"hl.tanh(hl.abs({x})) * hl.select({x} < 0, {_like(x, -1)}, {_like(x, 1)})")

    @staticmethod
    def sin(x: Any) -> str:
        return _odd(x, f"hl.sin({x})")

    @staticmethod
    def erf(x: Any) -> str:
        # From 6 on it is 1 in floats and doubles; Halide's own has none of infinities.
        six = _like(x, 6)
        return _odd(x, f"hl.select({Operations.isnan(x)}, {x}, {_like(x, f'hl.erf(hl.clamp({x}, -{six}, {six}))')})")

    @staticmethod
    def erfc(x: Any) -> str:
        raise NotImplementedError("erfc")  # 1 - erf(x) has lost everything from 4 on

    @staticmethod
    def erfcx(x: Any) -> str:
        raise NotImplementedError("erfcx")

    @staticmethod
    def relu(x: Any) -> str:
        return f"hl.select({x} < {_like(x, 0)}, {_like(x, 0)}, {x})"

    @staticmethod
    def floordiv(a: Any, b: Any) -> str:
        # Halide's remainder is never negative: its quotient is one too large where the divisor is negative.
        return f"({a} / {b} - {_like(a, f'({b} < 0) & ({a} % {b} != 0)')})"

    @staticmethod
    def mod(a: Any, b: Any) -> str:
        # The sign is the dividend's, as in C.
        return f"({a} % {b} if {a.name}.type().is_float() else hl.mod_round_to_zero({a}, hl.select({b} == 0, {_like(b, 1)}, {b})))"

    @staticmethod
    def remainder(a: Any, b: Any) -> Any:
        # The sign is the divisor's; Halide's remainder of integers is never negative.
        r = V.kernel.genfunc(f"{a} % {b}", V.kernel.sort_used_dims({*a.used_dims, *b.used_dims}))
        return f"hl.select(({r} != 0) & (({r} < 0) != ({b} < 0)), {r} + {b}, {r})"

    @staticmethod
    def truncdiv(a: Any, b: Any) -> str:
        return f"hl.div_round_to_zero({a}, hl.select({b} == 0, {_like(b, 1)}, {b}))"

    @staticmethod
    def isnan(x: Any) -> str:
        return f"({_magnitude(x)} > {_bits(x, _like(x, _INF))})"

    @staticmethod
    def isinf(x: Any) -> str:
        return f"({_magnitude(x)} == {_bits(x, _like(x, _INF))})"

    @staticmethod
    def signbit(x: Any) -> str:
        return f"({_bits(x, x)} < 0)"

    @staticmethod
    def copysign(x: Any, y: Any) -> str:
        # By a select, for the sake of bfloat16: see tanh.
        negative = f"{_magnitude(x)} | {_integer(x)}.min()"
        return f"hl.reinterpret({x.name}.type(), hl.select({_bits(x, _like(x, y))} < 0, {negative}, {_magnitude(x)}))"

    @staticmethod
    def logical_and(a: Any, b: Any) -> str:
        return f"(({a} != 0) & ({b} != 0))"

    @staticmethod
    def logical_or(a: Any, b: Any) -> str:
        return f"(({a} != 0) | ({b} != 0))"

    @staticmethod
    def logical_xor(a: Any, b: Any) -> str:
        return f"(({a} != 0) != ({b} != 0))"


_INF = "hl.f64(inf)"


def _like(x: Any, value: Any) -> str:
    """`value` in the type of x."""
    return f"hl.cast({x.name}.type(), {value})"


def _integer(x: Any) -> str:
    """The type of integers that are as wide as x."""
    return f"hl.Int({x.name}.type().bits())"


def _bits(x: Any, value: Any) -> str:
    """Those of `value`, which has the type of x."""
    return f"hl.reinterpret({_integer(x)}, {value})"


def _magnitude(x: Any) -> str:
    """The bits without the sign, as an integer, in whose order floats are. (Halide takes x != x for false.)"""
    return f"({_bits(x, x)} & {_integer(x)}.max())"


def _odd(x: Any, value: str) -> str:
    """`value`, but with the sign of x where that is a zero, which polynomials lose."""
    return f"hl.select({x} == 0, {x}, {value})"


def _is_double(x: Any) -> str:
    return f"{x.name}.type().bits() == 64"


def keyed(value: Any, dtype: torch.dtype, largest: bool) -> tuple[Any, torch.dtype]:
    """Integers that are in the order of floats, NaN beyond all on the side that is looked for: their maxima and minima may be taken in any
    order and in vectors, and are NaN where one of them is."""
    integer, _ = _computed_in(dtype)
    kind = halide_type(integer)
    bits = V.kernel.genfunc(f"hl.reinterpret({kind}, {value})", value.used_dims)
    nan = f"{kind}.max()" if largest else f"{kind}.min()"
    return V.kernel.genfunc(f"hl.select({Operations.isnan(value)}, {nan}, {_mirrored(bits, integer)})", value.used_dims), integer


def unkeyed(key: Any, dtype: torch.dtype) -> Any:
    """The float that `key` is of."""
    integer, floats = _computed_in(dtype)
    return V.kernel.genfunc(f"hl.reinterpret({halide_type(floats)}, {_mirrored(key, integer)})", key.used_dims)


def _computed_in(dtype: torch.dtype) -> tuple[torch.dtype, torch.dtype]:
    """Integers and floats of one width, of which the latter are what kernels compute values of `dtype` in."""
    return (torch.int64, torch.float64) if dtype == torch.float64 else (torch.int32, torch.float32)


def _mirrored(bits: Any, integer: torch.dtype) -> str:
    """Negative floats have bits in the wrong order; this is its own inverse."""
    width = torch.iinfo(integer).bits
    return f"{bits} ^ (({bits} >> {width - 1}) & hl.i{width}({torch.iinfo(integer).max}))"
