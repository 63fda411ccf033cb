"""torch.compile with kernels of ours against eager: values, gradients, types, special values, what falls back."""

import sys
import unittest
import warnings

import functions
import torch

import eutectic
import eutectic.torch

ONLY: list[str] = []  # names of functions on the command line


def compiled(function, **options):
    torch._dynamo.reset()
    return torch.compile(function, backend=eutectic.torch.compile_graph, options=options)


compiled.backend = eutectic.torch.compile_graph


def listed(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def with_gradients(function, inputs):
    """The outputs, and the gradients of a weighted sum of them, of inputs that are floats."""
    leaves = [x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs]
    outputs = listed(function(*leaves))
    differentiable = [y for y in outputs if y.requires_grad]
    if not differentiable:
        return outputs, []
    weights = [torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape) for y in differentiable]
    wanted = [x for x in leaves if x.requires_grad]
    return outputs, torch.autograd.grad(differentiable, wanted, weights, allow_unused=True)


class Backend(unittest.TestCase):
    def same(self, got, wanted, name, rtol=2e-5, atol=2e-5):
        self.assertEqual(len(got), len(wanted), name)
        for a, b in zip(got, wanted):
            if b is None:
                self.assertIsNone(a, name)
                continue
            torch.testing.assert_close(a, b, rtol=rtol, atol=atol, equal_nan=True, msg=lambda text: f"{name}: {text}")

    def test_functions(self):
        for name, function, inputs in functions.rows():
            if ONLY and name not in ONLY:
                continue
            with self.subTest(name), warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                outputs, gradients = with_gradients(function, inputs)
                got, got_gradients = with_gradients(compiled(function), inputs)
                self.same(got, outputs, name)
                self.same(got_gradients, gradients, f"{name}'s gradients")
                said = [str(w.message) for w in told if "C++ backend" in str(w.message)]
                if said:
                    print(f"{name}: {said}", file=sys.stderr)


if __name__ == "__main__":
    ONLY[:] = [a for a in sys.argv[1:] if not a.startswith("-")]
    unittest.main(argv=[sys.argv[0]])
