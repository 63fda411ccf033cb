#!/usr/bin/env python3
"""What the networks of networks.h keep between forward and backward, against what PyTorch's autograd saves of the same ones.

usage: test_residual_bytes.py RESIDUAL_BYTES      the program of that name

Saved-tensor hooks see what autograd keeps; parameters and inputs are not counted on either side, and a storage counts once.
"""

import json
import subprocess
import sys

import torch
import torch.nn.functional as functional


def saved_bytes(network, x, parameters):
    """The bytes of the distinct storages that autograd saves, apart from those of x and of parameters."""
    given = {tensor.untyped_storage().data_ptr() for tensor in [x, *parameters]}
    storages = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in given:
            # A view counts as what it shows, its storage at most.
            size = min(storage.nbytes(), tensor.numel() * tensor.element_size())
            storages[storage.data_ptr()] = (max(size, storages.get(storage.data_ptr(), (0,))[0]), tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        y = network(x)
    del y
    return sum(size for size, _ in storages.values())


def dense(parameters, k, n):
    w, b = torch.randn(n, k, requires_grad=True), torch.randn(n, requires_grad=True)
    parameters += [w, b]
    return lambda x: functional.linear(x, w, b)


def relu_mlp(layers, width, batch):
    parameters = []
    denses = [dense(parameters, width, width) for _ in range(layers)]

    def network(x):
        for layer in denses[:-1]:
            x = functional.relu(layer(x))
        return denses[-1](x)

    return saved_bytes(network, torch.randn(batch, width, requires_grad=True), parameters)


def gelu_dropout_mlp(layers, width, batch):
    parameters = []
    denses = [dense(parameters, width, width) for _ in range(layers)]

    def network(x):
        for layer in denses[:-1]:
            x = functional.dropout(functional.gelu(layer(x), approximate="tanh"), 0.1, training=True)
        return denses[-1](x)

    return saved_bytes(network, torch.randn(batch, width, requires_grad=True), parameters)


def layernorm_block(width, batch):
    scale, shift = torch.randn(width, requires_grad=True), torch.randn(width, requires_grad=True)
    parameters = [scale, shift]
    wide, narrow = dense(parameters, width, 4 * width), dense(parameters, 4 * width, width)

    def network(x):
        n = functional.layer_norm(x, (width,), scale, shift)
        return x + narrow(functional.gelu(wide(n), approximate="tanh"))

    return saved_bytes(network, torch.randn(batch, width, requires_grad=True), parameters)


def main():
    kept = json.loads(subprocess.run([sys.argv[1]], check=True, stdout=subprocess.PIPE).stdout)
    wrong = 0
    for name, theirs, limit in [
        ("relu_mlp", relu_mlp(4, 512, 256), 1.0),
        ("gelu_dropout_mlp", gelu_dropout_mlp(4, 512, 256), 0.6),
        ("layernorm_block", layernorm_block(256, 512), 0.6),
    ]:
        ours = kept[name]
        print(f"{name}: PyTorch saves {theirs} bytes; kept without a budget {ours[0]} ({ours[0] / theirs:.2f}), "
              f"under smaller and smaller ones {', '.join(f'{b} ({b / theirs:.2f})' for b in ours[1:])}")
        # Without a budget nothing is recomputed that keeping makes faster; the least that is asked for is what a budget gives.
        reached = ours[0] if limit == 1.0 else min(ours)
        if reached > limit * theirs:
            print(f"{name}: {reached / theirs:.2f} is more than {limit}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
