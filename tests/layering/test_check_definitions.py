#!/usr/bin/env python3
"""check_definitions.py finds types that two linked files define under one name, and no others."""

import pathlib
import tempfile
import unittest

import check_definitions


def in_namespaces(namespaces, line):
    """A file's text with `line` in the innermost of `namespaces`."""
    opened = [f"namespace {name} {{" if name else "namespace {" for name in namespaces]
    closed = [f"}}  // namespace {name}".rstrip() for name in reversed(namespaces)]
    return "\n".join(opened + ["", line, "    int a;", "};", ""] + closed) + "\n"


def findings(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check_definitions.check_tree(pathlib.Path(folder))[0]


class Findings(unittest.TestCase):
    def test_one_name_in_two_files(self):
        for line in ["struct A {", "class A final {", "class A : public B {", "enum class A {", "union A {",
                     "class A : public B,"]:
            for places in [("src/x/a.h", "src/y/a.cpp"), ("src/a.h", "schedules/a.h"), ("src/a.h", "apps/p/a.cpp"),
                           ("tests/t/a.h", "tests/t/b.h")]:
                found = findings({place: in_namespaces(["n"], line) for place in places})
                self.assertEqual(len(found), 1, (line, places))
                self.assertIn("n::A is defined in ", found[0])
        both = {"src/a.h": in_namespaces(["n", "m"], "struct A {"), "src/b.h": in_namespaces(["n::m"], "struct A {")}
        self.assertEqual(len(findings(both)), 1)

    def test_what_may_have_one_name(self):
        defined = in_namespaces(["n"], "struct A {")
        for place, text in {
            "another namespace": in_namespaces(["m"], "struct A {"),
            "a namespace without a name": in_namespaces(["n", ""], "struct A {"),
            "inside another type": in_namespaces(["n"], "struct B {\n    struct A {\n    };"),
            "declared only": in_namespaces(["n"], "struct A;\nstruct B {"),
            "used only": in_namespaces(["n"], "struct A make(struct A a) {"),
        }.items():
            self.assertEqual(findings({"src/a.h": defined, "src/b.cpp": text}), [], place)
        self.assertEqual(findings({"tests/t/a.h": defined, "tests/u/a.h": defined, "apps/p/a.h": defined}), [])


if __name__ == "__main__":
    unittest.main()
