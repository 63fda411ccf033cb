"""Functions that TorchInductor makes kernels of, with inputs: (name, function, inputs); inputs with a gradient where they are floats."""

import torch
import torch.nn.functional as F


def rotary(q, cos, sin):
    a, b = q.chunk(2, dim=-1)
    return q * cos + torch.cat([-b, a], dim=-1) * sin


def rms_norm(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w


def layer_norm(x, w, b):
    return F.layer_norm(x, x.shape[-1:], w, b)


def batch_norm_add_relu(x, y, mean, variance, w, b):
    return F.relu(F.batch_norm(x, mean.detach(), variance.detach(), w, b) + y)


def rows(size=64, columns=67):
    generator = torch.Generator().manual_seed(size * 1000 + columns)

    def randn(*shape, positive=False):
        x = torch.randn(*shape, generator=generator)
        return x.abs() + 0.1 if positive else x

    def integers(high, *shape):
        return torch.randint(high, shape, generator=generator)

    x = randn(size, columns)
    return [
        ("softmax", lambda x: torch.softmax(x, -1), (x,)),
        ("log1pexp", lambda x: torch.log(1 + torch.exp(x)), (x,)),
        ("layer_norm", layer_norm, (x, randn(columns), randn(columns))),
        ("gelu_tanh", lambda x: F.gelu(x, approximate="tanh"), (x,)),
        ("gelu", F.gelu, (x,)),
        ("rms_norm", rms_norm, (x, randn(columns))),
        ("cross_entropy", lambda x, t: F.cross_entropy(x, t), (x, integers(columns, size))),
        ("silu_mul", lambda a, b: F.silu(a) * b, (x, randn(size, columns))),
        ("rotary", rotary, (randn(2, 3, size, 32), randn(size, 32), randn(size, 32))),
        ("bn_add_relu", batch_norm_add_relu, (randn(2, 8, 9, 11), randn(2, 8, 9, 11), randn(8), randn(8, positive=True), randn(8), randn(8))),
        ("transpose_add", lambda x, y: x.t() + y, (x, randn(columns, size))),
        ("column_sum", lambda x: x.sum(0), (x,)),
        ("var_mean", lambda x: torch.var_mean(x, -1), (x,)),
        ("max_pool", lambda x: F.max_pool2d(x, 3, 2, 1), (randn(2, 3, 19, 21),)),
        ("argmax", lambda x: x.argmax(-1), (x,)),
        ("bilinear", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False), (randn(2, 3, 9, 11),)),
        ("sum_all", lambda x: x.sum(), (x,)),
        ("amin", lambda x: x.amin(0), (x,)),
        ("prod", lambda x: x.prod(-1), (x,)),
        ("cumsum", lambda x: x.cumsum(-1), (x,)),
        ("cat", lambda x, y: torch.cat([x, y.exp()], 0), (x, randn(3, columns))),
        ("pad", lambda x: F.pad(x, (1, 2, 3, 4)).relu(), (x,)),
        ("pad_circular", lambda x: F.pad(x, (1, 2), mode="circular"), (randn(2, 3, 5),)),
        ("pad_reflect_replicate", lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect") + F.pad(x, (1, 1, 1, 1), mode="replicate"), (randn(2, 4, 16, 9),)),
        ("slice_scatter_flat", lambda x, y: x.reshape(-1).slice_scatter(y.reshape(-1), 0, 3, 15), (randn(2, 3, 3), randn(3, 4))),
        ("roll_flip", lambda x: x.roll(3, 1).flip(0) * 2, (x,)),
        ("where", lambda x, y: torch.where(x > y, x, y.abs()), (x, randn(size, columns))),
        ("embedding", lambda i, w: F.embedding(i, w).tanh(), (integers(size, 5, 7), x)),
        ("index_add", lambda x, i: torch.zeros(9, columns).index_add(0, i, x), (x, integers(9, size))),
        ("avg_pool", lambda x: F.avg_pool2d(x, 2), (randn(2, 3, 18, 22),)),
        ("sigmoid_bce", lambda x, t: F.binary_cross_entropy_with_logits(x, t), (x, randn(size, columns))),
        ("view_slices", lambda x: x[1:-1, ::2].exp() + x[2:, : (columns + 1) // 2], (x,)),
        ("floor_div_mod", lambda i, j: (torch.div(i, j, rounding_mode="floor"), i % j, torch.div(i, j, rounding_mode="trunc"), torch.fmod(i, j)),
         (integers(100, size, columns) - 50, integers(7, size, columns) - 8)),
        ("integers", lambda i: (i * 3 + 1).sum(-1), (integers(100, size, columns),)),
        ("bool_any", lambda x: (x > 2).any(-1), (x,)),
        ("erf_log1p_expm1", lambda x: torch.erf(x) + torch.log1p(x.abs()) + torch.expm1(x), (x,)),
        ("sin_cos_pow", lambda x: torch.sin(x) * torch.cos(x) + x.abs().pow(1.7), (x,)),
        ("clamp", lambda x: x.clamp(-0.5, 0.7), (x,)),
        ("logsumexp", lambda x: torch.logsumexp(x, 0), (x,)),
        ("group_norm", lambda x: F.group_norm(x, 2), (randn(2, 4, 9, 7),)),
        ("mse", F.mse_loss, (x, randn(size, columns))),
        ("huber", F.huber_loss, (x, randn(size, columns))),
    ]  # fmt: skip
