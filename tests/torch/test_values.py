"""NaN, infinities, signed zeros and denormals in every position; types; sizes that nobody guessed; what is written over."""

import json
import math
import pathlib
import tempfile
import unittest
import warnings

import torch
import torch.nn.functional as F
from test_backend import compiled, with_gradients

SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-45, -1e-45, 3e38, -3e38, 1.5, -2.25]

ELEMENTWISE = {
    "abs": torch.abs,
    "exp": torch.exp,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "relu": F.relu,
    "sign": torch.sign,
    "isnan": torch.isnan,
    "isinf": torch.isinf,
    "signbit": torch.signbit,
    "round": torch.round,
    "floor": torch.floor,
    "expm1": torch.expm1,
    "log1p": torch.log1p,
    "erf": torch.erf,
    "reciprocal": torch.reciprocal,
    "nan_to_num": torch.nan_to_num,
    "sin": torch.sin,
}
PAIRS = {
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "fmax": torch.fmax,
    "add": torch.add,
    "mul": torch.mul,
    "div": torch.div,
    "less": torch.less,
    "equal": torch.eq,
    "copysign": torch.copysign,
    "where": lambda x, y: torch.where(x > y, x, y),
}
REDUCTIONS = {
    "sum": lambda x: x.sum(-1),
    "amax": lambda x: x.amax(-1),
    "amin": lambda x: x.amin(-1),
    "argmax": lambda x: x.argmax(-1),
    "argmin": lambda x: x.argmin(-1),
    "prod": lambda x: x.prod(-1),
    "softmax": lambda x: x.softmax(-1),
    "columns": lambda x: x.amax(0),
    "norm": lambda x: x.norm(dim=-1),
    "any": lambda x: x.isnan().any(-1),
}


class Values(unittest.TestCase):
    def same(self, got, wanted, name, signs=True, **tolerance):
        for a, b in zip(got if isinstance(got, tuple) else (got,), wanted if isinstance(wanted, tuple) else (wanted,)):
            self.assertEqual((a.dtype, a.shape, a.stride()), (b.dtype, b.shape, b.stride()), name)
            torch.testing.assert_close(a, b, equal_nan=True, msg=lambda text: f"{name}: {text}", **tolerance)
            if signs and a.is_floating_point():
                known = ~b.isnan()
                self.assertTrue(torch.equal(a.signbit()[known], b.signbit()[known]), f"{name}: a sign of {a} is not that of {b}")

    def test_elementwise_of_special_values(self):
        for dtype in (torch.float32, torch.float64):
            x = torch.tensor(SPECIAL * 3, dtype=dtype)  # in vectors and after them
            wanted = {name: f(x) for name, f in ELEMENTWISE.items()}
            got = compiled(lambda x: {name: f(x) for name, f in ELEMENTWISE.items()})(x)
            for name in ELEMENTWISE:
                with self.subTest(name):
                    self.same(got[name], wanted[name], f"{name} of {dtype}", signs=name != "log1p", rtol=1e-6, atol=0 if dtype == torch.float64 else 1e-44)

    def test_elementwise_of_bfloat16(self):
        x = torch.linspace(-9, 9, 100).to(torch.bfloat16)
        ones = {name: ELEMENTWISE[name] for name in ("tanh", "expm1", "erf", "sin")}  # each in a kernel of its own, where it is all that reads x
        ones["copysign"] = lambda x: torch.where(x == 0, x.float(), torch.copysign(torch.where(x > 1, 1 - x.float(), 3 * x.float()), x.float()))
        for name, f in ones.items():
            self.same(compiled(f)(x), f(x), name, rtol=1e-2, atol=1e-2)

    def test_pairs_of_special_values(self):
        x = torch.tensor(SPECIAL).repeat_interleave(len(SPECIAL))
        y = torch.tensor(SPECIAL).repeat(len(SPECIAL))
        got = compiled(lambda x, y: {name: f(x, y) for name, f in PAIRS.items()})(x, y)
        for name, f in PAIRS.items():
            self.same(got[name], f(x, y), name, signs=name not in ("maximum", "minimum", "fmax"), rtol=1e-6, atol=0)

    def test_one_special_value_in_every_position(self):
        ordinary = torch.linspace(-2, 2, 37)
        for value in (math.nan, math.inf, -math.inf, 1e-45):
            x = ordinary.repeat(37, 1)
            x.fill_diagonal_(value)
            got = compiled(lambda x: {name: f(x) for name, f in REDUCTIONS.items()})(x)
            for name, f in REDUCTIONS.items():
                self.same(got[name], f(x), f"{name} with {value}", signs=False, rtol=2e-5, atol=1e-5)

    def test_types(self):
        def of(x, y):
            return x + y, x * y - x, torch.maximum(x, y), (x > y), x.sum(0), x.amax(-1), torch.where(x > 0, x, y)

        for dtype in (torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
            x = (torch.arange(15 * 17).reshape(15, 17) % 23 - (0 if dtype == torch.uint8 else 11)).to(dtype)
            y = (torch.arange(15 * 17).reshape(15, 17) % 7).to(dtype)
            tolerance = {"rtol": 1e-2, "atol": 1e-1} if dtype in (torch.bfloat16, torch.float16) else {}
            self.same(compiled(of)(x, y), of(x, y), str(dtype), **tolerance)
        a, b = torch.tensor([True, False, True]), torch.tensor([True, True, False])
        self.same(compiled(lambda a, b: (a & b, a | b, a ^ b, ~a, a.sum()))(a, b), (a & b, a | b, a ^ b, ~a, a.sum()), "bool")

    def test_numerics(self):
        x = torch.randn(300, 4000)
        reports = {}
        for numerics in ("fast", "nan_safe", "strict"):
            with tempfile.TemporaryDirectory() as folder:
                self.same(compiled(lambda x: x.sum(-1), numerics=numerics, reports=folder)(x), x.sum(-1), numerics, rtol=1e-5, atol=1e-2)
                (report,) = (json.loads(p.read_text()) for p in pathlib.Path(folder).iterdir())
                self.assertEqual(report["numerics"], numerics)
                self.assertIn(f"parallelism {torch.get_num_threads()}", json.dumps(report["machine"]))
                reports[numerics] = report["cost"]["compute_seconds"]
        self.assertLess(reports["nan_safe"], 0.7 * reports["strict"])  # whose sums are neither in vectors nor in parts

    def test_any_size(self):
        def of(x):
            return (x.softmax(-1) * x.size(0)).sum(0), F.pad(x, (1, 0)).relu()

        f = torch.compile(of, backend=compiled.backend, dynamic=True)
        for rows, columns in ((8, 9), (3, 100), (65, 2), (200, 33)):
            x = torch.randn(rows, columns)
            self.same(f(x), of(x), f"{rows} x {columns}", rtol=1e-5, atol=1e-5)

    def test_views_and_offsets(self):
        base = torch.randn(40, 50)
        for view in (base[3:, 5:], base.t(), base[::2, 1::3], base[:, :1].expand(-1, 7), base[5], base[2:3, 4:5]):
            self.same(compiled(lambda x: (x * 2 + 1, x.sum()))(view), (view * 2 + 1, view.sum()), str(view.stride()), rtol=1e-5, atol=1e-5)

    def test_what_is_written_over(self):
        def step(p, m, g):
            m.mul_(0.9).add_(g, alpha=0.1)
            p.sub_(m / (m.abs() + 1e-3), alpha=0.01)
            p[1:].add_(p[:-1].clone())
            return p.sum()

        p, m, g = (torch.randn(37, 29) for _ in range(3))
        wanted = [p.clone(), m.clone()]
        total = step(*wanted, g)
        got = [p.clone(), m.clone()]
        self.same(compiled(step)(*got, g), total, "sum", rtol=1e-4, atol=1e-4)
        for a, b in zip(got, wanted):
            self.same(a, b, "in place", rtol=1e-5, atol=1e-5)

    def test_training_with_a_compiled_optimizer(self):
        def train(through):
            torch.manual_seed(0)
            model = torch.nn.Sequential(torch.nn.Linear(20, 32), torch.nn.GELU(), torch.nn.LayerNorm(32), torch.nn.Linear(32, 5))
            optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
            x, t = torch.randn(64, 20), torch.randint(5, (64,))
            loss_of, update = through(lambda: F.cross_entropy(model(x), t)), through(optimizer.step)
            losses = []
            for _ in range(5):
                optimizer.zero_grad()
                loss = loss_of()
                loss.backward()
                update()
                losses.append(loss.detach())
            return torch.stack(losses)

        self.same(train(compiled), train(lambda f: f), "losses", rtol=1e-4, atol=1e-5)

    def test_what_halide_does_not_take_is_told_once(self):
        x = torch.rand(30) + 2
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for scale in (2, 3):
                self.same(compiled(lambda x, s=scale: torch.special.gammaln(x) * s)(x), torch.special.gammaln(x) * scale, "lgamma", rtol=1e-5, atol=1e-5)
        said = [str(w.message) for w in told if "C++ backend" in str(w.message)]
        self.assertEqual(len(said), 1, said)
        self.assertIn("lgamma", said[0])

    def test_other_backends_are_left_alone(self):
        f = lambda x: x.exp().sum(-1)  # noqa: E731
        x = torch.randn(9, 11)
        self.same(compiled(f)(x), f(x), "ours", rtol=1e-5, atol=1e-5)
        torch._dynamo.reset()
        from torch._inductor.utils import run_and_get_code

        _, code = run_and_get_code(torch.compile(f), x)
        self.assertIn("cpp_fused", code[0])
        self.assertNotIn("eutectic", code[0])

    def test_explain_has_every_kernel(self):
        import eutectic.torch

        torch._dynamo.reset()
        model = torch.nn.Sequential(torch.nn.Linear(30, 40), torch.nn.LayerNorm(40), torch.nn.GELU())
        x = torch.randn(16, 30)
        told = eutectic.torch.explain(lambda x: model(x).square().mean(), x)
        self.assertGreaterEqual(len(told.kernels), 2)  # of the forward, and of the backward
        self.assertTrue(any("aten.gelu" in op or "aten.erf" in op for k in told.kernels for op in k.operations), told.table())
        self.assertGreaterEqual(told.total_seconds, sum(k.measured_seconds for k in told.kernels))
        self.assertEqual({k.report.numerics for k in told.kernels}, {"nan_safe"})
        self.assertIn("measured", str(told))
        self.assertEqual(told._repr_html_().count("<details><summary>aten"), len(told.kernels))

    def test_reports_of_what_is_compiled(self):
        import eutectic.torch

        torch._dynamo.reset()
        with tempfile.TemporaryDirectory() as folder:
            with eutectic.torch.options(reports=folder):
                torch.compile(lambda x: x.exp() + 3, backend=eutectic.torch.compile_graph)(torch.randn(7))
            self.assertEqual([json.loads(p.read_text())["numerics"] for p in pathlib.Path(folder).iterdir()], ["nan_safe"])

    def test_products_by_a_library(self):
        import eutectic.torch

        torch._dynamo.reset()
        x, w = torch.randn(96, 80), torch.randn(80, 112)
        with tempfile.TemporaryDirectory() as reports:
            with eutectic.torch.options(library="eigen", numerics="fast", reports=reports):
                got = torch.compile(lambda x, w: (x[:, :, None] * w).sum(1).relu(), backend=eutectic.torch.compile_graph)(x, w)
            torch.testing.assert_close(got, (x @ w).relu(), rtol=1e-4, atol=1e-4)
            # Its product is a Func of its own, which no library is given: the report says that one was asked for.
            self.assertTrue(any("library=eigen" in note for p in pathlib.Path(reports).iterdir() for note in json.loads(p.read_text())["notes"]))

    def test_refusals(self):
        import eutectic

        for options, words in (({"effort": "most"}, "fast or best"), ({"speed": 1}, "There is no option speed"), ({"workers": -1}, "number of processes"), ({"library": "eigen"}, 'give numerics="fast", too'), ({"library": "mkl"}, "none or onednn or openblas or eigen")):
            with self.assertRaises(Exception) as caught:
                compiled(lambda x: x + 1, **options)(torch.ones(3))
            found = caught.exception
            while found is not None and not isinstance(found, eutectic.Error):
                found = getattr(found, "inner_exception", None) or found.__cause__ or found.__context__
            self.assertIn(words, str(found))


if __name__ == "__main__":
    unittest.main()
