"""What trainings have in common that run two variants side by side, here and in apps/jax: the book, the fused layers, and what is told in the end."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import eutectic
import layers

BOOK = Path(__file__).parent / "book.txt"
CLASSES = 128  # of ASCII


def read_book(path: Path, more_than: int) -> bytes:
    try:
        book = path.read_bytes()
    except OSError as error:
        raise eutectic.Error(f"The book {path} cannot be read ({error}): name a text file in ASCII.") from None
    if len(book) <= more_than or not book.isascii():
        raise eutectic.Error(f"The book {path} is no ASCII text of more than {more_than} bytes: name another one.")
    return book


def compiled_layers(rows: int, width: int, folder: Path) -> dict[str, Path]:
    """The reports of the layers by name, compiled for these sizes into the folder, with progress."""
    made = {
        "normalized": layers.normalized(rows, width),
        "dense_gelu": layers.dense_gelu(rows, width, 4 * width),
        "dense_residual": layers.dense_residual(rows, 4 * width, width),
        "cross_entropy": layers.cross_entropy(rows, CLASSES),
    }
    return {name: layers.compiled(name, pipeline, folder, lambda text: print(text, file=sys.stderr)) for name, pipeline in made.items()}


def run(train: Callable[[argparse.Namespace, Path], dict[str, Any]], o: argparse.Namespace, unit: str, others: str) -> int:
    """Trains with a folder for kernels, prints what came of it, and returns the exit status. `unit`: of what "UNIT_a_second" counts;
    `others`: what the variant beside "eutectic" is made of."""
    try:
        with tempfile.TemporaryDirectory() as scratch:
            result = train(o, o.kernels or Path(scratch))
    except eutectic.Error as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 2
    if o.json:
        print(json.dumps(result))
    else:
        rates = result[f"{unit}_a_second"]
        other = next(name for name in rates if name != "eutectic")
        losses = result["losses"][other]
        print(f"losses of {o.steps} steps: at most {result['largest_difference']:.1e} apart, from {losses[0]:.3f} to {losses[-1]:.3f}")
        print(f"{unit} a second: {rates['eutectic']:,.0f} with fused layers, {rates[other]:,.0f} with {others}")
    return 0 if result["largest_difference"] <= o.tolerance else 1
