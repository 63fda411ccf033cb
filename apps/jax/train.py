#!/usr/bin/env python3
"""Trains a network that predicts the next byte of a book from those before: with fused layers of Eutectic as foreign functions, and with JAX's own
operations, step by step side by side, each step one function that jax.jit compiles."""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pair import operation

sys.path.insert(0, str(Path(__file__).parents[1] / "pytorch"))
from side_by_side import BOOK, CLASSES, compiled_layers, read_book, run  # noqa: E402

BYTES = 8  # that a prediction is made from


def of_jax() -> dict[str, Any]:
    """The layers in JAX's own operations."""

    def normalized(x: Any, scale: Any, shift: Any) -> Any:
        mean = x.mean(-1, keepdims=True)
        return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * scale + shift

    def cross_entropy(x: Any, labels: Any) -> Any:
        return -jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], 1).mean()

    return {
        "normalized": normalized,
        "dense_gelu": lambda x, w, b: jax.nn.gelu(x @ w + b),
        "dense_residual": lambda x, w, b, skip: x @ w + b + skip,
        "cross_entropy": cross_entropy,
    }


def of_eutectic(rows: int, width: int, folder: Path) -> dict[str, Any]:
    """The same, each a pair that is compiled for these sizes, into the folder."""
    return {name: operation(report) for name, report in compiled_layers(rows, width, folder).items()}


def drawn(width: int, blocks: int, seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)

    def normal(*shape: int) -> Any:
        return jnp.asarray(random.normal(0, shape[0] ** -0.5, shape).astype(np.float32))

    weights = {"bytes": normal(CLASSES, width // BYTES), "out": normal(width, CLASSES)}
    for b in range(blocks):
        weights |= {f"scale{b}": jnp.ones(width), f"shift{b}": jnp.zeros(width)}
        weights |= {f"wide{b}": normal(width, 4 * width), f"wide_bias{b}": jnp.zeros(4 * width)}
        weights |= {f"narrow{b}": normal(4 * width, width), f"narrow_bias{b}": jnp.zeros(width)}
    return weights


def loss(fused: dict[str, Any], blocks: int, w: dict[str, Any], text: Any) -> Any:
    x = w["bytes"][text[:, :-1]].reshape(text.shape[0], -1)
    for b in range(blocks):
        y = fused["normalized"](x, w[f"scale{b}"], w[f"shift{b}"])
        y = fused["dense_gelu"](y, w[f"wide{b}"], w[f"wide_bias{b}"])
        x = fused["dense_residual"](y, w[f"narrow{b}"], w[f"narrow_bias{b}"], x)
    return fused["cross_entropy"](x @ w["out"], text[:, -1])


@partial(jax.jit, static_argnums=0)
def step(loss_of: Any, w: dict[str, Any], text: Any, rate: float) -> tuple[Any, dict[str, Any]]:
    value, gradients = jax.value_and_grad(loss_of)(w, text)
    return value, jax.tree.map(lambda a, d: a - rate * d, w, gradients)


def train(o: argparse.Namespace, folder: Path) -> dict[str, Any]:
    book = np.frombuffer(read_book(o.book, BYTES), np.uint8).astype(np.int32)
    width, random = 8 * BYTES, np.random.default_rng(o.seed)
    losses_of = {"eutectic": partial(loss, of_eutectic(o.rows, width, folder), o.blocks), "jax": partial(loss, of_jax(), o.blocks)}
    weights = {name: drawn(width, o.blocks, o.seed) for name in losses_of}
    losses: dict[str, list[float]] = {name: [] for name in losses_of}
    seconds: dict[str, list[float]] = {name: [] for name in losses_of}
    for number in range(1, o.steps + 1):
        starts = random.integers(0, len(book) - BYTES, (o.rows, 1))
        text = jnp.asarray(book[starts + np.arange(BYTES + 1)])
        for name, loss_of in losses_of.items():  # in turn, so that both meet the same machine
            begun = time.perf_counter()
            value, weights[name] = jax.block_until_ready(step(loss_of, weights[name], text, o.rate))
            seconds[name].append(time.perf_counter() - begun)
            losses[name].append(float(value))
        if number % 50 == 0 or number == o.steps:
            print(f"step {number:4}/{o.steps}  loss {losses['eutectic'][-1]:.5f} fused, {losses['jax'][-1]:.5f} JAX", file=sys.stderr)
    return {
        "steps": o.steps,
        "largest_difference": max(abs(a - b) for a, b in zip(losses["eutectic"], losses["jax"])),
        "rows_a_second": {name: o.rows / sorted(s)[len(s) // 2] for name, s in seconds.items()},
        "losses": losses,
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="examples:\n  train.py                       300 steps\n  train.py --steps 20 --json     losses of both, and rows a second\n\n"
        "exit status: 0 where the losses are within the tolerance of one another, 1 where not, 2 for bad input",
    )
    for name, default, what in (("steps", 300, "steps of training"), ("rows", 512, "predictions a step"), ("blocks", 2, "blocks of fused layers"), ("seed", 1, "of weights and passages")):
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"{what} (default: {default})")
    parser.add_argument("--rate", type=float, default=0.1, help="of the descent (default: 0.1)")
    parser.add_argument("--tolerance", type=float, default=1e-3, help="how far apart the losses may be (default: 1e-3)")
    parser.add_argument("--book", type=Path, default=BOOK, help="an ASCII text (default: that of apps/pytorch)")
    parser.add_argument("--kernels", type=Path, help="a folder for the compiled layers (default: one that is removed)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    o = parser.parse_args()
    for name in ("steps", "rows", "blocks"):
        if getattr(o, name) < 1:
            parser.error(f"--{name} was given as {getattr(o, name)}: give a whole number above 0")
    return o


if __name__ == "__main__":
    sys.exit(run(train, arguments(), "rows", "JAX's own operations"))
