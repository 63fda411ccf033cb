#!/usr/bin/env python3
"""Brings what scale.py prints into docs/scale.md.

usage: docs/scale/page.py [--check]      --check: exit status 1 and a sentence if the page says something else
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main():
    page = HERE.parent / "scale.md"
    printed = subprocess.run([sys.executable, "-B", str(HERE / "scale.py")], capture_output=True, text=True, check=True).stdout
    text = page.read_text()
    for mark, part in zip(("measured", "projected"), printed.strip("\n").split("\n\n")):
        text = re.sub(r"(<!-- %s -->\n```text\n).*?(```)" % mark, lambda match: match[1] + part + "\n" + match[2], text, flags=re.DOTALL)
    if "--check" not in sys.argv[1:]:
        page.write_text(text)
    elif text != page.read_text():
        print("docs/scale.md shows other numbers than docs/scale/scale.py prints; run: .venv-scale/bin/python docs/scale/page.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
