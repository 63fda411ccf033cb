#!/usr/bin/env python3
"""Runs the commands that stand in docs/report.md and docs/fusion-questions.md, and writes what they print below them.

    docs/outputs.py EUTECTIC GENERATORS            write
    docs/outputs.py --check EUTECTIC GENERATORS    exit 1 if they print something else

A block that begins with ```console has lines that begin with "$ ", commands or variables that later blocks use, each with what it prints. `eutectic` and
`build/generators` are the two programs that are given. Times that were taken, and not predicted, do not count.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).parent
PAGES = ("report.md", "fusion-questions.md")


def printed(command, variables, folder):
    lines = "\n".join([*variables, f"{command} 2>&1"])
    path = f"{folder}:{os.environ['PATH']}"
    return subprocess.run(["bash", "-c", lines], capture_output=True, text=True, cwd=folder, env={**os.environ, "PATH": path}).stdout.rstrip("\n")


def predicted(text):
    return re.sub(r"planned in \S+ \S+,", "planned in some time,", text)


def run_again(block, variables, folder):
    """The block with what its commands print now; what it shows stays where only measured times differ."""
    result = []
    for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        if re.match(r"\$ \w+=", command):
            variables.append(command[2:])
            result.append(f"{command}\n")
            continue
        shown, now = shown.rstrip("\n"), printed(command[2:], variables, folder)
        result.append(f"{command}\n{shown if predicted(shown) == predicted(now) else now}\n")
    return "".join(result)


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    if len(words) != 2 or words[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if "-h" in words or "--help" in words else 2
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "build").mkdir()
        for link, program in (("eutectic", words[0]), ("build/generators", words[1])):
            (folder / link).symlink_to(pathlib.Path(program).resolve())
        other = []
        for page in PAGES:
            variables = []
            old = (DOCS / page).read_text()
            new = re.sub(r"(?<=^```console\n).*?(?=^```$)", lambda block: run_again(block.group(), variables, folder), old, flags=re.MULTILINE | re.DOTALL)
            if new != old and "--check" in sys.argv:
                here = [line for line in new.split("\n") if predicted(line) not in predicted(old).split("\n")]
                other.append(f"docs/{page} shows something else than its commands print; docs/outputs.py writes it: {here[:1]}")
            elif new != old:
                (DOCS / page).write_text(new)
    print("\n".join(other), end="\n" if other else "")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
