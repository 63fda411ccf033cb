"""The rows in JAX, compiled by XLA. To add one: as in torch_rows.py."""

import inspect
import os

ROWS = {}


def row(function):
    ROWS[function.__name__.replace("__and__", "+")] = function
    return function


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
        inputs = {key: jax.device_put(value) for key, value in tensors.inputs.items() if key in wanted}
        scalars = {key: value for key, value in tensors.scalars.items() if key in wanted}
        for layout in LAYOUTS.get(name, ("as given",)):
            compiled = jax.jit(lambda inputs: function(p=params, **scalars, **inputs))
            yield layout, (lambda: jax.block_until_ready(compiled(inputs))), (lambda results: results)


LAYOUTS = {}


def start(name, threads, cache):
    # XLA's thread pool has a thread a processor that this process may use, and no other switch.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    os.environ["JAX_PLATFORMS"] = "cpu"
    global jax, jnp
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_compilation_cache_dir", str(cache / "jax"))
    return Framework()
