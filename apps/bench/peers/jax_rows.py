"""The rows in JAX, compiled by XLA. To add one: as in torch_rows.py. Functions of images take `layout` too, NHWC or NCHW, that of x and of the
result; weights are HWIO. Of a row of gradients (kernels NAME_forward and NAME_backward) the function NAME is differentiated by value_and_grad."""

import importlib
import inspect
import os

ROWS = {}
LAYOUTS = {}


def row(function):
    ROWS[function.__name__.replace("__and__", "+")] = function
    return function


def ways(*names):
    """Of a function that takes `layout`: what it may be."""

    def register(function):
        LAYOUTS[function.__name__] = names
        return row(function)

    return register


images = ways("NHWC", "NCHW")


@row
def dense(x, w, b, options):
    return {"y": jax.nn.relu(x @ w + b)}


@row
def softmax(x, options):
    return {"y": jax.nn.softmax(x, -1)}


@row
def softmax_xent(x, labels, options):
    chosen = jnp.take_along_axis(x, labels[:, None], axis=-1)[:, 0]
    return {"loss": jnp.mean(jax.nn.logsumexp(x, axis=-1) - chosen)}


@row
def mlp_loss_forward__and__mlp_loss_backward(x, w1, b1, w2, b2, w3, b3, labels, options, d_loss=1.0):
    def loss(parameters):
        w1, b1, w2, b2, w3, b3 = parameters
        h1 = jax.nn.relu(x @ w1 + b1)
        h2 = jax.nn.relu(h1 @ w2 + b2)
        return softmax_xent(h2 @ w3 + b3, labels, options)["loss"]

    value, gradients = jax.value_and_grad(loss)((w1, b1, w2, b2, w3, b3))
    names = ("w1", "b1", "w2", "b2", "w3", "b3")
    return {"loss": value, **{"d_" + name: d_loss * gradient for name, gradient in zip(names, gradients)}}


@row
def matmul(a, b, options, bias=None):
    c = (a.T if flag(options, "transpose_a") else a) @ (b.T if flag(options, "transpose_b") else b)
    c = c if bias is None else c + bias
    return {"c": jax.nn.relu(c) if options[0].get("epilogue", "bias_relu") == "bias_relu" else c}


@row
def mlp_loss(x, w1, b1, w2, b2, w3, b3, labels, options):
    return softmax_xent(mlp(x, w1, b1, w2, b2, w3, b3, options)["logits"], labels, options)


@row
def gelu(x, options):
    return {"y": jax.nn.gelu(x, approximate=True)}


@row
def log1pexp(x, options):
    return {"y": jnp.log(jnp.exp(x) + 1)}


@row
def sum_exp(x, options):
    return {"total": jnp.sum(jnp.exp(x))}


@row
def pointwise_chain(x, options):
    for number in range(1, int(options[0].get("length", 12)) + 1):
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
def layernorm(x, scale, bias, options):
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    return {"y": centred * jax.lax.rsqrt(variance + 1e-5) * scale + bias}


@row
def log_softmax(x, options):
    return {"y": jax.nn.log_softmax(x, axis=-1)}


@row
def rmsnorm(x, scale, options):
    return {"y": x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-5) * scale}


@row
def mlp(x, w1, b1, w2, b2, w3, b3, options):
    h = jax.nn.relu(x @ w1 + b1)
    h = jax.nn.relu(h @ w2 + b2)
    return {"logits": h @ w3 + b3}


@row
def adam(p, m, v, g, lr, beta1, beta2, epsilon, step, options):
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    step_size = lr / (1 - beta1**step)
    return {"out.0": p - step_size * m / (jnp.sqrt(v / (1 - beta2**step)) + epsilon), "out.1": m, "out.2": v}


@row
def batched_matmul(a, b, options):
    return {"c": a @ b}


@row
def embedding(table, indices, options):
    return {"y": table[indices]}


@row
def scatter_add(table, indices, rows, options):
    return {"y": table.at[indices].add(rows)}


@row
def views(options, x=None, a=None, b=None, v=None, w=None):
    view = options[0]["view"]
    if view == "flatten":
        return {"y": jax.nn.relu(x + b).reshape(-1)}
    if view == "concatenate":
        return {"y": jax.nn.relu(jnp.concatenate((a, b), -1))}
    if view == "slice":
        return {"y": jax.nn.relu(x[:, int(options[0].get("begin", 3)) :])}
    if view == "assign":
        return {"y": jax.nn.relu(x.at[: v.shape[0]].set(v))}
    return {"y": x.T @ w}


@row
def attention(q, k, v, options):
    scores = q @ k.T / q.shape[1] ** 0.5
    if flag(options, "causal"):
        scores = jnp.where(jnp.tri(*scores.shape, dtype=bool), scores, -1e9)
    return {"y": jax.nn.softmax(scores, axis=-1) @ v}


def convolution(x, w, layout, stride=1, padding=0):
    groups = w.shape[2] if w.ndim == 3 else 1
    w = {2: lambda: w[None, None], 3: lambda: w[:, :, None], 4: lambda: w}[w.ndim]()
    if layout == "NCHW":
        w = w.transpose(3, 2, 0, 1)
    numbers = (layout, "HWIO" if layout == "NHWC" else "OIHW", layout)
    return jax.lax.conv_general_dilated(x, w, (stride, stride), [(padding, padding)] * 2, dimension_numbers=numbers, feature_group_count=groups)


def channels(b, layout):
    return b if layout == "NHWC" else b[:, None, None]


@images
def conv2d(x, w, b, options, layout):
    stride, padding = int(options[0].get("stride", 1)), int(options[0].get("padding", 1))
    return {"y": jax.nn.relu(convolution(x, w, layout, stride, padding) + channels(b, layout))}


@images
def depthwise_separable(x, w1, w2, b, options, layout):
    stride, padding = int(options[0].get("stride", 1)), int(options[0].get("padding", 1))
    h = convolution(x, w1, layout, stride, padding)
    return {"y": jax.nn.relu(convolution(h, w2, layout) + channels(b, layout))}


def windows(x, start, combine, layout, kernel, stride, padding):
    lay = (lambda c, s: (1, s, s, c)) if layout == "NHWC" else (lambda c, s: (1, c, s, s))
    pads = [(size, size) for size in ((0, padding, padding, 0) if layout == "NHWC" else (0, 0, padding, padding))]
    return jax.lax.reduce_window(x, start, combine, lay(1, kernel), lay(1, stride), pads)


@images
def max_pool(x, options, layout):
    sizes = int(options[0].get("kernel", 3)), int(options[0].get("stride", 2)), int(options[0].get("padding", 1))
    return {"y": windows(x, -jnp.inf, jax.lax.max, layout, *sizes)}


@images
def avg_pool(x, options, layout):
    sizes = int(options[0].get("kernel", 2)), int(options[0].get("stride", 2)), int(options[0].get("padding", 0))
    return {"y": windows(x, 0.0, jax.lax.add, layout, *sizes) / sizes[0] ** 2}


@images
def bottleneck(x, w1, b1, w2, b2, w3, b3, options, layout):
    h = jax.nn.relu(convolution(x, w1, layout) + channels(b1, layout))
    h = jax.nn.relu(convolution(h, w2, layout, padding=1) + channels(b2, layout))
    return {"y": jax.nn.relu(convolution(h, w3, layout) + channels(b3, layout) + x)}


def flag(options, name):
    return options[0].get(name, "false") == "true"


class Framework:
    def versions(self):
        import jaxlib

        return {"jax": jax.__version__, "jaxlib": jaxlib.__version__}

    def has(self, name):
        return name in ROWS or differentiated(name) in ROWS or derivative(name)[1] in ROWS

    def ways(self, name, tensors, params):
        """(name of the way, function that runs it, function from its result to arrays) of each way of doing a row."""
        of = differentiated(name)
        mode, derived = derivative(name)
        if name in ROWS:
            function, layouts = ROWS[name], LAYOUTS.get(name, ("as given",))
            wanted = inspect.signature(function).parameters
        elif mode:
            function, layouts = mode(ROWS[derived], params[0]["gradient_wrt"].split(",")), LAYOUTS.get(derived, ("as given",))
            wanted = [*inspect.signature(ROWS[derived]).parameters, *(key for key in tensors.inputs if key.startswith(("d_", "t_")))]
        else:
            function, layouts = gradient(ROWS[of], params[0]["gradient_wrt"].split(",")), LAYOUTS.get(of, ("as given",))
            wanted = [*inspect.signature(ROWS[of]).parameters, *(key for key in tensors.inputs if key.startswith("d_"))]
        given = {key: value for key, value in tensors.inputs.items() if key in wanted}
        scalars = {key: value for key, value in tensors.scalars.items() if key in wanted}
        for layout in layouts:
            constants = dict(scalars, layout=layout) if "layout" in wanted else scalars
            # Weights stay as they are: the compiler may lay them out as it likes.
            inputs = {key: jax.device_put(value.transpose(0, 3, 1, 2) if layout == "NCHW" and key in ("x", "d_y", "t_x") else value)
                      for key, value in given.items()}
            yield layout, compiled(function, inputs, params, constants), (arrays if layout == "NCHW" else dict)


def differentiated(name):
    """NAME of NAME_forward+NAME_backward; nothing for other rows."""
    parts = [part.rpartition("_") for part in name.split("+")]
    return parts[0][0] if [part[2] for part in parts] == ["forward", "backward"] and parts[0][0] == parts[1][0] else None


def gradient(function, wrt):
    """The result and the gradients by the inputs `wrt` of its product with the upstream gradient. The product itself is not asked for."""

    def both(options, layout=None, **inputs):
        constants = {"options": options} if layout is None else {"options": options, "layout": layout}
        upstream = {key: value for key, value in inputs.items() if key.startswith("d_")}
        rest = {key: value for key, value in inputs.items() if key not in upstream and key not in wrt}

        def product(parameters):
            results = function(**constants, **rest, **parameters)
            return sum(jnp.vdot(value, upstream["d_" + key]) for key, value in results.items()), results

        (_, results), gradients = jax.value_and_grad(product, has_aux=True)({key: inputs[key] for key in wrt})
        return {**results, **{"d_" + key: value for key, value in gradients.items()}}

    return both


def derivative(name):
    """How NAME_tangent and NAME_hvp follow from NAME, and NAME; nothing for other rows."""
    of, _, suffix = name.rpartition("_")
    return {"tangent": (tangent, of), "hvp": (hvp, of)}.get(suffix, (None, None))


def tangent(function, wrt):
    """The result and its derivative along the directions t_INPUT, by jax.jvp."""

    def both(options, layout=None, **inputs):
        constants = {"options": options} if layout is None else {"options": options, "layout": layout}
        rest = {key: value for key, value in inputs.items() if not key.startswith("t_") and key not in wrt}
        results, tangents = jax.jvp(lambda parameters: function(**constants, **rest, **parameters),
                                    ({key: inputs[key] for key in wrt},), ({key: inputs["t_" + key] for key in wrt},))
        return {**results, **{"t_" + key: value for key, value in tangents.items()}}

    return both


def hvp(function, wrt):
    """The result, the gradients, and their derivatives along the directions: jax.jvp of value_and_grad."""

    def all_three(options, layout=None, **inputs):
        directions = {key: value for key, value in inputs.items() if key.startswith("t_")}
        rest = {key: value for key, value in inputs.items() if key not in directions and key not in wrt}

        def gradients(parameters):
            results = gradient(function, wrt)(options, layout, **rest, **parameters)
            return {key: value for key, value in results.items() if key.startswith("d_")}, results

        _, tangents, results = jax.jvp(gradients, ({key: inputs[key] for key in wrt},), ({key: inputs["t_" + key] for key in wrt},), has_aux=True)
        return {**results, **{"t_" + key: value for key, value in tangents.items()}}

    return all_three


def compiled(function, inputs, params, constants):
    jitted = jax.jit(lambda inputs: function(options=params, **constants, **inputs))
    return lambda: jax.block_until_ready(jitted(inputs))


def arrays(results):
    return {key: value if key.startswith(("d_w", "t_d_w")) or value.ndim < 4 else value.transpose(0, 2, 3, 1) for key, value in results.items()}


def start(name, device, threads, cache):
    # XLA's thread pool has a thread a processor that this process may use, and no other switch.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    os.environ["JAX_PLATFORMS"] = device
    global jax, jnp
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_compilation_cache_dir", str(cache / "jax"))
    importlib.import_module("jax_models")  # adds its rows
    # float32 is float32 for all: on GPUs XLA would round products to fewer bits.
    jax.config.update("jax_default_matmul_precision", "highest")
    return Framework()
