"""Hooks of mkdocs (mkdocs.yml): what the documents link to outside of docs/ becomes pages of the site.

On a forge a link such as ../src/cost/README.md leads to that file. The site has the same file as a page below source/: Markdown as it
is, anything else as a listing. So links are written once, as a forge needs them; the site says what the revision says that it was made
of, also after the files move, works without a network, and needs to know no address of the repository; and `mkdocs build --strict`
looks at these links as at all others. The READMEs of all folders are in the navigation, behind the documents. Listings are found
through links, and are left out of the search.
"""

import os
import pathlib
import posixpath
import re
import sys

from mkdocs.structure.files import File, InclusionLevel

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/docs"))
import documents  # noqa: E402

SOURCE = "source"
PASSED_ON = (".svg", ".png", ".jpg", ".json", ".ipynb", ".csv")  # of docs/, files that a browser may have as they are
LANGUAGES = {".h": "cpp", ".cpp": "cpp", ".in": "cpp", ".c": "c", ".py": "python", ".cmake": "cmake", ".json": "json", ".sh": "bash", ".yml": "yaml", ".toml": "toml"}
LARGEST = 200_000  # bytes of a listing


def repository(config):
    return pathlib.Path(config.config_file_path).resolve().parent


def page_of(path, root):
    """What of the site shows the file or folder `path` of the repository: its src_uri."""
    name = path.relative_to(root).as_posix()
    if path.is_dir():
        readme = path / "README.md"
        return page_of(readme, root) if readme.exists() else posixpath.join(SOURCE, name, "folder.md")
    in_docs = name.removeprefix("docs/")
    if in_docs != name and path.suffix in (".md", *PASSED_ON):
        return in_docs
    return posixpath.join(SOURCE, name if path.suffix == ".md" else name + ".md")


def listing(path, root):
    """A folder without a README, or a file, as a page."""
    name = path.relative_to(root).as_posix()
    head = f"---\nsearch:\n  exclude: true\ntitle: {name}\n---\n\n# `{name}`\n\n"
    if path.is_dir():
        return head + "".join(f"- [`{p.name}`]({p.name})\n" for p in sorted(path.iterdir()) if p.is_file() and not documents.MADE.fullmatch(p.name))
    data = path.read_bytes()
    if b"\0" in data or len(data) > LARGEST:
        return head + f"{len(data):,} bytes, which are in the repository.\n"
    language = LANGUAGES.get(path.suffix, "cmake" if path.name == "CMakeLists.txt" else "text")
    if language == "text" and data.startswith(b"#!"):
        language = "python" if b"python" in data.split(b"\n")[0] else "bash"
    return f"{head}````{language}\n{data.decode(errors='replace')}\n````\n"


def leads_to(target, page, root):
    """The file or folder that a link of `page`, a path of the repository, means; nothing where it is none of these."""
    name = target.partition("#")[0]
    if not documents.is_relative(target) or not name or name.startswith("/"):
        return None
    path = pathlib.Path(os.path.normpath(page.parent / name))
    return path if path.exists() and path.is_relative_to(root) else None


def on_config(config):
    """The READMEs at the end of the navigation."""
    root = repository(config)
    others = [p for p in documents.pages(root) if not p.is_relative_to(root / "docs")]
    top = sorted(p for p in others if p.parent == root)
    folders = {}
    for page in others:
        if page.parent != root:
            folders.setdefault(page.relative_to(root).parts[0], []).append(page)
    entries = [page_of(p, root) for p in top]
    for folder, pages in sorted(folders.items()):
        entries.append({folder: [{p.parent.relative_to(root).as_posix() if p.name == "README.md" else p.stem: page_of(p, root)} for p in sorted(pages)]})
    config.nav.append({"The repository": entries})
    return config


def on_files(files, config):
    """Adds the READMEs, and whatever any page links to."""
    root = repository(config)
    waiting = list(documents.pages(root))
    known = {f.src_uri for f in files}
    while waiting:
        path = waiting.pop()
        name = page_of(path, root)
        if name not in known:
            known.add(name)
            written = path.suffix == ".md" and path.is_file()
            inclusion = InclusionLevel.INCLUDED if written else InclusionLevel.NOT_IN_NAV
            if path.suffix in (".svg", ".png", ".jpg"):
                files.append(File.generated(config, name, abs_src_path=str(path)))
            else:
                files.append(File.generated(config, name, content=path.read_text() if written else listing(path, root), inclusion=inclusion))
        text = listing(path, root) if path.is_dir() else path.read_text() if path.suffix == ".md" else ""
        base = path / "folder.md" if path.is_dir() else path
        found = [leads_to(target, base, root) for _, target in documents.links(text)]
        waiting += [p for p in found if p and page_of(p, root) not in known]
    return files


def on_page_markdown(markdown, page, config, files):
    """Links to what has another place on the site, and lists as GitHub reads them."""
    root = repository(config)
    uri = page.file.src_uri
    if uri.startswith(SOURCE + "/"):
        here = root / uri.removeprefix(SOURCE + "/")
    else:
        here = root / "docs" / uri
    lines = markdown.split("\n")
    if here.suffix == ".md" and (here.exists() or here.name == "folder.md"):
        for number, plain in documents.prose(markdown):
            lines[number - 1] = moved(lines[number - 1], plain, here, uri, root)
        lines = spaced_lists(lines, {number for number, _ in documents.prose(markdown)})
    return "\n".join(lines)


def moved(line, plain, here, uri, root):
    """`line` with its links, which `plain`, the line without code, has at the same places, as the site needs them."""
    for pattern in (documents.LINK, documents.INNER, documents.REFERENCE):
        for found in reversed(list(pattern.finditer(plain))):
            target = found.group(1)
            path = leads_to(target, here, root)
            if path:
                anchor = "#" + target.partition("#")[2] if "#" in target and path.suffix == ".md" else ""
                there = posixpath.relpath(page_of(path, root), posixpath.dirname(uri) or ".") + anchor
                line = line[: found.start(1)] + there + line[found.end(1) :]
                plain = plain[: found.start(1)] + there + plain[found.end(1) :]
    return line


def spaced_lists(lines, plain):
    """GitHub takes a list right after a paragraph, and items inside of items that begin two columns further; Python-Markdown wants an empty
    line and four."""
    result, in_list = [], False
    for number, line in enumerate(lines, 1):
        item = re.match(r"( *)(?:[-*]|\d+\.) ", line) if number in plain else None
        indent = len(line) - len(line.lstrip(" "))
        if item and not in_list and result and result[-1].strip():
            result.append("")
        if item:
            in_list = True
        elif line.strip() and indent == 0:
            in_list = in_list and bool(result and result[-1].strip()) and not documents.FENCE.match(line)
        result.append(" " * (4 * (indent // 2)) + line.lstrip(" ") if in_list and indent >= 2 and number in plain else line)
    return result
