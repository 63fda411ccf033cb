#!/usr/bin/env python3
"""Finds links in Markdown pages that lead nowhere: to files that are not there, or to headings that a page lacks.

Links to other sites are not followed, and blocks of code have none.

A finding is printed as FILE:LINE: sentence; the exit status is 1 if there is any, else 0.

usage: check_links.py [ROOT]      ROOT: the repository (default: the one this file is in)
"""

import re
import sys

import findings

LEFT_OUT = {"build", "node_modules"}  # and what is hidden
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def lines_of(path):
    """(number, line) of what is no code; code within a line is blank."""
    fence = False
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line.lstrip().startswith("```"):
            fence = not fence
        elif not fence and not line.startswith("    "):
            yield number, line


def anchors(path):
    """What headings are called in links, as GitHub calls them."""
    names = set()
    for _, line in lines_of(path):
        if line.startswith("#"):
            title = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            names.add(title if title not in names else f"{title}-1")
    return names


def check_file(path):
    """Yields (line number, sentence) for each finding."""
    for number, line in lines_of(path):
        for link in LINK.findall(re.sub(r"`[^`]*`(?!\])", "", line)):
            name, _, heading = link.partition("#")
            if re.match(r"\w+:", link):
                continue
            to = path.parent / name if name else path
            if not to.exists():
                yield number, f"the link to {name} leads to no file"
            elif heading and to.suffix == ".md" and heading not in anchors(to):
                yield number, f"{name or 'this page'} has no heading for #{heading}"


def check_tree(root):
    """Returns (findings, number of files read)."""
    pages = [path for path in findings.source_files(root, (".md",))
             if not any(part in LEFT_OUT or part.startswith(".") for part in path.relative_to(root).parts[:-1])]
    return [f"{page.relative_to(root)}:{line}: {text}." for page in pages for line, text in check_file(page)], len(pages)


if __name__ == "__main__":
    sys.exit(findings.main(check_tree))
