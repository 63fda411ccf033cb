"""Pairs as operations of PyTorch: values, gradients, what torch's own checks say, torch.compile, copies, and every refusal."""

import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import pairs
import torch

import eutectic
import eutectic.torch


def drawn(*shape, seed=1):
    return torch.rand(*shape, dtype=torch.double, generator=torch.Generator().manual_seed(seed)) * 2 - 1


def layer_inputs(samples=7, inputs=5, outputs=9):
    values = [drawn(samples, inputs), drawn(inputs, outputs, seed=2), drawn(outputs, seed=3), torch.tensor(0.5, dtype=torch.double)]
    return values[:1] + [v.requires_grad_() for v in values[1:]]


def layer_by_torch(x, w, b, rate):
    return torch.tanh(rate * (x @ w + b))


def copies(function):
    """How often it clones a tensor."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        function()
    return sum(e.count for e in profile.key_averages() if e.key in ("aten::clone", "aten::copy_"))


class Checks:
    """What operations of the pairs layer, strided, two and rows are held to; `made` gives them, of the reports by name."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        reports = {make.__name__: pairs.compiled(make, cls.folder) for make in (pairs.layer, pairs.strided, pairs.two, pairs.rows)}
        for name, operation in cls.made(reports).items():
            setattr(cls, name, staticmethod(operation))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_values_and_gradients(self):
        for sizes in ((7, 5, 9), (1, 1, 1), (33, 17, 40)):
            given = layer_inputs(*sizes)
            y, negative = self.layer(*given)
            wanted = layer_by_torch(*given)
            torch.testing.assert_close(y, wanted)
            self.assertTrue(torch.equal(negative, (wanted < 0).int()))
            self.assertFalse(negative.requires_grad)
            upstream = drawn(*y.shape, seed=4)
            torch.testing.assert_close(torch.autograd.grad(y, given[1:], upstream), torch.autograd.grad(wanted, given[1:], upstream))

    def test_names_and_schema(self):
        x, w, b, rate = layer_inputs()
        torch.testing.assert_close(self.layer(x, rate=rate, b=b, w=w)[0], layer_by_torch(x, w, b, rate))
        torch.testing.assert_close(torch.ops.eutectic.layer(x, w, b, rate)[0], layer_by_torch(x, w, b, rate))
        self.assertEqual(str(torch.ops.eutectic.two.default._schema), "eutectic::two(Tensor x, SymInt n) -> (Tensor, Tensor)")

    def test_gradcheck(self):
        x, w, b, rate = layer_inputs()
        self.assertTrue(torch.autograd.gradcheck(lambda *given: self.layer(x, *given)[0], (w, b, rate)))
        self.assertTrue(torch.autograd.gradcheck(self.strided, (drawn(3, 12).requires_grad_(), drawn(3).requires_grad_())))
        self.assertTrue(torch.autograd.gradcheck(lambda x: self.two(x, 4), (drawn(3, 4).requires_grad_(),)))
        labels = torch.tensor([0, 9, 3, 3], dtype=torch.int32)
        self.assertTrue(torch.autograd.gradcheck(lambda x: self.rows(x, labels), (drawn(4, 10).requires_grad_(),)))

    def test_opcheck(self):
        given = layer_inputs()
        x, w = drawn(3, 12).requires_grad_(), drawn(3).requires_grad_()
        for op, inputs in ((torch.ops.eutectic.layer, given), (torch.ops.eutectic.layer_forward, given), (torch.ops.eutectic.strided, (x, w)), (torch.ops.eutectic.two, (x, 4)), (torch.ops.eutectic.rows, (x, torch.zeros(3, dtype=torch.int32)))):
            self.assertEqual(set(torch.library.opcheck(op.default, tuple(inputs)).values()), {"SUCCESS"})

    def test_compiled(self):
        for options in ({"backend": "inductor"}, {"backend": "inductor", "dynamic": True}, {"backend": eutectic.torch.compile_graph}):
            torch._dynamo.reset()

            def step(x, w, b, rate):
                return (self.layer(2 * x, w, b, rate)[0] * 3).sum()

            compiled = torch.compile(step, fullgraph=True, **options)
            for samples in (7, 12, 31) if options.get("dynamic") else (7,):
                given = layer_inputs(samples)
                got, wanted = compiled(*given), step(*given)
                torch.testing.assert_close(got, wanted)
                torch.testing.assert_close(torch.autograd.grad(got, given[1:]), torch.autograd.grad(wanted, given[1:]))

    def test_one_graph_for_all_sizes(self):
        torch._dynamo.reset()
        counter = torch._dynamo.testing.CompileCounter()
        compiled = torch.compile(self.strided, fullgraph=True, dynamic=True, backend=counter)
        for length in (12, 13, 64):
            torch.testing.assert_close(compiled(drawn(3, length), drawn(4)), self.strided(drawn(3, length), drawn(4)))
        self.assertEqual(counter.frame_count, 1)

    def test_without_copies(self):
        x, w, b, rate = layer_inputs()
        wide = drawn(7, 11)
        self.assertEqual(copies(lambda: self.layer(x, w, b, rate)), 0)
        self.assertEqual(copies(lambda: self.layer(wide[::2, 3:8], w, b, rate)), 0)
        self.assertEqual(copies(lambda: self.layer(x[:1].expand(6, 5), w, b, rate)), 0)
        self.assertEqual(copies(lambda: self.layer(wide[:, ::2][:, :5], w, b, rate)), 2)  # a clone, and its copy_
        for view in (wide[::2, 3:8], x[:1].expand(6, 5), wide[:, ::2][:, :5], x.T.contiguous().T, wide[:, :1].expand(7, 5)):
            torch.testing.assert_close(self.layer(view, w, b, rate)[0], layer_by_torch(view, w, b, rate))

    def test_a_gradient_that_is_not_there(self):
        x = drawn(3, 4).requires_grad_()
        total, product = self.two(x, 4)
        torch.testing.assert_close(torch.autograd.grad(product, x, torch.ones_like(product))[0], 2 * x)
        y = self.layer(*layer_inputs())[0]
        total, product = self.two(x, 4)
        torch.testing.assert_close(torch.autograd.grad(total.sum(), x)[0], torch.ones_like(x))
        frozen = layer_inputs()
        frozen[1].requires_grad_(False)
        self.layer(*frozen)[0].sum().backward()
        self.assertIsNone(frozen[1].grad)
        self.assertIsNotNone(frozen[2].grad)
        self.assertTrue(y.requires_grad)

    def test_nothing(self):
        _, w, b, rate = layer_inputs()
        y, negative = self.layer(drawn(0, 5), w, b, rate)
        self.assertEqual((y.shape, negative.shape), ((0, 9), (0, 9)))
        d_w, d_b = torch.autograd.grad(y.sum(), (w, b))
        self.assertTrue(torch.equal(d_w, torch.zeros(5, 9)) and torch.equal(d_b, torch.zeros(9)))
        torch.testing.assert_close(self.layer(drawn(3, 0), drawn(0, 9), b, rate)[0], torch.tanh(rate * b).expand(3, 9))

    def test_left_over(self):
        w = drawn(3)
        for length in (7, 8):
            x = drawn(2, length)
            torch.testing.assert_close(self.strided(x, w), torch.nn.functional.conv1d(x[:, None], w[None, None], stride=2)[:, 0])

    def test_threads(self):
        def run(seed):
            x, w, b, rate = layer_inputs(20 + seed)
            return [torch.equal(self.layer(x, w, b, rate)[0], self.layer(x, w, b, rate)[0]) for _ in range(50)]

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.assertTrue(all(all(r) for r in pool.map(run, range(8))))

    def test_what_torch_would_refuse(self):
        x, w, b, rate = layer_inputs()
        where = "(while checking arguments for eutectic::layer)"
        for given, sentence in (
            ((x.float(), w, b, rate), f"Expected tensor for argument #1 'x' to have scalar type Double; but got torch.FloatTensor instead {where}"),
            ((x[0], w, b, rate), f"Expected 2-dimensional tensor, but got 1-dimensional tensor for argument #1 'x' {where}"),
            ((x, w, b[:8], rate), f"Expected tensor to have size 9 at dimension 0, but got size 8 for argument #3 'b' {where}"),
            ((x, w, drawn(12), rate), f"Expected tensor to have size 9 at dimension 0, but got size 12 for argument #3 'b' {where}"),
            ((x, drawn(8, 9), b, rate), f"Expected tensor to have size 5 at dimension 0, but got size 8 for argument #2 'w' {where}"),
        ):
            for call in (self.layer, torch.compile(lambda *g: self.layer(*g), backend="eager")):
                torch._dynamo.reset()
                with self.assertRaises(RuntimeError) as caught:
                    call(*given)
                # Traced, a tensor is one of the device meta.
                self.assertIn(sentence, str(caught.exception).replace("MetaFloatType", "torch.FloatTensor"))
        with self.assertRaisesRegex(RuntimeError, "Expected a value of type 'Tensor' for argument 'rate' but instead found type 'float'"):
            self.layer(x, w, b, 0.5)
        with self.assertRaisesRegex(RuntimeError, "is missing value for argument 'rate'"):
            self.layer(x, w, b)
        with self.assertRaisesRegex(NotImplementedError, "Could not run 'eutectic::layer_forward' with arguments from the 'SparseCPU' backend"):
            self.layer(x.to_sparse(), w.detach(), b.detach(), rate.detach())
        (d_w,) = torch.autograd.grad(self.layer(x, w, b, rate)[0].sum(), w, create_graph=True)
        with self.assertRaisesRegex(RuntimeError, "trying to differentiate twice a function that was marked with @once_differentiable"):
            d_w.sum().backward()


class Operations(Checks, unittest.TestCase):
    @classmethod
    def made(cls, reports):
        return {name: eutectic.torch.operation(report) for name, report in reports.items()}


class InFolder(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)


class Refusals(InFolder):
    def refused(self, sentence, report, **options):
        with self.assertRaises(eutectic.Error) as caught:
            eutectic.torch.operation(report, **options)
        self.assertEqual(str(caught.exception), sentence)

    def test_files(self):
        none, text = self.folder / "none.report.json", self.folder / "text.report.json"
        self.refused(f"The report {none} cannot be read (No such file or directory): name the NAME.report.json that eutectic grad or add_eutectic_library(… GRADIENT) wrote.", none)
        no_pair = f"{text} is no report of a pair: name the NAME.report.json that stands beside NAME_forward.report.json."
        for content in ("", "[]", '{"version": 1}', '{"traffic": {}}'):
            text.write_text(content)
            self.refused(no_pair, text)

    def test_pairs(self):
        report = pathlib.Path(pairs.compiled(pairs.layer, self.folder))
        told = json.loads(report.read_text())
        first = eutectic.torch.operation(report, name="kept")
        self.assertIs(eutectic.torch.operation(str(report), name="kept"), first)
        self.refused(f'The operation of {report} cannot be called "a b": give it a name of letters, digits and underscores.', report, name="a b")
        self.refused("A shape was given for z, which is no output of layer: it has scaled, negative.", report, name="other", shapes={"z": lambda **_: ()})
        other = self.folder / "other.report.json"
        other.write_text(json.dumps({**told, "total_bytes": 0}))
        self.refused(f"The operation eutectic::kept was made of {report}: give that of {other} another name, operation(…, name=…).", other, name="kept")
        other.write_text(json.dumps({**told, "version": 2}))
        self.refused(f"The report {other} has version 2, and this eutectic reads 1: build the pair and the module from one version.", other)
        other.write_text(json.dumps({**told, "pair": "nn::layer"}))
        self.refused(f"The pair nn::layer of {other} is in a namespace of C++, whose functions cannot be looked up by name: compile it without one.", other)
        other.write_text(json.dumps({**told, "files": ["lost.a"]}))
        self.refused(f"The code of layer should be in {self.folder / 'lost.a'}, which is not there: keep it beside {other}, or build it anew.", other)

    def test_sizes(self):
        report = pairs.compiled(pairs.bordered, self.folder)
        x = drawn(5).requires_grad_()
        with self.assertRaises(eutectic.Error) as caught:
            eutectic.torch.operation(report, name="unsized")(x)
        self.assertEqual(
            str(caught.exception),
            "The sizes of y, which eutectic::unsized gives, do not follow from its inputs: give them as operation(…, shapes={'y': lambda x: (…)}), a function of the inputs' shapes.",
        )
        sized = eutectic.torch.operation(report, shapes={"y": lambda x: (x[0] + 3,)})
        torch.testing.assert_close(sized(x), torch.cat([x, x[-1:].expand(3)]) ** 2)
        self.assertTrue(torch.autograd.gradcheck(sized, (x,)))
        torch.testing.assert_close(torch.compile(sized, fullgraph=True, dynamic=True, backend="aot_eager")(x), sized(x))

    def test_other_code(self):
        report = pathlib.Path(pairs.compiled(pairs.two, self.folder))
        told = json.loads(report.read_text())
        says, kept = f"as its code is beside {report}, takes", "keep together what one run wrote."
        for change, sentence in (
            ({"forward": ["n", "x", "total", "product"]}, f"two_forward, {says} x (float64, 2 dimensions) as argument 1, and the report says n (int32, a number): {kept}"),
            ({"backward": told["backward"][:-1]}, f"two_backward, {says} d_x (float64, 2 dimensions) as argument {len(told['backward'])}, and the report says nothing: {kept}"),
            ({"arguments": [{**a, "type": "float32"} if a["name"] == "product" else a for a in told["arguments"]]}, f"two_forward, {says} product (float64, 2 dimensions) as argument 4, and the report says product (float32, 2 dimensions): {kept}"),
        ):
            report.write_text(json.dumps({**told, **change}))
            self.refused(sentence, report, name="two_other")

    def test_code(self):
        report = pathlib.Path(pairs.compiled(pairs.two, self.folder, "--target", "host-no_runtime"))
        x = drawn(2, 3)
        torch.testing.assert_close(eutectic.torch.operation(report, name="without_runtime")(x, 4)[0], x + 4)
        archive = self.folder / "two_forward.a"
        subprocess.run(["objcopy", "--redefine-sym", "halide_error_bad_type=outside", archive], check=True)
        self.refused("libtwo_forward.so needs outside, which its files do not have: compile it without calls of libraries, or add the file that has them to the key files of its report.", report, name="with_outside")
        shutil.copy(self.folder / "two_backward.a", archive)
        with self.assertRaisesRegex(eutectic.Error, r"^The code of two cannot be loaded \(.*undefined symbol: two_forward_argv\): build the pair of .* anew, for this machine.$"):
            eutectic.torch.operation(report, name="one_half")


if __name__ == "__main__":
    unittest.main()
