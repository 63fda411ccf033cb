#!/usr/bin/env python3
"""Finds what goes against the order of the folders.

    src/base <- machine <- graph <- features <- cost <- fusion <- report <- tune <- {schedules, autodiff} <- generators <- apps

A finding is printed as FILE:LINE: sentence; the exit status is 1 if there is any, else 0.

usage: check_layering.py [ROOT]      ROOT: the repository (default: the one this file is in)
"""

import re
import sys

import findings

# Folder -> the folders whose headers it may include, itself aside.
SRC = ["base", "machine", "graph", "features", "cost", "fusion", "report", "tune"]
ALLOWED = {name: set(SRC[:place]) for place, name in enumerate(SRC)}
ALLOWED["arena"] = ALLOWED["device"] = ALLOWED["library"] = ALLOWED["pair"] = set()  # linked into applications
ALLOWED["schedules"] = set(SRC)
ALLOWED["autodiff"] = set(SRC)
ALLOWED["generators"] = set(SRC) | {"schedules", "autodiff"}
ALLOWED["apps"] = set(ALLOWED)

# Halide::Internal has no stability promise; what follows a new Halide stays in these folders.
MAY_USE_INTERNAL = {"graph", "schedules", "autodiff"}
# The entry of a generator's command line: what Halide's own main() calls, and has no other name.
INTERNAL = re.compile(r"\bInternal\s*::(?!generate_filter_main\b)")

# Methods of Func, Stage and OutputImageParam that schedule. Names that ordinary code has too (split, in, bound, tile ...)
# count only in files that include Halide.
ALWAYS_SCHEDULING = (
    "compute_root compute_at compute_inline compute_with store_root store_at hoist_storage rfactor vectorize unroll parallel "
    "reorder reorder_storage align_storage fold_storage bound_extent bound_storage align_bounds align_extent unscheduled "
    "gpu gpu_tile gpu_blocks gpu_threads gpu_lanes gpu_single_thread ring_buffer never_partition always_partition"
).split()
# Operations of src/cost/loops.h have these names, too. Where no file can see Halide, they are that tree's.
ALSO_OF_LOOPS = set("vectorize unroll parallel reorder gpu_blocks gpu_threads".split())
PLAIN = set(SRC) - {"graph"}
SCHEDULING_IN_HALIDE_FILES = "split tile fuse in clone_in bound specialize prefetch serial atomic async store_in partition".split()
# An algorithm says nothing about memory layout either: that would make a kernel wrong for other callers. Who asks for kernels of one size gets bounds, by generators/ops.h (fix_columns).
LAYOUT = "set_stride set_bounds set_extent set_min set_host_alignment".split()
BOUNDS_ON_REQUEST = "ops.h"

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


def code_lines(text):
    """The lines without comments and literals (includes keep their path), so that words in prose do not count."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))

    includes = {number: line for number, line in enumerate(text.split("\n")) if INCLUDE.match(line)}
    text = re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)
    return [includes.get(number, line) for number, line in enumerate(text.split("\n"))]


def calls(line, names):
    line = re.sub(r"\bring_buffer\(\)", "", line)  # without an argument it reads what was scheduled
    return re.findall(r"(?:\.|->)\s*(%s)\s*\(" % "|".join(names), line)


def check_file(path, folder):
    """Yields (line number, sentence) for each finding in a file of FOLDER."""
    lines = code_lines(path.read_text(encoding="utf-8"))
    uses_halide = any(INCLUDE.match(line) and "Halide.h" in line for line in lines)
    # Of src/graph, read/ alone sees Halide: what is recognized in a graph is recognized in plain data.
    plain_graph = folder == "graph" and "read" not in path.parts[path.parts.index("graph") :]
    plain = folder in PLAIN or plain_graph
    always = [name for name in ALWAYS_SCHEDULING if not (plain and name in ALSO_OF_LOOPS)]
    scheduling = always + (SCHEDULING_IN_HALIDE_FILES if uses_halide else [])
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        if include:
            if plain_graph and include.group(1) == "Halide.h":
                yield number, "src/graph reads Halide's IR outside of read/"
            elif folder in PLAIN and include.group(1) == "Halide.h":
                yield number, f"src/{folder} includes Halide, which of src/ only graph/read does"
            parts = include.group(1).split("/")
            if ".." in parts or parts[0] == "src":
                yield number, f'"{include.group(1)}" goes around the include roots; write it as FOLDER/FILE'
            elif len(parts) > 1 and parts[0] in ALLOWED and parts[0] != folder and parts[0] not in ALLOWED[folder]:
                yield number, f"{folder} includes {include.group(1)}, but {parts[0]} comes after it or beside it"
            continue
        if (folder not in MAY_USE_INTERNAL or plain_graph) and INTERNAL.search(line):
            yield number, f"Halide::Internal is used in {folder}; only src/graph/read, schedules and autodiff may"
        if folder != "schedules":
            for name in calls(line, scheduling):
                yield number, f"{folder} calls {name}(), which schedules; only schedules/ does"
        if folder == "generators":
            for name in calls(line, LAYOUT):
                if name == "set_bounds" and path.name == BOUNDS_ON_REQUEST:
                    continue
                yield number, f"a generator calls {name}(), which restricts its callers' buffers"


def check_tree(root):
    """Returns (findings, number of files read)."""
    found, count = [], 0
    folders = {name: root / "src" / name for name in SRC}
    folders.update({name: root / name for name in ("schedules", "autodiff", "generators", "apps")})
    for name, folder in folders.items():
        for path in findings.source_files(folder):
            count += 1
            found += [f"{path.relative_to(root)}:{line}: {text}." for line, text in check_file(path, name)]
    return found, count


if __name__ == "__main__":
    sys.exit(findings.main(check_tree))
