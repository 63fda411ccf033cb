"""Gradients of the generators against PyTorch's autograd, in float32: gradient_dump gives the numbers, the formulas are written here."""

import json
import subprocess
import sys

import torch
import torch.nn.functional as F


def tensor(entry):
    dtype = torch.int64 if entry["values"] and isinstance(entry["values"][0], int) else torch.float32
    return torch.tensor(entry["values"], dtype=dtype).reshape(entry["shape"])


def activate(z, name):
    return {"relu": torch.relu, "none": lambda v: v, "gelu": lambda v: F.gelu(v, approximate="tanh"), "tanh": torch.tanh}[name](z)


def mlp(t, p, m):
    h, layers = t["x"], len(p["widths"].split(",")) - 1
    for layer in range(1, layers + 1):
        h = h @ t[f"w{layer}"] + t[f"b{layer}"]
        h = torch.relu(h) if layer < layers else h
    return h


def chain(v, length):
    steps = [lambda v: torch.maximum(v, torch.tensor(0.125)), lambda v: v * 1.25, lambda v: v - 0.375, torch.abs,
             lambda v: torch.minimum(v, torch.tensor(2.0)), lambda v: v * v]
    for step in range(1, length + 1):
        v = steps[step % 6](v)
    return v


def images(x):  # (batch, rows, columns, channels) and PyTorch's order
    return x.permute(0, 3, 1, 2)


def back(y):
    return y.permute(0, 2, 3, 1)


def convolution(x, w, stride=1, padding=1):  # w is (rows, columns, channels in, channels out)
    return back(F.conv2d(images(x), w.permute(3, 2, 0, 1), stride=stride, padding=padding))


def depthwise(x, w):
    return back(F.conv2d(images(x), w.permute(2, 0, 1).unsqueeze(1), padding=1, groups=w.shape[2]))


def attention(t, causal, mins):
    scores = t["q"] @ t["k"].T / t["q"].shape[1] ** 0.5
    if causal:
        query, key = torch.arange(scores.shape[0])[:, None], torch.arange(scores.shape[1])[None, :]
        scores = torch.where(key <= query, scores, torch.tensor(-1e9))
    return torch.softmax(scores, 1) @ t["v"]


def adam(t):
    step = 3
    m, v = t["beta1"] * t["m"] + (1 - t["beta1"]) * t["g"], t["beta2"] * t["v"] + (1 - t["beta2"]) * t["g"] ** 2
    m_hat, v_hat = m / (1 - t["beta1"] ** step), v / (1 - t["beta2"] ** step)
    return t["p"] - t["lr"] * m_hat / (torch.sqrt(v_hat) + t["epsilon"]), m, v


def rows_of(t, name, count):
    return t[name].clamp(0, count - 1)


def windows(x, p, pool):
    kernel, stride, padding = int(p.get("kernel", pool[1])), 2, int(p.get("padding", pool[2]))
    return back(pool[0](images(x), kernel, stride, padding))


def outputs(case, t):
    """The outputs by name; None where PyTorch draws other numbers."""
    g, p, mins = case["generator"], case["parameters"], case["mins"]
    matrix = lambda name, swap: t[name].T if swap in p else t[name]
    if g in ("dense_dropout", "dropout"):
        return None
    if g == "dense":
        return {"y": activate(t["x"] @ t["w"] + t["b"], p.get("activation", "relu"))}
    if g == "mlp":
        return {"logits": mlp(t, p, mins)}
    if g == "mlp_loss":
        return {"loss": F.cross_entropy(mlp(t, p, mins), t["labels"] - mins["w3"][0])}
    if g == "softmax":
        return {"y": torch.softmax(t["x"], 1)}
    if g == "log_softmax":
        return {"y": torch.log_softmax(t["x"], 1)}
    if g == "softmax_xent":
        return {"loss": F.cross_entropy(t["x"], t["labels"] - mins["x"][0])}
    if g == "layernorm":
        return {"y": F.layer_norm(t["x"], t["x"].shape[1:], t["scale"], t["bias"], 1e-5)}
    if g == "rmsnorm":
        return {"y": t["x"] / torch.sqrt((t["x"] ** 2).mean(1, keepdim=True) + 1e-5) * t["scale"]}
    if g == "log1pexp":
        return {"y": torch.log(torch.exp(t["x"]) + 1)}
    if g == "gelu":
        return {"y": F.gelu(t["x"], approximate="tanh")}
    if g == "pointwise_chain":
        return {"y": chain(t["x"], int(p["length"]))}
    if g == "sum_exp":
        return {"total": torch.exp(t["x"]).sum()}
    if g == "adam":
        names = ["p_next", "m_next", "v_next"] if "separate" in p else ["out_0", "out_1", "out_2"]
        return dict(zip(names, adam(t)))
    if g == "matmul":
        c = matrix("a", "transpose_a") @ matrix("b", "transpose_b") + t["bias"]
        return {"c": c if p.get("epilogue") == "bias" else torch.relu(c)}
    if g == "batched_matmul":
        return {"c": t["a"] @ t["b"]}
    if g == "attention":
        return {"y": attention(t, "causal" in p, mins)}
    if g == "conv2d":
        return {"y": torch.relu(convolution(t["x"], t["w"], int(p.get("stride", 1)), int(p.get("padding", 1))) + t["b"])}
    if g == "depthwise_separable":
        return {"y": torch.relu(depthwise(t["x"], t["w1"]) @ t["w2"] + t["b"])}
    if g == "max_pool":
        return {"y": windows(t["x"], p, (F.max_pool2d, 3, 1))}
    if g == "avg_pool":
        return {"y": windows(t["x"], p, (F.avg_pool2d, 2, 0))}
    if g == "bottleneck":
        h = torch.relu(convolution(torch.relu(t["x"] @ t["w1"] + t["b1"]), t["w2"]) + t["b2"])
        return {"y": torch.relu(h @ t["w3"] + t["b3"] + t["x"])}
    if g == "embedding":
        return {"y": t["table"][rows_of(t, "indices", 4)]}
    if g == "scatter_add":
        return {"y": t["table"].index_add(0, rows_of(t, "indices", 4), t["rows"])}
    if g == "views":
        return {"y": views(t, p["view"], mins)}
    raise SystemExit(f"test_pytorch.py has no formula for the generator {g}")


def views(t, view, mins):
    if view == "flatten":
        return torch.relu(t["x"] + t["b"]).flatten()
    if view == "concatenate":
        return torch.relu(torch.cat([t["a"], t["b"]], 1))
    if view == "slice":
        first = mins["y"][0] + 3 - mins["x"][0]
        return torch.relu(t["x"][:, first:first + 11])
    if view == "assign":
        first = mins["v"][1] - mins["x"][1]
        x = t["x"].clone()
        x[first:first + t["v"].shape[0]] = t["v"]
        return torch.relu(x)
    return t["x"].T @ t["w"]


def check(case):
    """The largest difference, as a share of the largest gradient."""
    t = {name: tensor(entry) for name, entry in case["inputs"].items()}
    wanted = list(case["gradients"])
    for name in wanted:
        t[name].requires_grad_()
    results = outputs(case, t)
    if results is None:
        return None
    missing = set(case["upstream"]) ^ set(results)
    if missing:
        raise SystemExit(f"{case['name']}: the outputs {sorted(missing)} are on one side only")
    total = sum((results[name] * tensor(entry)).sum() for name, entry in case["upstream"].items())
    worst = 0.0
    for name, expected in zip(wanted, torch.autograd.grad(total, [t[name] for name in wanted])):
        got = tensor(case["gradients"][name])
        worst = max(worst, ((got - expected).abs().max() / expected.abs().max()).item())
    return worst


def main():
    cases = json.loads(subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout)
    checked, bad = 0, 0
    for case in cases:
        worst = check(case)
        if worst is None:
            continue
        checked += 1
        good = worst <= 1e-5
        bad += not good
        print(f"{case['name']:28} {worst:.1e}{'' if good else '  MORE THAN 1e-5'}")
    print(f"{checked} cases, {bad} of them beyond 1e-5 of the largest gradient")
    sys.exit(bad > 0 or checked < 30)


main()
