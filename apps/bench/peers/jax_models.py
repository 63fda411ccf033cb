"""The layers and models of generators/models in JAX: rows as in jax_rows.py."""

import jax
import jax.numpy as jnp
from jax import lax
from jax_rows import channels, convolution, images, row, ways


@row
def swiglu(x, gate, up, down, options):
    return {"y": (jax.nn.silu(x @ gate) * (x @ up)) @ down}


@images
def group_norm(x, scale, bias, options, layout):
    group = int(options[0]["group"])
    at = 3 if layout == "NHWC" else 1
    grouped = x.reshape(*x.shape[:at], x.shape[at] // group, group, *x.shape[at + 1 :])
    over = (1, 2, 4) if layout == "NHWC" else (2, 3, 4)
    centred = grouped - jnp.mean(grouped, axis=over, keepdims=True)
    variance = jnp.mean(centred * centred, axis=over, keepdims=True)
    normed = (centred * lax.rsqrt(variance + 1e-5)).reshape(x.shape)
    return {"y": normed * channels(scale, layout) + channels(bias, layout)}


@row
def embedding_bag(table, indices, options):
    return {"y": jnp.mean(table[indices], axis=1)}


@row
def lstm(x, w, v, b, options):
    v = v.reshape(v.shape[0], -1)

    def step(state, from_x):
        h, c = state
        i, f, g, o = jnp.split(from_x + h @ v, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

    zeros = jnp.zeros((x.shape[1], v.shape[0]), x.dtype)
    (h, _), _ = lax.scan(step, (zeros, zeros), x @ w.reshape(w.shape[0], -1) + b.reshape(-1))
    return {"y": h}


@ways("associative_scan", "scan", "scan, unrolled")
def selective_scan(x, delta, a, b, c, d, options, layout):
    if layout == "associative_scan":
        decay = jnp.exp(delta[..., None] * a)
        drive = (delta * x)[..., None] * b[:, :, None]
        _, states = lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (decay, drive), axis=1)
        return {"y": jnp.einsum("ntjs,nts->ntj", states, c) + d * x}

    def step(h, now):
        x, delta, b, c = now
        h = jnp.exp(delta[..., None] * a) * h + (delta * x)[..., None] * b[:, None]
        return h, jnp.einsum("njs,ns->nj", h, c)

    first = jnp.zeros((x.shape[0], *a.shape), x.dtype)
    _, mixed = lax.scan(step, first, [t.swapaxes(0, 1) for t in (x, delta, b, c)], unroll=8 if "unrolled" in layout else 1)
    return {"y": mixed.swapaxes(0, 1) + d * x}


def causal_heads(q, k, v):
    scores = jnp.einsum("hid,htd->hit", q, k) / q.shape[-1] ** 0.5
    scores = jnp.where(jnp.tri(q.shape[1], dtype=bool), scores, -1e9)
    return jnp.einsum("hit,htd->hid", jax.nn.softmax(scores, axis=-1), v)


@row
def rotary_attention(q, k, v, cosine, sine, options):
    def turned(x):
        first, second = jnp.split(x, 2, axis=-1)
        return x * cosine + jnp.concatenate((-second, first), -1) * sine

    return {"y": causal_heads(turned(q), turned(k), v)}


@row
def graph_attention(x, edges, w, receiver, sender, options):
    h = x @ w
    scores = jax.nn.leaky_relu((h @ receiver)[:, None] + (h @ sender)[edges], 0.2)
    return {"y": jnp.einsum("ik,ikj->ij", jax.nn.softmax(scores, axis=-1), h[edges])}


@ways("shifts", "stacked")
def bilateral_filter(x, options, layout):
    radius = int(options[0]["radius"])
    around = jnp.pad(x, radius, mode="edge")
    near, like = -0.5 / 1.5**2, -0.5 / 0.2**2
    places = [(u, v) for v in range(2 * radius + 1) for u in range(2 * radius + 1)]
    others = [around[v : v + x.shape[0], u : u + x.shape[1]] for u, v in places]
    distances = [((u - radius) ** 2 + (v - radius) ** 2) * near for u, v in places]
    if layout == "stacked":
        others = jnp.stack(others)
        weights = jnp.exp((others - x) ** 2 * like + jnp.array(distances, x.dtype)[:, None, None])
        return {"y": jnp.sum(weights * others, 0) / jnp.sum(weights, 0)}
    weights = [jnp.exp((other - x) ** 2 * like + distance) for other, distance in zip(others, distances)]
    return {"y": sum(weight * other for weight, other in zip(weights, others)) / sum(weights)}


@ways("scan", "scan, unrolled")
def soft_dtw(a, b, options, layout):
    """Over the diagonals of the matrix of costs, whose cells do not depend on each other."""
    gamma, never = 1.0, 1e8
    batch, n, m = a.shape[0], a.shape[1], b.shape[1]
    cost = jnp.sum(a * a, -1)[:, :, None] + jnp.sum(b * b, -1)[:, None] - 2 * jnp.einsum("nic,njc->nij", a, b)
    # (i, j) in column i + j.
    skewed = jnp.pad(cost, ((0, 0), (0, 0), (0, n)), constant_values=never).reshape(batch, -1)[:, :-n].reshape(batch, n, n + m - 1)

    def step(state, diagonal):
        last, corner = state
        above = jnp.pad(last[:, :-1], ((0, 0), (1, 0)), constant_values=never)
        best = -gamma * jax.nn.logsumexp(jnp.stack((corner, above, last)) / -gamma, axis=0)
        return (diagonal + best, above), None

    before = jnp.full((batch, n), never, a.dtype)
    (last, _), _ = lax.scan(step, (before, before.at[:, 0].set(0)), jnp.moveaxis(skewed, 2, 0), unroll=8 if "unrolled" in layout else 1)
    return {"distance": last[:, -1]}


def layer_norm(x, scale, bias):
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    return centred * lax.rsqrt(jnp.mean(centred * centred, axis=-1, keepdims=True) + 1e-5) * scale + bias


@row
def gpt_block(x, scale1, bias1, w_q, w_k, w_v, b_q, b_v, w_out, b_out, scale2, bias2, w_up, b_up, w_down, b_down, options):
    def by_heads(projected):
        return projected.reshape(x.shape[0], int(options[0]["heads"]), -1).swapaxes(0, 1)

    normed = layer_norm(x, scale1, bias1)
    mixed = causal_heads(by_heads(normed @ w_q + b_q), by_heads(normed @ w_k), by_heads(normed @ w_v + b_v))
    z = x + mixed.swapaxes(0, 1).reshape(x.shape) @ w_out + b_out
    up = layer_norm(z, scale2, bias2) @ w_up + b_up
    return {"y": z + jax.nn.gelu(up, approximate=True) @ w_down + b_down}


@images
def unet_level(x, w1, w2, w3, w4, b1, b2, b3, b4, options, layout):
    lines, columns, last = (1, 2, 3) if layout == "NHWC" else (2, 3, 1)

    def layer(image, w, b):
        return jax.nn.relu(convolution(image, w, layout, padding=1) + channels(b, layout))

    skip = layer(x, w1, b1)
    shape = skip.shape
    pooled = skip.reshape(*shape[:lines], shape[lines] // 2, 2, shape[columns] // 2, 2, *shape[columns + 1 :]).max((lines + 1, lines + 3))
    below = layer(layer(pooled, w2, b2), w3, b3)
    below = jnp.repeat(jnp.repeat(below, 2, axis=lines), 2, axis=columns)
    return {"y": layer(jnp.concatenate((skip, below), last), w4, b4)}
