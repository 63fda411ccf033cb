#!/usr/bin/env python3
"""Prints coefficients.h: the polynomials of the elementary functions.

Each polynomial interpolates its function at the Chebyshev nodes of its interval, in decimal arithmetic of 60 digits;
its error is within a factor of two or so of the least that a polynomial of its degree can have. The largest error over
the interval, of the coefficients as rounded, stands beside each.

usage: coefficients.py > coefficients.h
"""

from decimal import Decimal, getcontext
from fractions import Fraction
import struct
import sys

getcontext().prec = 60
ONE = Decimal(1)


def sum_terms(term):
    """The sum of term(0), term(1), ..., until they no longer count."""
    total, n = Decimal(0), 0
    while True:
        t = term(n)
        total += t
        if n > 4 and abs(t) < Decimal(10) ** -70:
            return total
        n += 1


def power(x, n):
    return x**n if n else ONE


def factorial(n):
    return ONE if n < 2 else n * factorial(n - 1)


def pi():
    """Machin's formula."""
    arctan = lambda d: sum_terms(lambda n: Decimal((-1) ** n) / ((2 * n + 1) * Decimal(d) ** (2 * n + 1)))
    return 4 * (4 * arctan(5) - arctan(239))


PI = pi()
LN2 = Decimal(2).ln()


def cosine(x):
    return sum_terms(lambda n: (-1) ** n * power(x, 2 * n) / factorial(2 * n))


# The series are those of the functions less their first terms, so that nothing cancels near zero.
def exp_rest(r):
    """(e^r - 1 - r) / r^2"""
    return sum_terms(lambda n: power(r, n) / factorial(n + 2))


def exp2_rest(r):
    """(2^r - 1) / r"""
    return LN2 + LN2 * LN2 * r * exp_rest(r * LN2)


def log_rest(z):
    """(log((1 + s) / (1 - s)) - 2 s) / s^3 of z = s^2"""
    return sum_terms(lambda n: 2 * power(z, n) / (2 * n + 3))


def sin_rest(z):
    """(sin(r) - r) / r^3 of z = r^2"""
    return sum_terms(lambda n: (-1) ** (n + 1) * power(z, n) / factorial(2 * n + 3))


def cos_rest(z):
    """(cos(r) - 1 + r^2 / 2) / r^4 of z = r^2"""
    return sum_terms(lambda n: (-1) ** n * power(z, n) / factorial(2 * n + 4))


def erf_series(x):
    return 2 / PI.sqrt() * sum_terms(lambda n: (-1) ** n * x ** (2 * n + 1) / (factorial(n) * (2 * n + 1)))


def erf_rest(z):
    """erf(x) / x - 1 of z = x^2"""
    return 2 / PI.sqrt() * sum_terms(lambda n: (-1) ** n * power(z, n) / (factorial(n) * (2 * n + 1))) - 1


def log_erfc(x):
    return (1 - erf_series(x)).ln()


def interpolate(f, low, high, degree):
    """Coefficients of powers of the variable, lowest first."""
    n = degree + 1
    middle, half = (Decimal(low) + Decimal(high)) / 2, (Decimal(high) - Decimal(low)) / 2
    nodes = [middle + half * cosine(PI * (2 * k + 1) / (2 * n)) for k in range(n)]
    # Newton's divided differences, multiplied out.
    table = [f(x) for x in nodes]
    for order in range(1, n):
        for k in range(n - 1, order - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (nodes[k] - nodes[k - order])
    result = [table[-1]]
    for k in range(n - 2, -1, -1):
        shifted = [Decimal(0)] + result
        for i, c in enumerate(result):
            shifted[i] -= nodes[k] * c
        shifted[0] += table[k]
        result = shifted
    return result


def rounded(value, single):
    if not single:
        return float(value)
    return struct.unpack("f", struct.pack("f", float(value)))[0]


def worst_error(f, coefficients, low, high, points=201):
    worst = Decimal(0)
    for k in range(points):
        x = Decimal(low) + (Decimal(high) - Decimal(low)) * k / (points - 1)
        value = Decimal(0)
        for c in reversed(coefficients):
            value = value * x + Decimal(c)
        worst = max(worst, abs(value - f(x)))
    return worst


def literal(value):
    digits, exponent = value.hex().split("p")
    return digits.rstrip("0") + "p" + exponent


def array(name, what, f, low, high, degree, single):
    coefficients = [rounded(c, single) for c in interpolate(f, low, high, degree)]
    error = worst_error(f, coefficients, low, high)
    kind = "float" if single else "double"
    print(f"/// {what}, at most {error:.1E} off for {float(low):.4g} to {float(high):.4g}.")
    print(f"inline constexpr {kind} {name}[] = {{")
    for c in coefficients:
        print(f"    {literal(c)}{'f' if single else ''},  // {c:.{9 if single else 17}g}")
    print("};\n")


def split(name, what, value, bits):
    """value as a sum of doubles of at most `bits` significant bits, then the rest."""
    exact = Fraction(value)
    exponent = 0
    while exact * 2**exponent < 2 ** (bits - 1):
        exponent += 1
    head = Fraction(int(exact * 2**exponent), 2**exponent)
    print(f"/// {what}: what {bits} bits hold of it, and the rest.")
    print(f"inline constexpr double {name}_high = {literal(float(head))}, {name}_low = {literal(float(exact - head))};\n")


def chunks(name, what, value, bits, total):
    exact = Fraction(value)
    parts = []
    for k in range(1, total + 1):
        part = Fraction(int(exact * 2 ** (bits * k)), 2 ** (bits * k))
        exact -= part
        parts.append(float(part))
    print(f"/// {what}, in pieces of {bits} bits, their sum within 2^-{bits * total}.")
    print(f"inline constexpr double {name}[] = {{")
    for part in parts:
        print(f"    {literal(part)},")
    print("};\n")


def main():
    if len(sys.argv) > 1:
        print(__doc__)
        return 0 if sys.argv[1] in ("--help", "-h") else 2
    print("// Made by coefficients.py; change that.\n// clang-format off")
    print("#pragma once\n\nnamespace eutectic::coefficients {\n")
    array("exp_rest", "(e^r - 1 - r) / r^2", exp_rest, -0.5, 0.5, 5, True)
    array("exp_rest_double", "(e^r - 1 - r) / r^2", exp_rest, -0.5, 0.5, 11, False)
    array("exp2_rest", "(2^r - 1) / r", exp2_rest, -0.51, 0.51, 5, True)
    largest = ((Decimal(2).sqrt() - 1) / (Decimal(2).sqrt() + 1)) ** 2 * Decimal("1.001")
    array("log_rest", "(log((1 + s) / (1 - s)) - 2 s) / s^3 of s^2", log_rest, 0, largest, 2, True)
    halved = ((Decimal("1.5").sqrt() - 1) / (Decimal("1.5").sqrt() + 1)) ** 2 * Decimal("1.001")
    array("log_rest_halved", "(log((1 + s) / (1 - s)) - 2 s) / s^3 of s^2", log_rest, 0, halved, 2, True)
    array("log_rest_double", "(log((1 + s) / (1 - s)) - 2 s) / s^3 of s^2", log_rest, 0, largest, 6, False)
    quarter = (PI / 4) ** 2 * Decimal("1.001")
    array("sin_rest", "(sin(r) - r) / r^3 of r^2", sin_rest, 0, quarter, 3, True)
    array("cos_rest", "(cos(r) - 1 + r^2 / 2) / r^4 of r^2", cos_rest, 0, quarter, 3, True)
    array("erf_rest", "erf(x) / x - 1 of x^2", erf_rest, 0, 1, 6, True)
    array("log_erfc", "log(1 - erf(x))", log_erfc, 1, 4, 9, True)
    # Pieces of log(2) times an exponent are exact: 11 bits of the exponent and 42 of the head; in single precision 8 and 16.
    split("ln2", "log(2)", LN2, 42)
    split("ln2_single", "log(2)", LN2, 16)
    # The first 12 bits times 12 of a float are exact in a float.
    split("log2_e", "log2(e)", 1 / LN2, 12)
    split("log2_three_halves", "log2(3 / 2)", Decimal("1.5").ln() / LN2, 12)
    # A float has 24 bits: times 29 it is exact in a double. The largest float is below 2^128, and what is left of 2^-75 of a turn is nothing.
    chunks("quarter_turns", "2 / pi", 2 / PI, 29, 7)
    print("}  // namespace eutectic::coefficients")
    return 0


if __name__ == "__main__":
    sys.exit(main())
