#!/usr/bin/env python3
"""check_layering.py finds each violation of a made-up tree, and nothing in a tree that keeps the order."""

import pathlib
import tempfile
import unittest

import check_layering

KEEPS_THE_ORDER = {
    "src/base/units.h": "#pragma once\n",
    "src/graph/read/build.cpp": '#include <Halide.h>\n#include "base/units.h"\nusing namespace Halide::Internal;\nInternal::Function f;\n',
    "src/fusion/plan.cpp": '#include "fusion/plan/plan.h"\n#include "cost/cost.h"\n// Func::compute_at is called by schedules/, see Halide::Internal::x\n'
                           'const char *s = "f.compute_root()";\nvoid f() { words.split(1); loops.vectorize(0).gpu_blocks(1, 4); }\n',
    "schedules/apply.cpp": '#include <Halide.h>\n#include "fusion/plan/plan.h"\nvoid f() { func.compute_root().split(x, y, z, 4); }\n',
    "generators/dense.cpp": '#include <Halide.h>\n#include "autodiff/register.h"\nvoid f() { input.set_estimates({}); }\n',
    "generators/ops.h": "inline void fix(B b) { b.dim(0).set_bounds(0, 4); }\n",
    "generators/main.cpp": "int main() { return Halide::Internal::generate_filter_main(0, nullptr); }\n",
    "apps/digits/main.cpp": '#include "base/units.h"\n#include "digits_loss.h"\n#include <nlohmann/json.hpp>\n',
}

# file, line that must be reported, text, word of the sentence
VIOLATIONS = [
    ("src/graph/data/a.cpp", 1, '#include "Halide.h"\n', "outside of read/"),
    ("src/fusion/b.cpp", 1, "#include <Halide.h>\nvoid f() { loops.vectorize(0); }\n", "only graph/read does"),
    ("src/fusion/c.cpp", 1, "void f() { g.compute_at(h, x); }\n", "calls compute_at()"),
    ("src/graph/read/b.cpp", 1, "void f() { g.vectorize(x); }\n", "calls vectorize()"),
    ("src/graph/patterns/a.cpp", 1, "Halide::Internal::Function f;\n", "only src/graph/read"),
    ("src/base/a.h", 1, '#include "machine/machine.h"\n', "machine comes after"),
    ("src/cost/a.cpp", 2, '\n#include "fusion/plan/plan.h"\n', "fusion comes after"),
    ("src/report/a.cpp", 1, '#include <schedules/directive.h>\n', "schedules comes after"),
    ("autodiff/a.cpp", 1, '#include "schedules/directive.h"\n', "beside it"),
    ("schedules/cpu/a.cpp", 1, '#include "autodiff/tape.h"\n', "beside it"),
    ("autodiff/rules/a.cpp", 1, '#include "generators/ops.h"\n', "generators comes after"),
    ("generators/a.cpp", 1, '#include "apps/bench/bench.h"\n', "apps comes after"),
    ("src/cost/b.cpp", 1, '#include "../fusion/plan.h"\n', "around the include roots"),
    ("src/cost/c.cpp", 1, '#include "src/base/units.h"\n', "around the include roots"),
    ("src/features/a.cpp", 1, "Halide::Internal::Function f;\n", "Halide::Internal is used in features"),
    ("generators/b.cpp", 3, "/* one\n   two */\nInternal::Function f;\n", "Halide::Internal is used in generators"),
    ("generators/c.cpp", 2, "void f() { g.update(0)\n.vectorize(x); }\n", "calls vectorize()"),
    ("generators/d.cpp", 2, "#include <Halide.h>\nvoid f() { g.split(x, y, z, 4); }\n", "calls split()"),
    ("autodiff/b.cpp", 1, "void f() { g->compute_root(); }\n", "calls compute_root()"),
    ("src/graph/a.cpp", 1, "void f() { g.gpu_tile(x, y, 8, 8); }\n", "calls gpu_tile()"),
    ("apps/a.cpp", 1, "void f() { g.parallel(y); }\n", "calls parallel()"),
    ("generators/e.cpp", 1, "void f() { out.dim(0).set_stride(1); }\n", "restricts its callers"),
    ("generators/f.cpp", 1, "void f() { out.dim(0).set_bounds(0, 4); }\n", "restricts its callers"),
    ("generators/ops.h", 1, "inline void fix(B b) { b.dim(0).set_stride(1); }\n", "restricts its callers"),
]


def write_tree(root, files):
    for name, text in files.items():
        path = pathlib.Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class CheckLayering(unittest.TestCase):
    def test_a_tree_that_keeps_the_order_has_no_findings(self):
        with tempfile.TemporaryDirectory() as root:
            write_tree(root, KEEPS_THE_ORDER)
            self.assertEqual(check_layering.check_tree(pathlib.Path(root)), ([], len(KEEPS_THE_ORDER)))

    def test_each_violation_is_found_where_it_is(self):
        for name, line, text, words in VIOLATIONS:
            with self.subTest(name), tempfile.TemporaryDirectory() as root:
                write_tree(root, {**KEEPS_THE_ORDER, name: text})
                findings, _ = check_layering.check_tree(pathlib.Path(root))
                self.assertEqual(len(findings), 1, findings)
                self.assertTrue(findings[0].startswith(f"{name}:{line}: "), findings)
                self.assertIn(words, findings[0])


if __name__ == "__main__":
    unittest.main()
