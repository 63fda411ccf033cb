#!/usr/bin/env python3
"""check_links.py finds links of Markdown pages that lead nowhere, and no others."""

import pathlib
import tempfile
import unittest

import check_links

PAGES = {"README.md": "# One page\n", "docs/a.md": "# A `page`\n\n## --graph: what it is\n\n## Twice\n\n## Twice\n", "src/x.h": ""}


def findings(text):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in {**PAGES, "docs/here.md": text, "build/left.md": "[out](out.md)", ".venv/left.md": "[out](out.md)"}.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return check_links.check_tree(pathlib.Path(folder))[0]


class Findings(unittest.TestCase):
    def test_nowhere(self):
        for link, said in {
            "b.md": "the link to b.md leads to no file",
            "../src/y.h": "the link to ../src/y.h leads to no file",
            "a.md#a": "a.md has no heading for #a",
            "#there": "this page has no heading for #there",
        }.items():
            for text in (f"text [a link]({link}) text", f"[`code`]({link})", f"- `a`: [one](a.md), [two]({link})", f"```\ncode\n```\n[link]({link})"):
                place = text.count("\n") + 1
                self.assertEqual(findings(text), [f"docs/here.md:{place}: {said}."], text)

    def test_somewhere(self):
        for link in ("a.md", "../README.md", "../src/x.h", "../src", "a.md#a-page", "a.md#--graph-what-it-is", "a.md#twice-1", "https://halide-lang.org", "mailto:a@b.c"):
            self.assertEqual(findings(f"[a link]({link})"), [], link)
        for text in ("# Here\n[a](#here)", "```\n[a](b.md)\n```", "    [a](b.md)", "`[a](b.md)`"):
            self.assertEqual(findings(text), [], text)


if __name__ == "__main__":
    unittest.main()
