#!/usr/bin/env python3
"""The comparison finds what differs, and nothing else."""

import unittest

from compare_statements import first_difference

TEXT = "for (f.s0.x, 0, 8) {\n let t1 = g[f.s0.x] + 2\n f[f.s0.x] = (float32)t1*1.5f\n}\n"


class Compare(unittest.TestCase):
    def same(self, old, new):
        self.assertIsNone(first_difference(TEXT, TEXT.replace(old, new)))

    def different(self, old, new):
        self.assertIsNotNone(first_difference(TEXT, TEXT.replace(old, new)))

    def test_names_may_differ(self):
        self.same("f.s0.x", "h$1.s0.y")
        self.same("t1", "t992")
        self.assertIsNone(first_difference(TEXT, TEXT))

    def test_everything_else_may_not(self):
        self.different("+ 2", "+ 3")
        self.different("+ 2", "- 2")
        self.different("for", "parallel")
        self.different("float32", "float64")
        self.different("1.5f", "2.5f")
        self.different(" f[f.s0.x] = (float32)t1*1.5f\n", "")
        self.different("t1*1.5f", "t1*1.5f\n g[0] = 1")

    def test_a_name_stands_for_one_name(self):
        self.different("g[f.s0.x]", "f[f.s0.x]")
        self.different("(float32)t1", "(float32)g")
        self.different("let t1 = g", "let g = t1")

    def test_operands_of_max_may_be_in_any_order(self):
        line = "let a = max(f[x + 1], min(y[t1 - 2], 3))"
        self.assertIsNone(first_difference(line, "let a = max(min(3, y[t9 - 2]), f[x + 1])"))
        self.assertIsNotNone(first_difference(line, "let a = max(min(3, y[t9 - 3]), f[x + 1])"))
        self.assertIsNotNone(first_difference(line, "let a = min(min(3, y[t9 - 2]), f[x + 1])"))
        self.assertIsNotNone(first_difference("let a = g(f[x + 1], 2)", "let a = g(2, f[x + 1])"))

    def test_adjacent_lets_may_be_in_any_order(self):
        self.assertIsNone(first_difference("let a = x + 1\nlet b = y*2\nf[a] = b\n", "let d = v*2\nlet c = u + 1\ng[c] = d\n"))
        self.assertIsNotNone(first_difference("let a = x + 1\nlet b = y*2\nf[a] = b\n", "let d = v*2\nlet c = u + 1\ng[d] = c\n"))

    def test_so_may_lets_of_one_shape_whose_names_are_known(self):
        known = "let x = f[1]\nlet y = f[2]*3\nfor (z, 0, 8) {\n"
        pair, turned = "let a = x + y\nlet b = y + 4\nlet c = x + 4\n", "let a = y + x\nlet c = x + 4\nlet b = y + 4\n"
        self.assertIsNone(first_difference(known + pair + "g[a] = b\n", known + turned + "g[a] = b\n"))
        self.assertIsNotNone(first_difference(known + pair + "g[a] = b\n", known + turned + "g[a] = c\n"))

    def test_two_names_of_a_sum_may_be_in_any_order(self):
        lets = "let a = x + 1\nlet b = y*2\n"
        self.assertIsNone(first_difference(lets + "f[(a + b)] = min(b, a)", lets + "f[(b + a)] = min(a, b)"))
        self.assertIsNotNone(first_difference(lets + "f[(a + b)] = a", lets + "f[(b + a)] = b"))
        self.assertIsNotNone(first_difference(lets + "f[(a - b)] = a", lets + "f[(b - a)] = a"))


if __name__ == "__main__":
    unittest.main()
