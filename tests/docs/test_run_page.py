#!/usr/bin/env python3
"""That run_page.py runs what a page shows, and finds what is wrong with it."""

import pathlib
import tempfile
import unittest

import run_page


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def page(self, text):
        path = self.folder / "page.md"
        path.write_text(text)
        return path

    def runs(self, text, slow=False):
        return run_page.run(self.page(text), self.folder / "scratch", self.folder, slow)

    def wrong(self, said, text):
        with self.assertRaisesRegex(run_page.Wrong, said):
            run_page.check(self.page(text))

    def test_in_order_in_one_shell(self):
        self.assertEqual(self.runs('```sh\nexport A=3\n```\n```python title="b/a.py"\nprint("a", 1.5e-3)\n```\n'
                                   '```sh\npython3 b/a.py\necho "x is $A us"\n```\n'
                                   '<!-- output: numbers aside -->\n```text\na   7\n…\nx is 1,234.5 us\n```\n'), 0)

    def test_a_line_that_fails(self):
        with self.assertRaisesRegex(run_page.Wrong, "page.md:4: these lines end with status 3:\nhello"):
            self.runs("```sh\ntrue\n```\n```sh\necho hello\n(exit 3)\necho never\n```\n")

    def test_output_that_is_another(self):
        with self.assertRaisesRegex(run_page.Wrong, "'12 rows' is not what is printed there"):
            self.runs("```sh\necho 12 columns\n```\n<!-- output: numbers aside -->\n```text\n12 rows\n```\n")

    def test_slow_ones(self):
        text = "```sh\ntrue\n```\n<!-- slow: a minute -->\n```sh\nfalse\n```\n```sh\nfalse\n```\n"
        self.assertEqual(self.runs(text), 0)
        with self.assertRaises(run_page.Wrong):
            self.runs(text, slow=True)

    def test_skipped(self):
        page = self.page("```sh\nfalse\n```\n")
        self.assertEqual(run_page.run(page, self.folder / "scratch", self.folder, False, self.folder / "python"), 77)

    def test_what_is_not_tried(self):
        self.wrong("page.md:1: this cpp is not tried", "```cpp\nint a;\n```\n")
        self.wrong("nothing on the page uses a.cpp", '```cpp title="a.cpp"\nint a;\n```\n')
        self.wrong("gives no reason", "<!-- not run: -->\n```sh\nmake\n```\n")
        self.wrong("there is no mark 'not tried'", "<!-- not tried: long -->\n```sh\nmake\n```\n")
        run_page.check(self.page("<!-- not run: an hour -->\n```cpp\nint a;\n```\n"))

    def test_parts_of_files(self):
        run_page.check(self.page("<!-- from: tests/docs/run_page.py -->\n```python\ndef runs(block):\n```\n"))
        self.wrong("does not say this", "<!-- from: tests/docs/run_page.py -->\n```python\ndef runs(all):\n```\n")
        self.wrong("none.cpp is not there", "<!-- from: none.cpp -->\n```cpp\nint a;\n```\n")


if __name__ == "__main__":
    unittest.main()
