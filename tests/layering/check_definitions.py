#!/usr/bin/env python3
"""Finds types that two files define under one name: the linker then takes the functions of one for both.

What is in a namespace without a name belongs to its file. Programs of apps and tests are linked on their own: each
folder of those is compared with the libraries, not with the others.

A finding is printed as FILE:LINE: sentence; the exit status is 1 if there is any, else 0.

usage: check_definitions.py [ROOT]      ROOT: the repository (default: the one this file is in)
"""

import re
import sys

import findings

LIBRARIES, FOLDERS_OF_PROGRAMS = ["src", "schedules", "autodiff"], ["apps", "tests"]

NAMESPACE = re.compile(r"(inline )?namespace\b\s*([\w:]*)\s*\{")
DEFINITION = re.compile(r"(?:struct|class|union|enum(?: class| struct)?)\s+([\w:]+)(?:\s+final)?(?:\s*:[^;]*|[^;()=<]*)$")


def definitions(text):
    """Yields (line number, name with its namespaces) of each type at a file's or a namespace's level that other files
    could meet. clang-format indents nothing for a namespace, and closes each at the first column."""
    namespaces = []
    for number, line in enumerate(text.split("\n"), 1):
        opens = NAMESPACE.match(line)
        if opens and line.rstrip().endswith("{"):
            namespaces.append(opens.group(2))
        elif line.startswith("}  // namespace") and namespaces:
            namespaces.pop()
        elif "" not in namespaces and not line.rstrip().endswith(";"):
            found = DEFINITION.match(line.split("{")[0])
            if found:
                yield number, "::".join([*namespaces, found.group(1)])


def defined_twice(root, paths, known):
    """Findings for those of `paths` that define what `known` (name to place) has already; it is filled in."""
    for path in paths:
        for number, name in definitions(path.read_text(encoding="utf-8")):
            place = f"{path.relative_to(root)}:{number}"
            if name in known:
                yield f"{place}: {name} is defined in {known[name]}, too; give one of them another name."
            else:
                known[name] = place


def check_tree(root):
    """Returns (findings, number of files read)."""
    libraries = {}
    paths = [path for folder in LIBRARIES for path in findings.source_files(root / folder)]
    found, count = list(defined_twice(root, paths, libraries)), len(paths)
    for folder in FOLDERS_OF_PROGRAMS:
        for program in sorted(path for path in (root / folder).glob("*") if path.is_dir()):
            paths = findings.source_files(program)
            found += defined_twice(root, paths, dict(libraries))
            count += len(paths)
    return found, count


if __name__ == "__main__":
    sys.exit(findings.main(check_tree))
