"""What the tests of documents and the site share: Markdown as GitHub reads it, as far as links, headings and blocks of code go."""

import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Folders that builds and tools make.
MADE = re.compile(r"\.venv.*|\.git|\.cache|__pycache__|build")

FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})(.*)$")
CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
# [text](target), ![text](target "title"); one level of brackets inside the text, as in a picture that is a link.
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
INNER = re.compile(r"!\[[^\]]*\]\(\s*([^()\s]+)\s*\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?(\S+?)>?\s*$")
HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")


def pages(root=ROOT):
    """Every .md of the repository."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not MADE.fullmatch(f))
        yield from (pathlib.Path(folder) / f for f in sorted(files) if f.endswith(".md"))


def prose(text):
    """(number, line) of the lines outside of code, spans of code replaced by blanks of their length."""
    fence, blank = None, True
    for number, line in enumerate(text.split("\n"), 1):
        opened = FENCE.match(line)
        if fence:
            if opened and opened.group(2).startswith(fence) and not opened.group(3).strip():
                fence = None
            continue
        if opened:
            fence = opened.group(2)
            continue
        if line.startswith("    ") and blank:  # indented code
            continue
        blank = not line.strip()
        yield number, CODE_SPAN.sub(lambda m: " " * len(m.group()), line)


def links(text):
    """(number of the line, target) of every link and picture, whatever it leads to."""
    for number, line in prose(text):
        for pattern in (LINK, INNER, REFERENCE):
            for found in pattern.finditer(line):
                yield number, found.group(1)


def is_relative(target):
    return bool(target) and not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//", target)


def slug(heading):
    """As GitHub makes anchors of headings."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text):
    """What `#...` may say of a page."""
    found, numbers = set(), {}
    plain = {number for number, _ in prose(text)}
    for number, line in enumerate(text.split("\n"), 1):
        heading = HEADING.match(line) if number in plain else None
        if heading:
            name = slug(heading.group(2))
            again = numbers.get(name, 0)
            numbers[name] = again + 1
            found.add(f"{name}-{again}" if again else name)
        found.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", line) if number in plain else [])
    return found


class Block:
    """A block of code between fences: `language`, `title` (the file that it is), `marks` ({"not run": reason} of the comments
    right above it), `code`, and the `line` of its first fence."""

    def __init__(self, language, title, marks, line):
        self.language, self.title, self.marks, self.line, self.code = language, title, marks, line, ""


MARK = re.compile(r"<!--\s*([a-z ]+):\s*(.*?)\s*-->")


def blocks(text):
    found, block, fence, marks = [], None, None, {}
    for number, line in enumerate(text.split("\n"), 1):
        opened = FENCE.match(line)
        if block is not None:
            if opened and opened.group(2).startswith(fence) and not opened.group(3).strip():
                found.append(block)
                block, marks = None, {}
            else:
                block.code += line + "\n"
            continue
        if opened:
            fence = opened.group(2)
            words = opened.group(3).strip()
            title = re.search(r'title="([^"]+)"', words)
            block = Block(words.split(" ")[0], title and title.group(1), marks, number)
            continue
        mark = MARK.fullmatch(line.strip())
        if mark:
            marks = {**marks, mark.group(1).strip(): mark.group(2)}
        elif line.strip():
            marks = {}
    return found
