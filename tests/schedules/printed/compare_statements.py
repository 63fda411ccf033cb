#!/usr/bin/env python3
"""Compares two lowered programs as text, up to the names of loops, Funcs and temporaries, and up to the order of the operands of min, max and sums of two names, and of adjacent lets, which Halide sorts by name.

Each name of one text must stand for one name of the other, everywhere. Types, keywords and intrinsics are no names.
Exit status 0: the same; 1: different, with the first differing line of each.

usage: compare_statements.py A B
"""

import itertools
import re
import sys

TOKEN = re.compile(r"[A-Za-z_][\w.$]*|\d[\w.]*|\"(?:\\.|[^\"\\])*\"|\S")
KEYWORDS = set(
    "module name target external internal func let in for parallel vectorized unrolled gpu_block gpu_thread if else produce consume "
    "allocate free assert store select min max likely likely_if_innermost ramp broadcast x8 true false return buffer".split()
)
TYPE = re.compile(r"u?int\d+|float\d+|bfloat\d+|void|uint1$")


def is_name(token):
    return (token[0].isalpha() or token[0] == "_") and token not in KEYWORDS and not TYPE.match(token)


def closing(tokens, start):
    """The position of the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(tokens)):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(tokens[i], 0)
        if depth == 0:
            return i
    return len(tokens)


def sorted_operands(tokens):
    """The same tokens with the operands of each min and max in an order that no name has a say in."""
    result, i = [], 0
    while i < len(tokens):
        result.append(tokens[i])
        if tokens[i] in ("min", "max") and tokens[i + 1 : i + 2] == ["("]:
            end, depth, operands = closing(tokens, i + 1), 0, [[]]
            for token in tokens[i + 2 : end]:
                depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token, 0)
                if token == "," and depth == 0:
                    operands.append([])
                else:
                    operands[-1].append(token)
            operands = sorted(map(sorted_operands, operands), key=shape)
            result.append("(")
            for k, operand in enumerate(operands):
                result += ([","] if k else []) + operand
            i = end
        else:
            i += 1
    return result


def shape(tokens):
    return ["?" if is_name(t) else t for t in tokens]


def lines_of(text):
    """The lines as tokens, each run of adjacent lets sorted by what no name has a say in."""
    lines, run = [], []
    for line in text.splitlines() + [""]:
        tokens = sorted_operands(TOKEN.findall(line))
        if tokens[:1] == ["let"]:
            run.append((shape(tokens), tokens, line))
            continue
        lines += [(t, whole) for _, t, whole in sorted(run, key=lambda r: r[0])]
        run = []
        lines.append((tokens, line))
    return lines[:-1]


def swappable(tokens):
    """The positions of two names each that Halide sorts by name: of a sum that is a whole operand, index or let, a minimum or a
    maximum."""
    pairs = []
    for i in range(len(tokens) - 3):
        inner, end = tokens[i + 1 : i + 4], (tokens + [""])[i + 4]
        if tokens[i] in ("(", "[", ",", "=") and inner[1:2] == ["+"] and end in (")", "]", ",", ""):
            pairs.append((i + 1, i + 3))
        if tokens[i : i + 1] == ["("] and inner[1:2] == [","] and end == ")" and tokens[i - 1] in ("min", "max"):
            pairs.append((i + 1, i + 3))
    return [(i, j) for i, j in pairs if is_name(tokens[i]) and is_name(tokens[j])]


def with_names_swapped(tokens):
    """The line as it is, then with some of those exchanged."""
    pairs = swappable(tokens)[:12]
    for swapped in itertools.product([False, True], repeat=len(pairs)):
        line = list(tokens)
        for (i, j), swap in zip(pairs, swapped):
            if swap:
                line[i], line[j] = line[j], line[i]
        yield line


def match(tokens_a, tokens_b, forth, back):
    """Whether the lines are the same up to names, which are noted if so."""
    forth_here, back_here = {}, {}
    for s, t in zip(tokens_a, tokens_b):
        if is_name(s) and is_name(t):
            if forth.get(s, t) != t or back.get(t, s) != s:
                return False
            if forth_here.setdefault(s, t) != t or back_here.setdefault(t, s) != s:
                return False
        elif s != t:
            return False
    forth.update(forth_here)
    back.update(back_here)
    return True


def run_of_lets(lines, start):
    """How many lines from `start` on are lets of one shape."""
    first = shape(lines[start][0])
    if first[:1] != ["let"]:
        return 1
    return next((n for n in range(1, len(lines) - start) if shape(lines[start + n][0]) != first), len(lines) - start)


def first_difference(a, b):
    """The first pair of lines that differ, or None. Of adjacent lets of one shape each may stand for any of the other text's."""
    forth, back = {}, {}
    lines_a, lines_b = lines_of(a), lines_of(b)
    for start, (tokens_a, line_a) in enumerate(lines_a[: len(lines_b)]):
        candidates = range(start, start + run_of_lets(lines_b, start))
        for c in candidates:
            tokens_b = lines_b[c][0]
            if len(tokens_a) == len(tokens_b) and any(match(tokens_a, line, forth, back) for line in with_names_swapped(tokens_b)):
                lines_b.insert(start, lines_b.pop(c))
                break
        else:
            return line_a, lines_b[start][1]
    if len(lines_a) != len(lines_b):
        shorter = min(len(lines_a), len(lines_b))
        return tuple("\n".join(line for _, line in lines[shorter : shorter + 1]) for lines in (lines_a, lines_b))
    return None


def main(paths):
    texts = [open(p, encoding="utf-8").read() for p in paths]
    for path, text in zip(paths, texts):
        if text.count("\n") < 10:
            print(f"{path} holds no program")
            return 1
    difference = first_difference(*texts)
    if difference:
        for path, line in zip(paths, difference):
            print(f"{path}: {line}")
        return 1
    print(f"the same {texts[0].count(chr(10))} lines up to names")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
