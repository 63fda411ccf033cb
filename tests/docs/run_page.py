#!/usr/bin/env python3
"""Runs a page of the documents as a reader would: files that it shows are written, lines of shell run, in the order of the page, in one
folder and one shell.

usage: tests/docs/run_page.py PAGE SCRATCH [HOME] [--slow] [--torch PYTHON]
                                                 runs it, with the package in HOME/.local/eutectic
       tests/docs/run_page.py --check PAGE...    looks at its blocks, and runs nothing

--torch PYTHON: python3 is this one, and the page is skipped where it has no torch and halide.

Blocks, by the words after their first fence:

    sh                       lines of shell, for bash -euo pipefail, in SCRATCH; $CLONE is the repository
    LANGUAGE title="FILE"    the file FILE
    text                     shown, not run

and by comments right above it, <!-- MARK: REASON -->:

    not run: REASON          why nothing tries it
    slow: REASON             tried with --slow alone, with what comes after it on the page
    from: FILE               part of that file of the repository, word for word
    output: numbers aside    what the lines of shell before it print, in this order; a number stands for any number, … for anything

Exit status: 0; 1 after a sentence; 77 where a page is skipped.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import documents

HERE = pathlib.Path(__file__).resolve().parent
SHOWN = {"text", "", "console"}
MARKS = {"not run", "slow", "from", "output"}
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


class Wrong(Exception):
    """One sentence."""


def runs(block):
    return block.language == "sh" and "not run" not in block.marks


def check(page):
    """What can be said of the blocks of a page without running any."""
    found = documents.blocks(page.read_text())
    if page.parent == documents.ROOT / "docs" and any(runs(b) for b in found) and page.stem not in (HERE / "CMakeLists.txt").read_text().split():
        raise Wrong(f"{page.name} has lines of shell, and tests/docs/CMakeLists.txt has no test that runs them.")
    for number, block in enumerate(found):
        where = f"{page.name}:{block.line}"
        for mark, reason in block.marks.items():
            if mark not in MARKS:
                raise Wrong(f"{where}: there is no mark '{mark}'; known are {', '.join(sorted(MARKS))}.")
            if not reason:
                raise Wrong(f"{where}: the mark '{mark}' gives no reason.")
        if "from" in block.marks:
            source = documents.ROOT / block.marks["from"]
            if not source.is_file():
                raise Wrong(f"{where}: {block.marks['from']} is not there.")
            if block.code.strip("\n") not in source.read_text():
                raise Wrong(f"{where}: {block.marks['from']} does not say this.")
        elif block.title and "not run" not in block.marks:
            name = pathlib.Path(block.title)
            others = "\n".join(b.code for b in found[:number] + found[number + 1 :] if runs(b) or b.title)
            implied = name.name == "CMakeLists.txt" and "cmake -S" in others
            if not implied and not re.search(r"\b" + re.escape(name.stem) + r"\b", others):
                raise Wrong(f"{where}: nothing on the page uses {block.title}.")
        elif "output" in block.marks:
            if block.language not in SHOWN or not any(runs(b) for b in found[:number]):
                raise Wrong(f"{where}: what is printed stands in a block of text after lines of shell.")
        elif block.language not in SHOWN | {"sh"} and "not run" not in block.marks:
            raise Wrong(f"{where}: this {block.language} is not tried: give it a title (a file that lines of shell use), or say why not.")


def script_of(found, staged, slow):
    """One script for the whole page; what block N prints goes to N.log."""
    lines = ["set -euo pipefail"]
    for number, block in enumerate(found):
        if {"not run", "from", "output"} & block.marks.keys():
            continue
        if "slow" in block.marks and not slow:
            break
        if block.title:
            (staged / str(number)).write_text(block.code)
            folder = os.path.dirname(block.title)
            lines += [f"mkdir -p '{folder}'"] if folder else []
            lines.append(f"cp '{staged}/{number}' '{block.title}'")
        elif block.language == "sh":
            lines.append(f"echo {number} >'{staged}/last'")
            lines.append(f"{{\n{block.code}\n}} >'{staged}/{number}.log' 2>&1 </dev/null")
    return "\n".join(lines) + "\n"


def pattern_of(line):
    """What a line of output may be: numbers and white space are free."""
    pattern, at = "", 0
    for found in NUMBER.finditer(line):
        pattern += re.escape(line[at : found.start()]) + NUMBER.pattern
        at = found.end()
    pattern = (pattern + re.escape(line[at:])).replace("…", ".*")
    return re.sub(r"(?:\\ )+", r"\\s+", pattern.strip())


def compare(page, found, staged):
    last = None
    for number, block in enumerate(found):
        if runs(block) and (staged / f"{number}.log").exists():
            last = number
        if "output" not in block.marks or last is None:
            continue
        said, at = (staged / f"{last}.log").read_text(), 0
        for line in block.code.split("\n"):
            if line.strip() in ("", "…"):
                continue
            there = re.compile(r"^\s*" + pattern_of(line.strip()) + r"\s*$", re.MULTILINE).search(said, at)
            if not there:
                raise Wrong(f"{page.name}:{block.line}: '{line.strip()}' is not what is printed there:\n{said}")
            at = there.end()


def run(page, scratch, home, slow, torch=None):
    check(page)
    if torch and (not torch.exists() or subprocess.run([torch, "-c", "import torch, halide"], capture_output=True).returncode):
        print(f"{page.name} is skipped: {torch} has no torch and halide; scripts/peers installs them.")
        return 77
    shutil.rmtree(scratch, ignore_errors=True)
    staged, work = scratch / "blocks", scratch / "work"
    staged.mkdir(parents=True)
    work.mkdir()
    found = documents.blocks(page.read_text())
    (staged / "page.sh").write_text(script_of(found, staged, slow))
    environment = {k: v for k, v in os.environ.items() if k not in ("EUTECTIC_ROOT", "PYTHONPATH")}
    environment.update(HOME=str(home), CLONE=str(documents.ROOT))
    if torch:
        environment.update(PATH=f"{torch.parent}:{environment['PATH']}", TORCHINDUCTOR_CACHE_DIR=str(scratch / "cache"))
    status = subprocess.run(["bash", staged / "page.sh"], cwd=work, env=environment).returncode
    if status:
        last = (staged / "last").read_text().strip() if (staged / "last").exists() else ""
        log = (staged / f"{last}.log").read_text() if last else ""
        raise Wrong(f"{page.name}:{found[int(last)].line if last else 0}: these lines end with status {status}:\n{log}")
    compare(page, found, staged)
    return 0


def main(words):
    try:
        if words[:1] == ["--check"] and len(words) > 1:
            for name in words[1:]:
                check(pathlib.Path(name).resolve())
            return 0
        slow = "--slow" in words
        words = [w for w in words if w != "--slow"]
        torch = None
        if "--torch" in words[:-1]:
            at = words.index("--torch")
            torch = pathlib.Path(os.path.abspath(words[at + 1]))  # a link of a virtual environment stays one
            del words[at : at + 2]
        if not 2 <= len(words) <= 3 or words[0].startswith("-"):
            print(__doc__)
            return 0 if words[:1] in (["-h"], ["--help"]) else 2
        page, scratch = pathlib.Path(words[0]).resolve(), pathlib.Path(words[1]).resolve()
        return run(page, scratch, pathlib.Path(words[2]).resolve() if len(words) == 3 else pathlib.Path.home(), slow, torch)
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
