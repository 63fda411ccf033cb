#!/usr/bin/env python3
"""Finds lines of more than 110 columns, functions of more than 60 lines and files of more than 400.

What clang-format cannot break (a literal, a comment's table) is a person's to break. Functions are found by what
clang-format makes of them: a head that ends in "{", and the "}" that stands below the head's first column.

A finding is printed as FILE:LINE: sentence; the exit status is 1 if there is any, else 0.

usage: check_layout.py [ROOT]      ROOT: the repository (default: the one this file is in)
"""

import re
import sys

import findings

FOLDERS = ["src", "schedules", "autodiff", "generators", "apps", "tests"]
MOST_COLUMNS, MOST_LINES_OF_A_FUNCTION, MOST_LINES = 110, 60, 400

NOT_A_FUNCTION = re.compile(r'(namespace|class|struct|enum|union|extern "C"|if|for|while|switch|else|do|try|catch|case|default)\b|[}#]')
ENDS_BEFORE_A_HEAD = re.compile(r"[;{}:]\s*$|^\s*$|\*/\s*$|^\s*(#|//)")


def indent(line):
    return len(line) - len(line.lstrip(" "))


def functions(lines):
    """Yields (first line, lines, head) of each function that is not inside another one; lines count from 1."""
    head = None
    for number, line in enumerate(lines, 1):
        if head:
            first, column, text = head
            if line.startswith(" " * column + "}"):
                yield first, number - first + 1, text
                head = None
        elif line.endswith("{") and not line.lstrip().startswith("//"):
            first = number
            while first > 1 and not ENDS_BEFORE_A_HEAD.search(lines[first - 2]):
                first -= 1
            text = " ".join(part.strip() for part in lines[first - 1 : number])
            if "(" in text and not NOT_A_FUNCTION.match(text):
                head = first, indent(lines[first - 1]), text


def without_raw_strings(text):
    """Braces and columns inside raw strings are another language's; their lines stay."""
    return re.sub(r'R"(\w*)\((.*?)\)\1"', lambda m: '""' + "\n" * m.group(0).count("\n"), text, flags=re.S)


def check_file(path):
    """Yields (line number, sentence) for each finding."""
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_COLUMNS:
            yield number, f"the line has {len(line)} columns; break it at {MOST_COLUMNS}"
    for first, count, head in functions(without_raw_strings(text).split("\n")):
        if count > MOST_LINES_OF_A_FUNCTION:
            yield first, f"the function has {count} lines; split it into such of at most {MOST_LINES_OF_A_FUNCTION}"
    if len(lines) - 1 > MOST_LINES:
        yield MOST_LINES, f"the file has {len(lines) - 1} lines; split it into such of at most {MOST_LINES}"


def check_tree(root):
    """Returns (findings, number of files read)."""
    found, count = [], 0
    for folder in FOLDERS:
        for path in findings.source_files(root / folder):
            count += 1
            found += [f"{path.relative_to(root)}:{line}: {text}." for line, text in check_file(path)]
    return found, count


if __name__ == "__main__":
    sys.exit(findings.main(check_tree))
