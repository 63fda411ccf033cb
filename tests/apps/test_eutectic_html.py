#!/usr/bin/env python3
"""--html: one file that needs nothing else, and holds what --json tells. (test_eutectic_browser.py uses such pages.)"""

import html.parser
import json
import os
import re
import shutil

from eutectic_command import GENERATORS, TARGET, Case, main


class Page(html.parser.HTMLParser):
    """What a page would fetch, the data in it, and the classes of what Graphviz drew by id."""

    def __init__(self, text):
        super().__init__()
        self.fetched, self.data, self.drawn, self.open = [], "", {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.fetched += [v for k, v in attrs.items() if k in ("src", "href", "xlink:href") and v and not v.startswith(("data:", "#"))]
        self.open = attrs.get("id")
        if tag == "g":
            self.drawn[attrs.get("id")] = attrs.get("class", "").split()

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        self.data += data if self.open == "data" else ""


class Pages(Case):
    def page(self, path):
        text = (self.folder / path).read_text()
        page = Page(text)
        self.assertEqual(page.fetched, [])
        self.assertEqual(re.findall(r"@[A-Z]+@|@import|url\(", text), [])
        return text, page

    def explained(self, *words):
        report = self.report(*words, "--target", TARGET, "--html", "page.html")
        text, page = self.page("page.html")
        for varies in ("steps", "plan_seconds"):
            report.pop(varies)
        self.assertEqual({k: v for k, v in json.loads(page.data).items() if k in report}, report)
        return text, page, report

    def test_the_graph(self):
        if not shutil.which("dot"):
            self.skipTest("Graphviz is not installed")
        for generator in ("dense", "attention", "mlp_loss_backward"):
            with self.subTest(generator):
                _, page, report = self.explained(GENERATORS, "-g", generator)
                edges = report["edges"]
                self.assertEqual({i: c for i, c in page.drawn.items() if str(i).startswith("edge")},
                                 {f"edge{i}": ["edge", "decision", e["decision"].replace(" ", "-")] for i, e in enumerate(edges)})
                self.assertEqual(sum("cluster" in c for c in page.drawn.values()), len(report["groups"]))
                self.assertGreaterEqual(sum("node" in c for c in page.drawn.values()), len(report["operations"]))

    def test_without_graphviz(self):
        # Nothing is found in a path without programs.
        result = self.run_command("explain", GENERATORS, "-g", "dense", "--html", "page.html", env={**os.environ, "PATH": str(self.folder)})
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        text, page = self.page("page.html")
        self.assertEqual(page.drawn, {})
        self.assertIn("The graph is laid out by Graphviz, which is not installed here: install it, such as Debian's package graphviz, and write this page again.", text)
        (self.folder / "dot").write_text("#!/bin/sh\nexit 3\n")
        (self.folder / "dot").chmod(0o755)
        result = self.run_command("explain", GENERATORS, "-g", "dense", "--html", "page.html", env={**os.environ, "PATH": f"{self.folder}:/bin"})
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("The graph is laid out by Graphviz, which failed here (exit status 3): check that dot -Tsvg works", self.page("page.html")[0])

    def test_targets(self):
        targets = ("x86-64-linux-avx2-fma", "x86-64-linux-cuda-cuda_capability_80", "x86-64-linux-opencl")
        told = json.loads(self.done("explain", GENERATORS, "-g", "mlp", "--targets", ",".join(targets), "--json", "--html", "page.html"))
        text, page = self.page("page.html")
        self.assertEqual(json.loads(page.data), told)
        self.assertEqual(len(told["targets"]), 3)
        self.assertTrue(any(f["differs"] for f in told["funcs"]))
        self.assertEqual(len(re.findall("<details><summary>plan [123], ", text)), 3)

    def test_names_are_text(self):
        self.done("explain", GENERATORS, "-g", "dense", "--save", "dense.hlpipe", "--target", TARGET)
        name = "</script><b> & @DATA@.hlpipe"
        (self.folder / "</script><b> & @DATA@.hlpipe".replace("/", "")).write_bytes((self.folder / "dense.hlpipe").read_bytes())
        name = name.replace("/", "")
        self.done("explain", name, "--html", "page.html", "--arg", "x=784x16", "--arg", "y=256x16")
        text = (self.folder / "page.html").read_text()
        self.assertEqual(text.count("&lt;script&gt;&lt;b&gt; &amp; @DATA@.hlpipe"), 2)
        self.assertEqual(text.count("<b>"), 0)

    def test_a_comparison(self):
        self.done("explain", GENERATORS, "-g", "pointwise_chain", "n=64", "--save", "p.hlpipe")
        result = self.run_command("compare", "p.hlpipe", "--against", "root,Anderson2021", "--seconds", 0.01, "--json", "--html", "page.html")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(json.loads(self.page("page.html")[1].data), json.loads(result.stdout))

    def test_places_that_cannot_be_written(self):
        self.refused("The page cannot be written to no/x.html: check that its folder exists, is writable and has room.", "explain", GENERATORS, "-g", "dense", "--html", "no/x.html")
        self.refused("The page cannot be written to no/x.html: check that its folder exists, is writable and has room.", "compare", GENERATORS, "-g", "dense", "--html", "no/x.html")


if __name__ == "__main__":
    main()
