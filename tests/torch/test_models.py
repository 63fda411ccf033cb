"""Whole models, with random weights: their outputs, a loss and its gradients, and some steps of an optimizer, against eager."""

import copy
import pathlib
import sys
import unittest
import warnings

import torch

import eutectic.torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "apps" / "bench" / "torch"))
from models import MODELS  # noqa: E402

# Of the largest value of a tensor: sums in other orders, through all layers and back.
TOLERANCE = 2e-3
# Their gradients jump where an input of a relu, or a difference of two inputs of a maximum, passes zero, as some do in single precision between
# one order of sums and another: they are compared in double precision.
JUMPING = ("resnet18", "mobilenet_v2", "unet")


def compiled(function):
    torch._dynamo.reset()
    return torch.compile(function, backend=eutectic.torch.compile_graph)


class Models(unittest.TestCase):
    def near(self, got, wanted, name):
        self.assertEqual(got.shape, wanted.shape, name)
        far = (got - wanted).abs().max() / wanted.abs().max().clamp_min(1e-6)
        self.assertLess(far.item(), 1e-9 if wanted.dtype == torch.float64 else TOLERANCE, name)

    def losses(self, model, inputs, compile_with, steps):
        """Of each step of Adam; the update is compiled, too."""
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        loss, update = compile_with(lambda *x: model(*x).square().mean()), compile_with(optimizer.step)
        told = []
        for _ in range(steps):
            optimizer.zero_grad()
            value = loss(*inputs)
            value.backward()
            update()
            told.append(value.item())
        return told


def test_of(name):
    def test(self):
        torch.manual_seed(0)
        model, inputs = MODELS[name]()
        reference = copy.deepcopy(model)
        with torch.no_grad():
            self.near(compiled(model.eval())(*inputs), reference.eval()(*inputs), f"{name}, eval")
        model.train()
        reference.train()
        self.near(compiled(lambda *x: model(*x).square().mean())(*inputs), reference(*inputs).square().mean(), f"{name}, loss")
        if name in JUMPING:
            model, reference, inputs = model.double(), reference.double(), [x[..., ::3, ::3].double() for x in inputs]
            reference.load_state_dict(model.state_dict())
        compiled(lambda *x: model(*x).square().mean())(*inputs).backward()
        reference(*inputs).square().mean().backward()
        for (parameter, p), q in zip(model.named_parameters(), reference.parameters()):
            self.assertEqual(p.grad is None, q.grad is None, parameter)
            if q.grad is not None:
                self.near(p.grad, q.grad, f"{name}, gradient of {parameter}")
        for (buffer, a), b in zip(model.named_buffers(), reference.buffers()):
            if b.is_floating_point():
                self.near(a, b, f"{name}, {buffer}")

    return test


for name in MODELS:
    setattr(Models, f"test_{name}", test_of(name))


def test_training(self):
    torch.manual_seed(0)
    model, inputs = MODELS["mlp"]()
    reference = copy.deepcopy(model)
    got = self.losses(model, inputs, compiled, 4)
    wanted = self.losses(reference, inputs, lambda f: f, 4)
    torch.testing.assert_close(got, wanted, rtol=1e-4, atol=0)
    for p, q in zip(model.parameters(), reference.parameters()):
        self.near(p, q, "weights after four steps")


Models.test_training = test_training


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    unittest.main()
