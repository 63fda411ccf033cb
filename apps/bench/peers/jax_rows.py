"""The rows in JAX, compiled by XLA. To add one: as in torch_rows.py. Functions of images take `layout` too, NHWC or NCHW, that of x and of the
result; weights are HWIO."""

import inspect
import os

ROWS = {}
LAYOUTS = {}


def row(function):
    ROWS[function.__name__.replace("__and__", "+")] = function
    return function


def images(function):
    LAYOUTS[function.__name__] = ("NHWC", "NCHW")
    return row(function)


@row
def dense(x, w, b, p):
    return {"y": jax.nn.relu(x @ w + b)}


@row
def softmax(x, p):
    return {"y": jax.nn.softmax(x, -1)}


@row
def softmax_xent(x, labels, p):
    chosen = jnp.take_along_axis(x, labels[:, None], axis=-1)[:, 0]
    return {"loss": jnp.mean(jax.nn.logsumexp(x, axis=-1) - chosen)}


@row
def mlp_loss_forward__and__mlp_loss_backward(x, w1, b1, w2, b2, w3, b3, labels, p, d_loss=1.0):
    def loss(parameters):
        w1, b1, w2, b2, w3, b3 = parameters
        h1 = jax.nn.relu(x @ w1 + b1)
        h2 = jax.nn.relu(h1 @ w2 + b2)
        return softmax_xent(h2 @ w3 + b3, labels, p)["loss"]

    value, gradients = jax.value_and_grad(loss)((w1, b1, w2, b2, w3, b3))
    names = ("w1", "b1", "w2", "b2", "w3", "b3")
    return {"loss": value, **{"d_" + name: d_loss * gradient for name, gradient in zip(names, gradients)}}


@row
def matmul(a, b, p, bias=None):
    c = (a.T if flag(p, "transpose_a") else a) @ (b.T if flag(p, "transpose_b") else b)
    c = c if bias is None else c + bias
    return {"c": jax.nn.relu(c) if p[0].get("epilogue", "bias_relu") == "bias_relu" else c}


@row
def log1pexp(x, p):
    return {"y": jnp.log(jnp.exp(x) + 1)}


@row
def sum_exp(x, p):
    return {"total": jnp.sum(jnp.exp(x))}


@row
def pointwise_chain(x, p):
    for number in range(1, int(p[0].get("length", 12)) + 1):
        x = (
            jnp.maximum(x, 0.125),
            x * 1.25,
            x - 0.375,
            jnp.abs(x),
            jnp.minimum(x, 2),
            x * x,
        )[number % 6]
    return {"y": x}


@row
def layernorm(x, scale, bias, p):
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    return {"y": centred * jax.lax.rsqrt(variance + 1e-5) * scale + bias}


@row
def attention(q, k, v, p):
    scores = q @ k.T / q.shape[1] ** 0.5
    if flag(p, "causal"):
        scores = jnp.where(jnp.tri(*scores.shape, dtype=bool), scores, -1e9)
    return {"y": jax.nn.softmax(scores, axis=-1) @ v}


def convolution(x, w, layout, stride=1, padding=0):
    if w.ndim == 2:
        w = w[None, None]
    if layout == "NCHW":
        w = w.transpose(3, 2, 0, 1)
    numbers = (layout, "HWIO" if layout == "NHWC" else "OIHW", layout)
    return jax.lax.conv_general_dilated(x, w, (stride, stride), [(padding, padding)] * 2, dimension_numbers=numbers)


def channels(b, layout):
    return b if layout == "NHWC" else b[:, None, None]


@images
def conv2d(x, w, b, p, layout):
    stride, padding = int(p[0].get("stride", 1)), int(p[0].get("padding", 1))
    return {"y": jax.nn.relu(convolution(x, w, layout, stride, padding) + channels(b, layout))}


@images
def bottleneck(x, w1, b1, w2, b2, w3, b3, p, layout):
    h = jax.nn.relu(convolution(x, w1, layout) + channels(b1, layout))
    h = jax.nn.relu(convolution(h, w2, layout, padding=1) + channels(b2, layout))
    return {"y": jax.nn.relu(convolution(h, w3, layout) + channels(b3, layout) + x)}


def flag(p, name):
    return p[0].get(name, "false") == "true"


class Framework:
    def versions(self):
        import jaxlib

        return {"jax": jax.__version__, "jaxlib": jaxlib.__version__}

    def has(self, name):
        return name in ROWS

    def ways(self, name, tensors, params):
        """(name of the way, function that runs it, function from its result to arrays) of each way of doing a row."""
        function = ROWS[name]
        wanted = inspect.signature(function).parameters
        given = {key: value for key, value in tensors.inputs.items() if key in wanted}
        scalars = {key: value for key, value in tensors.scalars.items() if key in wanted}
        for layout in LAYOUTS.get(name, ("as given",)):
            constants = dict(scalars, layout=layout) if "layout" in wanted else scalars
            # Weights stay as they are: the compiler may lay them out as it likes.
            inputs = {key: jax.device_put(value.transpose(0, 3, 1, 2) if layout == "NCHW" and key == "x" else value)
                      for key, value in given.items()}
            yield layout, compiled(function, inputs, params, constants), (arrays if layout == "NCHW" else dict)


def compiled(function, inputs, params, constants):
    jitted = jax.jit(lambda inputs: function(p=params, **constants, **inputs))
    return lambda: jax.block_until_ready(jitted(inputs))


def arrays(results):
    return {key: value.transpose(0, 2, 3, 1) for key, value in results.items()}


def start(name, threads, cache):
    # XLA's thread pool has a thread a processor that this process may use, and no other switch.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    os.environ["JAX_PLATFORMS"] = "cpu"
    global jax, jnp
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_compilation_cache_dir", str(cache / "jax"))
    return Framework()
