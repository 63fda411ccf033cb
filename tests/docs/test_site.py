#!/usr/bin/env python3
"""The documents as a site: mkdocs builds it without a warning, every link of the pages that it makes leads to a file and an anchor
of the site, and what should be an error is one. Where mkdocs is not installed the test is skipped (status 77).

usage: tests/docs/test_site.py [TEST...]
"""

import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

import documents

PYTHON = documents.ROOT / ".venv-docs/bin/python"


def build(config, folder):
    return subprocess.run([PYTHON, "-B", "-m", "mkdocs", "build", "--strict", "--config-file", config, "--site-dir", folder],
                          capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if (tag, name) in (("a", "href"), ("img", "src")) and value:
                self.links.append(value)


class Site(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_it_builds_and_its_links_lead_somewhere(self):
        built = build(documents.ROOT / "mkdocs.yml", self.folder / "site")
        self.assertEqual((built.returncode, built.stdout), (0, ""), built.stderr)
        self.assertNotIn("WARNING", built.stderr)
        pages = {p: Page(p.read_text()) for p in (self.folder / "site").rglob("*.html")}
        self.assertGreater(len(pages), 100)
        for path, page in pages.items():
            if path.name == "404.html":  # its links begin at the root of a server
                continue
            for link in page.links:
                if not documents.is_relative(link):
                    self.assertRegex(link, "^(https?:|mailto:)")
                    continue
                name, _, anchor = link.partition("#")
                there = (path.parent / urllib.parse.unquote(name)).resolve() if name else path
                there = there / "index.html" if there.is_dir() else there
                self.assertTrue(there.exists(), f"{path}: {link}")
                if anchor and there in pages:
                    self.assertIn(urllib.parse.unquote(anchor), pages[there].anchors, f"{path}: {link}")
        # A file, a folder without a README, and what a README of a folder links to.
        for name in ("source/index.html", "source/src/cost/index.html", "source/src/arena/arena.h.html"):
            self.assertTrue((self.folder / "site" / name).exists(), name)
        self.assertIn("eutectic_arena", (self.folder / "site/source/src/arena/arena.h.html").read_text())

    def test_nothing_is_fetched_from_elsewhere(self):
        build(documents.ROOT / "mkdocs.yml", self.folder / "site")
        for path in (self.folder / "site").rglob("*.html"):
            self.assertFalse(re.findall(r"<(?:script|link)[^>]*(?:src|href)=\"https?://[^\"]*\.(?:js|css)", path.read_text()), path)

    def site_with(self, **pages):
        """A little site of these pages, under this configuration."""
        root = self.folder / "tree"
        for name in ("docs", "tests/docs", "src"):
            (root / name).mkdir(parents=True, exist_ok=True)
        shutil.copy(documents.ROOT / "docs/site_hooks.py", root / "docs")
        shutil.copy(documents.ROOT / "tests/docs/documents.py", root / "tests/docs")
        (root / "src/a.cpp").write_text("int a;\n")
        config = (documents.ROOT / "mkdocs.yml").read_text()
        (root / "mkdocs.yml").write_text(config[: config.index("nav:\n  - ")] + "nav:\n  - Documents: README.md\n")
        for name, text in pages.items():
            (root / "docs" / f"{name}.md").write_text(text)
        return build(root / "mkdocs.yml", self.folder / "little")

    def test_a_page_of_code(self):
        built = self.site_with(README="# A\n[code](../src/a.cpp), [folder](../src)\n")
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertIn('href="source/src/a.cpp.html"', (self.folder / "little/index.html").read_text())
        self.assertTrue((self.folder / "little/source/src/folder.html").exists())

    def test_what_is_an_error(self):
        for said, pages in (("other.md", {"README": "# A\n[b](other.md)\n"}),
                            ("../src/b.cpp", {"README": "# A\n[b](../src/b.cpp)\n"}),
                            ("#none", {"README": "# A\n[b](#none)\n"}),
                            ("not included in the", {"README": "# A\n", "more": "# B\n"})):
            built = self.site_with(**pages)
            self.assertEqual(built.returncode, 1, said)
            self.assertIn(said, built.stderr)
            shutil.rmtree(self.folder / "tree")


if __name__ == "__main__":
    if not PYTHON.exists() or subprocess.run([PYTHON, "-c", "import mkdocs, material"], capture_output=True).returncode != 0:
        print("The site of the documents is skipped: mkdocs is not installed; scripts/docs installs it.")
        sys.exit(77)
    unittest.main()
