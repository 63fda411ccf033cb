#!/usr/bin/env python3
"""What tables of the documents quote from the code stands there: in a table with the columns `in the code` and `where`, each span of
code of the former is in a file that the latter links to, white space, joints of literals and marks of comments aside; … stands for
anything in between.

usage: tests/docs/check_quotes.py [PAGE...]     default: every page of docs/
"""

import pathlib
import re
import sys

import documents


def flattened(text):
    """A source as one line: literals that follow each other joined, marks of comments left out."""
    text = re.sub(r'"\s*\n\s*"', "", text)
    text = re.sub(r"\n\s*(?:///?|\*(?!/))<?[ \t]?", "\n", text)
    return re.sub(r"\s+", " ", text.replace('\\"', '"'))


def quotes(page):
    """(number of the line, quote, linked files) of each row of such tables."""
    columns = None
    for number, line in enumerate(page.read_text().split("\n"), 1):
        if not line.startswith("|"):
            columns = None
            continue
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if columns is None:
            columns = cells
        elif "in the code" in columns and "where" in columns and not set(line) <= set("|-: "):
            where = cells[columns.index("where")]
            files = [(page.parent / t.partition("#")[0]).resolve() for _, t in documents.links(where)]
            for quote in re.findall(r"`([^`]+)`", cells[columns.index("in the code")]):
                yield number, quote.replace("\\|", "|"), files


def wrong(page):
    for number, quote, files in quotes(page):
        texts = [flattened(f.read_text()) for f in files if f.is_file()]
        pattern = ".*?".join(re.escape(" ".join(part.split())) for part in quote.split("…"))
        if not any(re.search(pattern, text) for text in texts):
            yield f"{page.name}:{number}: `{quote}` is not in {', '.join(f.name for f in files) or 'a file: the row has no link'}"


def main(words):
    if words[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    pages = [pathlib.Path(w).resolve() for w in words] or sorted((documents.ROOT / "docs").glob("*.md"))
    found = [w for page in pages for w in wrong(page)]
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
