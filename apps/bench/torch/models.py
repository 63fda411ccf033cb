"""Whole models with random weights, written as their authors describe them, small enough for two cores: what suite torch times and the tests of the
backend run. Each has a function that makes (module, inputs)."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def causal_softmax(scores):
    """Of the scores below the diagonal and on it."""
    n = scores.shape[-1]
    return torch.softmax(scores.masked_fill(torch.ones(n, n, dtype=torch.bool, device=scores.device).triu(1), float("-inf")), -1)


class CausalAttention(nn.Module):
    """GPT-2's: one matrix for queries, keys and values, a mask below the diagonal."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = (t.view(b, n, self.heads, w // self.heads).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        scores = q @ k.transpose(-1, -2) / math.sqrt(w // self.heads)
        return self.out((causal_softmax(scores) @ v).transpose(1, 2).reshape(b, n, w))


class Block(nn.Module):
    """A block of GPT-2: layer norms before attention and a network of four times the width."""

    def __init__(self, width, heads):
        super().__init__()
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = CausalAttention(width, heads)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(self.before(x))
        return x + self.down(F.gelu(self.up(self.between(x)), approximate="tanh"))


class GPT2(nn.Module):
    def __init__(self, words, context, width, heads, layers):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.last = nn.LayerNorm(width)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        return self.last(self.blocks(x)) @ self.words.weight.t()


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


def rotary(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


class LlamaBlock(nn.Module):
    """Rotary positions, fewer heads of keys than of queries, and a gated network."""

    def __init__(self, width, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads, self.size = heads, kv_heads, width // heads
        self.before, self.between = RMSNorm(width), RMSNorm(width)
        self.q = nn.Linear(width, width, bias=False)
        self.k, self.v = (nn.Linear(width, kv_heads * self.size, bias=False) for _ in range(2))
        self.out = nn.Linear(width, width, bias=False)
        hidden = 8 * width // 3 // 32 * 32
        self.gate, self.up = (nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.down = nn.Linear(hidden, width, bias=False)

    def attention(self, x, cos, sin):
        b, n, w = x.shape
        q = rotary(self.q(x).view(b, n, self.heads, self.size).transpose(1, 2), cos, sin)
        k = rotary(self.k(x).view(b, n, self.kv_heads, self.size).transpose(1, 2), cos, sin)
        v = self.v(x).view(b, n, self.kv_heads, self.size).transpose(1, 2)
        k, v = (t.repeat_interleave(self.heads // self.kv_heads, 1) for t in (k, v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.size)
        return self.out((causal_softmax(scores) @ v).transpose(1, 2).reshape(b, n, w))

    def forward(self, x, cos, sin):
        x = x + self.attention(self.before(x), cos, sin)
        y = self.between(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, words, width, heads, kv_heads, layers):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.blocks = nn.ModuleList(LlamaBlock(width, heads, kv_heads) for _ in range(layers))
        self.last, self.head = RMSNorm(width), nn.Linear(width, words, bias=False)
        self.register_buffer("rates", 1 / 10000 ** (torch.arange(0, width // heads, 2) / (width // heads)))

    def forward(self, tokens):
        angles = torch.outer(torch.arange(tokens.shape[1], device=tokens.device), self.rates).repeat(1, 2)
        cos, sin = angles.cos(), angles.sin()
        x = self.words(tokens)
        for block in self.blocks:
            x = block(x, cos, sin)
        return self.head(self.last(x))


class Bert(nn.Module):
    """An encoder with layer norms after each part, and a mask for padded tokens."""

    def __init__(self, words, context, width, heads, layers):
        super().__init__()
        self.words, self.places, self.segments = nn.Embedding(words, width), nn.Embedding(context, width), nn.Embedding(2, width)
        self.first = nn.LayerNorm(width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.transform, self.norm = nn.Linear(width, width), nn.LayerNorm(width)

    def forward(self, tokens, segments, padded):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.first(self.words(tokens) + self.places(places) + self.segments(segments))
        x = self.encoder(x, src_key_padding_mask=padded)
        return self.norm(F.gelu(self.transform(x))) @ self.words.weight.t()


class ViT(nn.Module):
    def __init__(self, size, patch, width, heads, layers, classes):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, stride=patch)
        self.token = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.places = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.head(self.norm(self.encoder(x)[:, 0]))


def convolution(inputs, outputs, size=3, stride=1, groups=1):
    return [nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.path = nn.Sequential(*convolution(inputs, outputs, stride=stride), nn.ReLU(), *convolution(outputs, outputs))
        changes = stride != 1 or inputs != outputs
        self.short = nn.Sequential(*convolution(inputs, outputs, 1, stride)) if changes else nn.Identity()

    def forward(self, x):
        return F.relu(self.path(x) + self.short(x))


class ResNet18(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.stem = nn.Sequential(*convolution(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        widths = [64, 64, 128, 256, 512]
        blocks = []
        for level in range(4):
            blocks.append(BasicBlock(widths[level], widths[level + 1], 1 if level == 0 else 2))
            blocks.append(BasicBlock(widths[level + 1], widths[level + 1], 1))
        self.blocks, self.head = nn.Sequential(*blocks), nn.Linear(512, classes)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        hidden = inputs * expansion
        expand = [*convolution(inputs, hidden, 1), nn.ReLU6()] if expansion != 1 else []
        self.path = nn.Sequential(*expand, *convolution(hidden, hidden, 3, stride, hidden), nn.ReLU6(), *convolution(hidden, outputs, 1))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.path(x) if self.adds else self.path(x)


class MobileNetV2(nn.Module):
    def __init__(self, classes):
        super().__init__()
        layers = [*convolution(3, 32, 3, 2), nn.ReLU6()]
        channels = 32
        for expansion, width, repeats, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
            for repeat in range(repeats):
                layers.append(InvertedResidual(channels, width, stride if repeat == 0 else 1, expansion))
                channels = width
        self.layers = nn.Sequential(*layers, *convolution(channels, 1280, 1), nn.ReLU6())
        self.head = nn.Linear(1280, classes)

    def forward(self, x):
        return self.head(self.layers(x).mean((2, 3)))


class UNet(nn.Module):
    def __init__(self, width, levels):
        super().__init__()
        widths = [width << level for level in range(levels + 1)]

        def twice(inputs, outputs):
            return nn.Sequential(*convolution(inputs, outputs), nn.ReLU(), *convolution(outputs, outputs), nn.ReLU())

        self.down = nn.ModuleList(twice(a, b) for a, b in zip([3, *widths], widths))
        self.up = nn.ModuleList(twice(a + b, a) for a, b in zip(widths, widths[1:]))
        self.last = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        kept = []
        for level, down in enumerate(self.down):
            x = down(F.max_pool2d(x, 2) if level else x)
            kept.append(x)
        for up, beside in zip(reversed(self.up), reversed(kept[:-1])):
            x = up(torch.cat([beside, F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)], 1))
        return self.last(x)


class LSTM(nn.Module):
    """A language model of two layers, its cells written out, as a compiler sees them."""

    def __init__(self, words, width, layers):
        super().__init__()
        self.words, self.width = nn.Embedding(words, width), width
        self.inputs = nn.ModuleList(nn.Linear(width, 4 * width) for _ in range(layers))
        self.hidden = nn.ModuleList(nn.Linear(width, 4 * width, bias=False) for _ in range(layers))
        self.head = nn.Linear(width, words)

    def forward(self, tokens):
        x = self.words(tokens)
        for of_input, of_hidden in zip(self.inputs, self.hidden):
            gates, outputs = of_input(x), []
            h = c = torch.zeros(x.shape[0], self.width, device=x.device)
            for t in range(x.shape[1]):
                i, f, g, o = (gates[:, t] + of_hidden(h)).chunk(4, -1)
                c = f.sigmoid() * c + i.sigmoid() * g.tanh()
                h = o.sigmoid() * c.tanh()
                outputs.append(h)
            x = torch.stack(outputs, 1)
        return self.head(x)


class GraphNetwork(nn.Module):
    """Messages along edges, added up at their ends (index_add), three times."""

    def __init__(self, features, width, rounds):
        super().__init__()
        self.first = nn.Linear(features, width)
        self.message = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(rounds))
        self.update = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(rounds))
        self.norm = nn.ModuleList(nn.LayerNorm(width) for _ in range(rounds))
        self.head = nn.Linear(width, 1)

    def forward(self, nodes, edges):
        x = F.relu(self.first(nodes))
        begins, ends = edges
        degree = torch.zeros(x.shape[0], device=x.device).index_add(0, ends, torch.ones_like(ends, dtype=x.dtype)).clamp(min=1)
        for message, update, norm in zip(self.message, self.update, self.norm):
            sent = F.relu(message(torch.cat([x[begins], x[ends]], -1)))
            got = torch.zeros_like(x).index_add(0, ends, sent) / degree[:, None]
            x = norm(x + F.relu(update(torch.cat([x, got], -1))))
        return self.head(x)


def mlp():
    layers = [m for _ in range(3) for m in (nn.Linear(512, 512), nn.LayerNorm(512), nn.GELU())]
    return nn.Sequential(*layers), (torch.randn(256, 512),)


def tokens(words, *shape):
    return torch.randint(words, shape)


def bert():
    padded = torch.arange(128)[None] >= torch.tensor([128, 100, 77, 50])[:, None]
    return Bert(1000, 128, 256, 4, 4), (tokens(1000, 4, 128), tokens(2, 4, 128), padded)


def graph_network():
    return GraphNetwork(32, 64, 3), (torch.randn(2048, 32), torch.randint(2048, (2, 8192)))


MODELS = {
    "gpt2": lambda: (GPT2(1000, 128, 256, 4, 4), (tokens(1000, 4, 128),)),
    "llama": lambda: (Llama(1000, 256, 8, 2, 4), (tokens(1000, 4, 128),)),
    "bert": bert,
    "vit": lambda: (ViT(64, 8, 192, 3, 4, 10), (torch.randn(8, 3, 64, 64),)),
    "resnet18": lambda: (ResNet18(100), (torch.randn(4, 3, 96, 96),)),
    "mobilenet_v2": lambda: (MobileNetV2(100), (torch.randn(4, 3, 96, 96),)),
    "unet": lambda: (UNet(16, 3), (torch.randn(2, 3, 96, 96),)),
    "lstm": lambda: (LSTM(1000, 256, 2), (tokens(1000, 16, 16),)),
    "graph_network": graph_network,
    "mlp": mlp,
}
