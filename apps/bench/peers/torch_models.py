"""The layers and models of generators/models in PyTorch: rows as in torch_rows.py."""

import torch
import torch.nn.functional as F
from torch_rows import nhwc, row


@row
def swiglu(x, gate, up, down, options):
    return {"y": (F.silu(x @ gate) * (x @ up)) @ down}


@row(layouts=("channels_last", "contiguous"))
def group_norm(x, scale, bias, options):
    return {"y": nhwc(F.group_norm(x, x.shape[1] // int(options[0]["group"]), scale, bias, eps=1e-5))}


@row
def embedding_bag(table, indices, options):
    return {"y": F.embedding_bag(indices, table, mode="mean")}


@row(layouts=("torch.lstm", "steps"))
def lstm(x, w, v, b, options, layout):
    w, v, b = w.flatten(1), v.flatten(1), b.flatten()
    h = c = x.new_zeros(x.shape[1], v.shape[0])
    if layout == "torch.lstm":
        parameters = [w.t(), v.t(), b, torch.zeros_like(b)]
        return {"y": torch.lstm(x, (h[None], c[None]), parameters, True, 1, 0.0, True, False, False)[1][0]}
    for gates in torch.unbind(x @ w + b):
        i, f, g, o = torch.chunk(torch.addmm(gates, h, v), 4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    return {"y": h}


@row(layouts=("steps", "doubling"))
def selective_scan(x, delta, a, b, c, d, options, layout):
    decay = torch.exp(delta[..., None] * a)
    states = (delta * x)[..., None] * b[:, :, None]
    if layout == "steps":
        all_states = [states[:, 0]]
        for factor, term in list(zip(torch.unbind(decay, 1), torch.unbind(states, 1)))[1:]:
            all_states.append(torch.addcmul(term, factor, all_states[-1]))
        states = torch.stack(all_states, 1)
    else:
        distance = 1
        while distance < x.shape[1]:
            # What ends at t begins `distance` steps earlier than before.
            further = torch.addcmul(states[:, distance:], decay[:, distance:], states[:, :-distance])
            states = torch.cat((states[:, :distance], further), 1)
            decay = torch.cat((decay[:, :distance], decay[:, distance:] * decay[:, :-distance]), 1)
            distance *= 2
    return {"y": (states @ c[..., None])[..., 0] + d * x}


@row
def rotary_attention(q, k, v, cosine, sine, options):
    def turned(x):
        first, second = torch.chunk(x, 2, -1)
        return x * cosine + torch.cat((-second, first), -1) * sine

    return {"y": F.scaled_dot_product_attention(turned(q)[None], turned(k)[None], v[None], is_causal=True)[0]}


@row
def graph_attention(x, edges, w, receiver, sender, options):
    h = x @ w
    scores = F.leaky_relu((h @ receiver)[:, None] + (h @ sender)[edges], 0.2)
    return {"y": torch.bmm(torch.softmax(scores, -1)[:, None], h[edges])[:, 0]}


@row(layouts=("shifts", "unfold"))
def bilateral_filter(x, options, layout):
    radius, size = int(options[0]["radius"]), 2 * int(options[0]["radius"]) + 1
    around = F.pad(x[None, None], (radius,) * 4, mode="replicate")[0, 0]
    near, like = -0.5 / 1.5**2, -0.5 / 0.2**2
    if layout == "unfold":
        others = around.unfold(0, size, 1).unfold(1, size, 1)
        at = torch.arange(-radius, radius + 1, dtype=x.dtype, device=x.device)
        weights = torch.exp((at[:, None] ** 2 + at**2) * near + (others - x[..., None, None]) ** 2 * like)
        return {"y": (weights * others).sum((-2, -1)) / weights.sum((-2, -1))}
    total = weighted = 0
    for v in range(size):
        for u in range(size):
            other = around[v : v + x.shape[0], u : u + x.shape[1]]
            weight = torch.exp((other - x) ** 2 * like + ((u - radius) ** 2 + (v - radius) ** 2) * near)
            total, weighted = total + weight, weighted + weight * other
    return {"y": weighted / total}


@row
def soft_dtw(a, b, options):
    """Over the diagonals of the matrix of costs, whose cells do not depend on each other."""
    gamma, never = 1.0, 1e8
    n, m = a.shape[1], b.shape[1]
    cost = (a**2).sum(-1)[:, :, None] + (b**2).sum(-1)[:, None] - 2 * a @ b.transpose(1, 2)
    # (i, j) in column i + j.
    skewed = F.pad(cost, (0, n), value=never).flatten(1)[:, :-n].reshape(-1, n, n + m - 1)
    last = beside = skewed.new_full((a.shape[0], n), never)
    corner = F.pad(last[:, 1:], (1, 0))
    for diagonal in torch.unbind(skewed, 2):
        above = F.pad(last[:, :-1], (1, 0), value=never)
        best = -gamma * torch.logsumexp(torch.stack((corner, above, beside)) * (-1 / gamma), 0)
        corner, last = above, diagonal + best
        beside = last
    return {"distance": last[:, -1]}


@row
def gpt_block(x, scale1, bias1, w_q, w_k, w_v, b_q, b_v, w_out, b_out, scale2, bias2, w_up, b_up, w_down, b_down, options):
    heads = int(options[0]["heads"])

    def by_heads(projected):
        return projected.unflatten(-1, (heads, -1)).transpose(0, 1)[None]

    normed = F.layer_norm(x, x.shape[-1:], scale1, bias1)
    q, k, v = by_heads(torch.addmm(b_q, normed, w_q)), by_heads(normed @ w_k), by_heads(torch.addmm(b_v, normed, w_v))
    mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)[0]
    z = x + torch.addmm(b_out, mixed.transpose(0, 1).flatten(1), w_out)
    up = torch.addmm(b_up, F.layer_norm(z, z.shape[-1:], scale2, bias2), w_up)
    return {"y": z + torch.addmm(b_down, F.gelu(up, approximate="tanh"), w_down)}


@row(layouts=("channels_last", "contiguous"))
def unet_level(x, w1, w2, w3, w4, b1, b2, b3, b4, options):
    skip = torch.relu(F.conv2d(x, w1, b1, padding=1))
    below = torch.relu(F.conv2d(F.max_pool2d(skip, 2), w2, b2, padding=1))
    below = F.interpolate(torch.relu(F.conv2d(below, w3, b3, padding=1)), scale_factor=2, mode="nearest")
    return {"y": nhwc(torch.relu(F.conv2d(torch.cat((skip, below), 1), w4, b4, padding=1)))}
