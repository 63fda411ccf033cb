#!/usr/bin/env python3
"""That check_quotes.py finds what the code does not say."""

import pathlib
import tempfile
import unittest

import check_quotes

CODE = '''/** A comment that
 * goes on: |a| <= b. */
constexpr int most = 3;  // of them
throw UserError("The file " + name +
                " is no file, "
                "and not a folder.");
/// One more, in
/// two lines.
'''


class Quotes(unittest.TestCase):
    def wrong(self, *cells):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.cpp").write_text(CODE)
            page = pathlib.Path(folder) / "page.md"
            page.write_text("| what | in the code | where |\n|---|---|---|\n" + "".join(f"| it | {c} | [a](a.cpp) |\n" for c in cells))
            return list(check_quotes.wrong(page))

    def test_what_it_says(self):
        self.assertEqual(self.wrong("`most = 3`", "`A comment that goes on`", "`The file … is no file, and not a folder.`", "`One more, in two lines`",
                                    r"`\|a\| <= b`"), [])

    def test_what_it_does_not(self):
        self.assertEqual(self.wrong("`most = 4`", "`most = 3` and `least = 1`"),
                         ["page.md:3: `most = 4` is not in a.cpp", "page.md:4: `least = 1` is not in a.cpp"])


if __name__ == "__main__":
    unittest.main()
