#!/usr/bin/env python3
"""check_layout.py finds lines, functions and files that are too long, and nothing in what is short enough."""

import pathlib
import tempfile
import unittest

import check_layout


def function(lines, indent=""):
    """One of so many lines, head and brace included; the head goes over two."""
    head = [indent + "int f(int a,", indent + "      int b) {"]
    return head + [indent + "    a += b;"] * (lines - 3) + [indent + "}"]


def findings(lines):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.cpp"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return list(check_layout.check_file(path))


class Findings(unittest.TestCase):
    def test_what_is_short_enough(self):
        self.assertEqual(findings(["// " + "ä" * 107] + function(60) + ["class A {", "public:"] + function(60, "    ")
                                  + ["};"] + ["int a;"] * 276), [])

    def test_what_is_too_long(self):
        for lines, number, words in [
            (["int a;", "// " + "a" * 108], 2, "has 111 columns"),
            (["int a;"] + function(61), 2, "has 61 lines"),
            (["struct A {"] + function(61, "    ") + ["};"], 2, "has 61 lines"),
            (["int a;"] * 401, 400, "has 401 lines"),
        ]:
            found = findings(lines)
            self.assertEqual(len(found), 1, found)
            self.assertEqual(found[0][0], number)
            self.assertIn(words, found[0][1])

    def test_a_long_block_is_no_function(self):
        self.assertEqual(findings(["namespace n {"] + ["int a;"] * 70 + ["}"]), [])


if __name__ == "__main__":
    unittest.main()
