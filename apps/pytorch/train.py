#!/usr/bin/env python3
"""Trains a small transformer, byte by byte, on a book: with fused layers of Eutectic and with PyTorch's own, step by step side by side."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

import eutectic.torch
from side_by_side import BOOK, CLASSES, compiled_layers, read_book, run

Layers = dict[str, Any]


def of_torch() -> Layers:
    """The layers as PyTorch has them."""
    return {
        "normalized": lambda x, scale, shift: functional.layer_norm(x, (x.shape[-1],), scale, shift),
        "dense_gelu": lambda x, w, b: functional.gelu(x @ w + b, approximate="tanh"),
        "dense_residual": lambda x, w, b, skip: x @ w + b + skip,
        "cross_entropy": lambda x, labels: functional.cross_entropy(x, labels.long()),
    }


def of_eutectic(rows: int, width: int, folder: Path) -> Layers:
    """The same, each a pair that is compiled for these sizes, into the folder."""
    return {name: eutectic.torch.operation(report, compiled=True) for name, report in compiled_layers(rows, width, folder).items()}


class Transformer(nn.Module):
    """Reads bytes [batch, length], returns the loss of predicting the next ones. `fused`: the layers that both variants have."""

    def __init__(self, fused: Layers, width: int, blocks: int, heads: int, length: int, generator: torch.Generator):
        super().__init__()
        self.fused, self.heads, self.blocks = fused, heads, blocks

        def drawn(*shape: int, scale: float = 0.05) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape, generator=generator) * scale)

        self.parts = nn.ParameterDict({"bytes": drawn(CLASSES, width), "places": drawn(length, width), "out": drawn(width, CLASSES)})
        for b in range(blocks):
            for name in ("before", "between"):
                self.parts[f"{name}_scale{b}"] = nn.Parameter(torch.ones(width))
                self.parts[f"{name}_shift{b}"] = nn.Parameter(torch.zeros(width))
            self.parts[f"qkv{b}"], self.parts[f"mixed{b}"] = drawn(width, 3 * width), drawn(width, width)
            self.parts[f"mixed_bias{b}"] = nn.Parameter(torch.zeros(width))
            self.parts[f"wide{b}"], self.parts[f"narrow{b}"] = drawn(width, 4 * width), drawn(4 * width, width)
            self.parts[f"wide_bias{b}"] = nn.Parameter(torch.zeros(4 * width))
            self.parts[f"narrow_bias{b}"] = nn.Parameter(torch.zeros(width))
        self.parts["last_scale"], self.parts["last_shift"] = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

    def forward(self, text: Tensor, following: Tensor) -> Tensor:
        batch, length = text.shape
        p, f = self.parts, self.fused
        x = (p["bytes"][text] + p["places"]).reshape(batch * length, -1)
        for b in range(self.blocks):
            y = f["normalized"](x, p[f"before_scale{b}"], p[f"before_shift{b}"])
            q, k, v = (y @ p[f"qkv{b}"]).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(x.shape)
            x = f["dense_residual"](mixed, p[f"mixed{b}"], p[f"mixed_bias{b}"], x)
            y = f["normalized"](x, p[f"between_scale{b}"], p[f"between_shift{b}"])
            x = f["dense_residual"](f["dense_gelu"](y, p[f"wide{b}"], p[f"wide_bias{b}"]), p[f"narrow{b}"], p[f"narrow_bias{b}"], x)
        y = f["normalized"](x, p["last_scale"], p["last_shift"])
        loss: Tensor = f["cross_entropy"](y @ p["out"], following.reshape(-1).int())
        return loss


class Training:
    """One variant: its weights, its optimizer, its losses, and the seconds that its steps took."""

    def __init__(self, fused: Layers, o: argparse.Namespace):
        self.model = Transformer(fused, o.width, o.blocks, o.heads, o.length, torch.Generator().manual_seed(o.seed))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=o.rate)
        self.losses: list[float] = []
        self.seconds: list[float] = []

    def step(self, text: Tensor, following: Tensor) -> None:
        begun = time.perf_counter()
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.model(text, following)
        loss.backward()
        self.optimizer.step()
        self.losses.append(loss.item())
        self.seconds.append(time.perf_counter() - begun)

    def tokens_a_second(self, tokens: int) -> float:
        """By the median step."""
        return tokens / sorted(self.seconds)[len(self.seconds) // 2]


def train(o: argparse.Namespace, folder: Path) -> dict[str, Any]:
    book = torch.frombuffer(bytearray(read_book(o.book, o.length + 1)), dtype=torch.uint8).long()
    variants = {"eutectic": Training(of_eutectic(o.batch * o.length, o.width, folder), o), "pytorch": Training(of_torch(), o)}
    generator = torch.Generator().manual_seed(o.seed)
    for number in range(1, o.steps + 1):
        starts = torch.randint(0, len(book) - o.length - 1, (o.batch, 1), generator=generator)
        places = starts + torch.arange(o.length + 1)
        text = book[places]
        for training in variants.values():  # in turn, so that both meet the same machine
            training.step(text[:, :-1], text[:, 1:])
        if number % o.every == 0 or number == o.steps:
            last = {name: t.losses[-1] for name, t in variants.items()}
            print(f"step {number:4}/{o.steps}  loss {last['eutectic']:.5f} fused, {last['pytorch']:.5f} PyTorch", file=sys.stderr)
    tokens = o.batch * o.length
    apart = max(abs(a - b) for a, b in zip(variants["eutectic"].losses, variants["pytorch"].losses))
    return {
        "steps": o.steps,
        "threads": o.threads,
        "largest_difference": apart,
        "tokens_a_second": {name: t.tokens_a_second(tokens) for name, t in variants.items()},
        "losses": {name: t.losses for name, t in variants.items()},
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="examples:\n  train.py                          300 steps\n  train.py --steps 20 --json        losses of both, and tokens a second\n"
        "  train.py --threads 1               where other programs run beside it\n  train.py --book other.txt --width 128 --blocks 4\n\nexit status: 0 where the losses are within the tolerance of one another, 1 where not, 2 for bad input",
    )
    for name, default, what in (
        ("steps", 300, "steps of training"), ("batch", 8, "passages a step"), ("length", 64, "bytes of a passage"), ("width", 64, "features a byte"),
        ("blocks", 2, "blocks of attention and a network"), ("heads", 4, "heads of attention"), ("seed", 1, "of weights and passages"), ("every", 25, "steps from one line of progress to the next"),
    ):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"{what} (default: {default})")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), metavar="N", help="of both (default: torch's own number)")
    parser.add_argument("--rate", type=float, default=1e-3, help="the optimizer's (default: 1e-3)")
    parser.add_argument("--tolerance", type=float, default=1e-3, help="how far apart the losses may be (default: 1e-3)")
    parser.add_argument("--book", type=Path, default=BOOK, help="an ASCII text (default: the one beside this file)")
    parser.add_argument("--kernels", type=Path, help="a folder for the compiled layers (default: one that is removed)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    o = parser.parse_args()
    for name in ("steps", "batch", "length", "width", "blocks", "heads", "every", "threads"):
        if getattr(o, name) < 1:
            parser.error(f"--{name} was given as {getattr(o, name)}: give a whole number above 0")
    if o.width % o.heads:
        parser.error(f"--width {o.width} is not a multiple of --heads {o.heads}: change one of them")
    return o


def main() -> int:
    o = arguments()
    torch.set_num_threads(o.threads)  # Halide's follow
    return run(train, o, "tokens", "PyTorch's")


if __name__ == "__main__":
    sys.exit(main())
