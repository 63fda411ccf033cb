#!/usr/bin/env python3
"""--batch and --over of every command, and generators of batches: each example is what the pipeline makes of it alone, and a product with a vector is planned as one of matrices."""

import halide as hl
import numpy as np
from eutectic_command import GENERATORS, TARGET, Case, main
from halide_call import call


def drawn(*shape, seed=1):
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def layer_of_one_example():
    """y = tanh(w x), of one x."""
    i = hl.Var("i")
    x, w, y = hl.ImageParam(hl.Float(64), 1, "x"), hl.ImageParam(hl.Float(64), 2, "w"), hl.Func("y")
    r = hl.RDom([(0, x.dim(0).extent())])
    product = hl.Func("product")
    product[i] = hl.f64(0)
    product[i] += w[i, r] * x[r]
    y[i] = hl.tanh(product[i])
    for p, sizes in ((x, (64,)), (w, (96, 64)), (y, (96,))):
        p.set_estimates([(0, n) for n in sizes])
    return hl.Pipeline(y)


class Batches(Case):
    def setUp(self):
        super().setUp()
        hl.serialize_pipeline(layer_of_one_example(), self.folder / "layer.hlpipe")

    def compiled(self, *words, function):
        self.done("compile", *words, "-o", "k", "-f", function)
        return self.shared(f"k/{function}.a")

    def test_a_file(self):
        library = self.compiled("layer.hlpipe", "--args-order", "w,x", "--batch", "128", "--over", "x", function="layer")
        w, x = drawn(64, 96), drawn(5, 64, seed=2)
        y = np.zeros((5, 96))
        self.assertEqual(call(library, "layer", w, x, y), 0)
        np.testing.assert_allclose(y, np.tanh(x @ w), rtol=1e-12)

    def test_its_product_is_one_of_matrices(self):
        """It is planned as the one that somebody wrote for a batch, and takes no longer by prediction."""
        i, j = hl.Var("i"), hl.Var("j")
        x, w, y = hl.ImageParam(hl.Float(64), 2, "x"), hl.ImageParam(hl.Float(64), 2, "w"), hl.Func("y")
        r = hl.RDom([(0, x.dim(0).extent())])
        product = hl.Func("product")
        product[i, j] = hl.f64(0)
        product[i, j] += w[i, r] * x[r, j]
        y[i, j] = hl.tanh(product[i, j])
        for p, sizes in ((x, (64, 128)), (w, (96, 64)), (y, (96, 128))):
            p.set_estimates([(0, n) for n in sizes])
        hl.serialize_pipeline(hl.Pipeline(y), self.folder / "by_hand.hlpipe")
        by_hand = self.report("by_hand.hlpipe", "--args-order", "w,x")
        batched = self.report("layer.hlpipe", "--args-order", "w,x", "--batch", "128", "--over", "x")
        self.assertLessEqual(batched["cost"]["total_seconds"], 1.05 * by_hand["cost"]["total_seconds"])

    def test_gradients_of_a_shared_weight_are_sums(self):
        self.done("grad", "layer.hlpipe", "--args-order", "w,x", "--batch", "128", "--over", "x", "--wrt", "w", "--pipelines", "-o", "p")
        library = self.compiled("p/layer_backward.hlpipe", function="back")
        w, x, d_y = drawn(64, 96), drawn(128, 64, seed=2), drawn(128, 96, seed=3)
        d_w, y = np.zeros((64, 96)), np.tanh(x @ w)
        self.assertEqual(call(library, "back", x, y, d_y, d_w), 0)
        np.testing.assert_allclose(d_w, x.T @ (d_y * (1 - y**2)), rtol=1e-10, atol=1e-12)

    def test_gradients_of_each_example(self):
        """Differentiated first: the gradient is one of the inputs of the batch."""
        self.done("grad", "layer.hlpipe", "--args-order", "w,x", "--wrt", "w", "--pipelines", "-o", "p")
        library = self.compiled("p/layer_backward.hlpipe", "--batch", "128", "--over", "x,y,d_y", function="each")
        w, x, d_y = drawn(64, 96), drawn(3, 64, seed=2), drawn(3, 96, seed=3)
        d_w, y = np.zeros((3, 64, 96)), np.tanh(x @ w)
        self.assertEqual(call(library, "each", x, y, d_y, d_w), 0)
        np.testing.assert_allclose(d_w, x[:, :, None] * (d_y * (1 - y**2))[:, None, :], rtol=1e-10, atol=1e-12)

    size = ["type=float64", "epilogue=none", "m=4", "k=8", "n=16"]

    def test_a_generator(self):
        library = self.compiled(GENERATORS, "-g", "matmul_batched", *self.size, "batched=6", "batched_over=a", function="many")
        a, b, c = drawn(6, 4, 8), drawn(8, 16, seed=2), np.zeros((6, 4, 16))
        self.assertEqual(call(library, "many", a, b, c), 0)
        np.testing.assert_allclose(c, a @ b, rtol=1e-12)

    def test_gradients_of_each_example_of_a_generator(self):
        each = [*self.size, "batched=6", "batched_over=a,d_c", "transforms=differentiate,batch"]
        library = self.compiled(GENERATORS, "-g", "matmul_gradient", *each, function="each")
        a, b, c = drawn(6, 4, 8), drawn(8, 16, seed=2), np.zeros((6, 4, 16))
        d_c, d_a, d_b = drawn(6, 4, 16, seed=3), np.zeros((6, 4, 8)), np.zeros((6, 8, 16))
        self.assertEqual(call(library, "each", a, b, d_c, c, d_a, d_b), 0)
        np.testing.assert_allclose(c, a @ b, rtol=1e-12)
        np.testing.assert_allclose(d_b, a.transpose(0, 2, 1) @ d_c, rtol=1e-12, atol=1e-14)

    def test_what_the_other_order_costs(self):
        """Gradients of a shared operand: in the default order one product of all examples; in the other, one for each, which the caller has yet to add up."""
        size = ["epilogue=none", "m=1", "k=256", "n=256", "batched=256"]

        def seconds(*words):
            return self.report(GENERATORS, "-g", "matmul_gradient", *size, *words)["cost"]["total_seconds"]

        summed = seconds("batched_over=a")
        each = seconds("batched_over=a,d_c", "transforms=differentiate,batch")
        self.assertGreater(each, 4 * summed)

    def test_parameters_of_generators(self):
        file = ["explain", GENERATORS, "-g"]
        for sentence, *words in (
            ("batched=0 is no number of examples; give 1 and more.", "matmul_batched", "batched=0"),
            ("batched_over was given to matmul_gradient without batched, the number of examples to plan for; give both.", "matmul_gradient", "batched_over=a"),
            ("transforms=batch is no order of what is done to the pipeline; write batch,differentiate or differentiate,batch.", "matmul_gradient", "transforms=batch"),
            ("transforms=differentiate,batch was given to matmul_forward, whose two kernels agree on what is kept for one example; take _gradient, which keeps nothing.",
             "matmul_forward", "batched=8", "batched_over=a", "transforms=differentiate,batch"),
        ):
            result = self.run_command(*file, *words)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(sentence, result.stderr)

    def test_refusals(self):
        file = ["explain", "layer.hlpipe"]
        self.refused("--batch was given without --over, the inputs that each example has of its own: give both.", *file, "--batch", "8")
        self.refused("--over was given without --batch, the number of examples to plan for: give both.", *file, "--over", "x")
        self.refused('The batch names "v", which is not an input; the inputs are: x, w.', *file, "--batch", "8", "--over", "v", "--args-order", "x,w")


if __name__ == "__main__":
    main()
