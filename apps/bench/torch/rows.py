"""What suite torch times: functions that TorchInductor makes kernels of, and models. A row has a function that makes (function, inputs);
rows that end in _step differentiate a mean of squares of the outputs, too."""

import torch
import torch.nn.functional as F

from models import MODELS, causal_softmax, rotary


def randn(*shape):
    return torch.randn(*shape)


def batch_norm(x, mean, variance, w, b):
    return F.batch_norm(x, mean.detach(), variance.detach(), w, b)


def adam(p, g, m, v):
    m = m * 0.9 + g * 0.1
    v = v * 0.999 + g * g * 0.001
    return p - 0.001 * m / (v.sqrt() + 1e-8), m, v


def image(n=8, c=64, size=56):
    return randn(n, c, size, size)


def of_batch_norm():
    return randn(64), randn(64).abs() + 0.1, randn(64), randn(64)


FUNCTIONS = {
    "softmax": lambda: (lambda x: torch.softmax(x, -1), (randn(1024, 1024),)),
    "log1pexp": lambda: (lambda x: torch.log(1 + torch.exp(x)), (randn(4 << 20),)),
    "layer_norm": lambda: (lambda x, w, b: F.layer_norm(x, (1024,), w, b), (randn(1024, 1024), randn(1024), randn(1024))),
    "gelu_tanh": lambda: (lambda x: F.gelu(x, approximate="tanh"), (randn(1 << 20),)),
    "rms_norm": lambda: (lambda x, w: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w, (randn(1024, 1024), randn(1024))),
    "cross_entropy": lambda: (F.cross_entropy, (randn(512, 4096), torch.randint(4096, (512,)))),
    "silu_mul": lambda: (lambda a, b: F.silu(a) * b, (randn(1 << 20), randn(1 << 20))),
    "rotary": lambda: (rotary, (randn(8, 16, 256, 64), randn(256, 64), randn(256, 64))),
    "bn_add_relu": lambda: (lambda x, y, *rest: F.relu(batch_norm(x, *rest) + y), (image(), image(), *of_batch_norm())),
    "transpose_add": lambda: (lambda x, y: x.t() + y, (randn(1024, 1024), randn(1024, 1024))),
    "column_sum": lambda: (lambda x: x.sum(0), (randn(1024, 1024),)),
    "var_mean": lambda: (lambda x: torch.var_mean(x, -1), (randn(1024, 1024),)),
    "max_pool": lambda: (lambda x: F.max_pool2d(x, 3, 2), (image(),)),
    "argmax": lambda: (lambda x: x.argmax(-1), (randn(1024, 1024),)),
    "bilinear": lambda: (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False), (image(4, 16, 64),)),
    "gelu": lambda: (F.gelu, (randn(1 << 20),)),
    "log_softmax": lambda: (lambda x: torch.log_softmax(x, -1), (randn(512, 4096),)),
    "causal_softmax": lambda: (lambda s: causal_softmax(s * 0.125), (randn(4, 8, 256, 256),)),
    "group_norm": lambda: (lambda x, w, b: F.group_norm(x, 8, w, b), (image(4), randn(64), randn(64))),
    "residual_layer_norm": lambda: (lambda x, y, w, b: F.layer_norm(x + y, (768,), w, b), (randn(1024, 768), randn(1024, 768), randn(768), randn(768))),
    "adam": lambda: (adam, (randn(1 << 20), randn(1 << 20), randn(1 << 20), randn(1 << 20).abs())),
    "bce": lambda: (F.binary_cross_entropy_with_logits, (randn(1 << 20), torch.rand(1 << 20))),
    "avg_pool": lambda: (lambda x: F.avg_pool2d(x, 2), (image(),)),
    "global_pool": lambda: (lambda x: x.mean((2, 3)), (image(),)),
    "nearest": lambda: (lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), (image(4, 16, 64),)),
    "pad_reflect": lambda: (lambda x: F.pad(x, (3, 3, 3, 3), mode="reflect") * 2, (image(4, 16, 64),)),
    "concat_relu": lambda: (lambda x, y: F.relu(torch.cat([x, y], 1)), (image(4), image(4))),
    "channel_shuffle": lambda: (lambda x: x.view(4, 8, 8, 56, 56).transpose(1, 2).reshape(4, 64, 56, 56) + 1, (image(4),)),
    "embedding_sum": lambda: (lambda i, w: F.embedding(i, w).sum(1), (torch.randint(5000, (512, 32)), randn(5000, 128))),
    "cosine_similarity": lambda: (lambda x, y: F.cosine_similarity(x, y, -1), (randn(2048, 512), randn(2048, 512))),
    "std_normalize": lambda: (lambda x: (x - x.mean(0)) / (x.std(0) + 1e-5), (randn(2048, 512),)),
    "cumsum": lambda: (lambda x: x.cumsum(-1), (randn(1024, 1024),)),
}

STEPS = ["softmax", "layer_norm", "gelu_tanh", "rms_norm", "cross_entropy", "silu_mul", "bn_add_relu", "max_pool", "bilinear", "gelu", "group_norm", "residual_layer_norm", "concat_relu"]


def step(function, inputs):
    """The function's outputs and gradients, of inputs that are floats."""
    leaves = [x.clone().requires_grad_(x.is_floating_point()) for x in inputs]
    wanted = [x for x in leaves if x.requires_grad]

    def run(*leaves):
        y = function(*leaves)
        return y if y.dim() == 0 else y.square().mean()

    return run, leaves, wanted


def names():
    return [*FUNCTIONS, *(f"{n}_step" for n in STEPS), *(f"{m}_{kind}" for m in MODELS for kind in ("eval", "step"))]


def made(name, compile_with):
    """A call of row `name` that gives tensors, compiled by `compile_with`."""
    torch.manual_seed(0)
    of, kind = name.rsplit("_", 1) if name.endswith(("_step", "_eval")) else (name, "")
    if of in MODELS:
        model, inputs = MODELS[of]()
        model = model.eval() if kind == "eval" else model.train()
        if kind == "eval":
            return without_gradients(compile_with(model), inputs)
        loss = compile_with(lambda *x: model(*x).square().mean())
        parameters = list(model.parameters())
        return lambda: [loss_of := loss(*inputs), *torch.autograd.grad(loss_of, parameters)]
    function, inputs = FUNCTIONS[of]()
    if kind == "step":
        run, leaves, wanted = step(function, inputs)
        compiled = compile_with(run)
        return lambda: [loss_of := compiled(*leaves), *torch.autograd.grad(loss_of, wanted, allow_unused=True)]
    return without_gradients(compile_with(function), inputs)


def without_gradients(function, inputs):
    def call():
        with torch.no_grad():
            return torch.utils._pytree.tree_leaves(function(*inputs))

    return call
