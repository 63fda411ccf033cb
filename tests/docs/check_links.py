#!/usr/bin/env python3
"""Every relative link and picture in every .md of the repository leads to a file or folder that is there, and every #anchor
to a heading. It needs nothing but Python.

usage: tests/docs/check_links.py [ROOT]

exit status: 0, or 1 after a line for each link that leads nowhere
"""

import pathlib
import sys
import urllib.parse

import documents


def broken(root):
    """(page, number of the line, target, what is wrong) of each."""
    root = pathlib.Path(root).resolve()
    known = {}

    def anchors_of(path):
        if path not in known:
            known[path] = documents.anchors(path.read_text())
        return known[path]

    for page in documents.pages(root):
        for number, target in documents.links(page.read_text()):
            if not documents.is_relative(target):
                continue
            name, _, anchor = target.partition("#")
            path = (page.parent / urllib.parse.unquote(name)).resolve() if name else page
            if name.startswith("/"):
                wrong = "begins at the root of a server"
            elif path != root and root not in path.parents:
                wrong = "leaves the repository"
            elif not path.exists():
                wrong = "leads to no file"
            elif anchor and path.suffix == ".md" and urllib.parse.unquote(anchor) not in anchors_of(path):
                wrong = f"names the heading #{anchor}, which is not there"
            else:
                continue
            yield page.relative_to(root), number, target, wrong


def main(words):
    if len(words) > 1 or words and words[0].startswith("-"):
        print(__doc__)
        return 0 if words[0] in ("-h", "--help") else 2
    found = list(broken(words[0] if words else documents.ROOT))
    for page, number, target, wrong in found:
        print(f"{page}:{number}: the link {target} {wrong}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
