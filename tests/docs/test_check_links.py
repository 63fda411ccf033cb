#!/usr/bin/env python3
"""That check_links.py finds what leads nowhere, and nothing else."""

import pathlib
import tempfile
import unittest

import check_links
import documents


class Links(unittest.TestCase):
    def found(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name.replace("__", "/") + ".md")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return [f"{page}:{number} {target} {wrong}" for page, number, target, wrong in check_links.broken(folder)]

    def test_what_leads_somewhere(self):
        self.assertEqual(self.found(README="[a](docs/a.md), [b](docs/a.md#the-part), [c](docs), [d](#top), <https://a.b/c>\n# Top\n",
                                    docs__a="# A\n\n## The *part*\n\n[up](../README.md) and ![picture](a.md)\n[web](https://example.org/x.md)\n"), [])

    def test_what_does_not(self):
        self.assertEqual(self.found(README="[a](docs/b.md)\n\nand [a](docs/a.md#else)", docs__a="# A\n[out](../../x.md) [root](/x.md)"),
                         ["README.md:1 docs/b.md leads to no file",
                          "README.md:3 docs/a.md#else names the heading #else, which is not there",
                          "docs/a.md:2 ../../x.md leaves the repository", "docs/a.md:2 /x.md begins at the root of a server"])

    def test_code_has_no_links(self):
        self.assertEqual(self.found(README="`[a](b.md)` ``c[0](d.md)``\n\n    [a](b.md)\n\n```cpp\n[a](b.md)\n```\n"), [])

    def test_links_over_several_kinds(self):
        self.assertEqual(self.found(README="[![p](none.svg)](README.md)\n\n[r]: gone.md\n"),
                         ["README.md:1 none.svg leads to no file", "README.md:3 gone.md leads to no file"])

    def test_folders_that_builds_make(self):
        self.assertEqual(self.found(build__a="[a](b.md)", _venv__x="fine"), [])


class Anchors(unittest.TestCase):
    def test_as_on_github(self):
        self.assertEqual(documents.anchors("# --graph: generators joined\n## `FILE.args.json`\n## A & B\n## Same\n## Same\n```\n# no\n```\n"),
                         {"--graph-generators-joined", "fileargsjson", "a--b", "same", "same-1"})


class Blocks(unittest.TestCase):
    def test_what_is_said_of_them(self):
        first, second = documents.blocks('<!-- not run: an hour -->\n```sh\nmake\n```\ntext\n```cpp title="a.cpp"\nint a;\n\n```\n')
        self.assertEqual((first.language, first.title, first.marks, first.code, first.line), ("sh", None, {"not run": "an hour"}, "make\n", 2))
        self.assertEqual((second.language, second.title, second.marks, second.code), ("cpp", "a.cpp", {}, "int a;\n\n"))


if __name__ == "__main__":
    unittest.main()
