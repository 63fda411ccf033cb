"""The rows in PyTorch, eager and compiled. To add one: a function with the generator's name (of several kernels, joined by __and__) that
takes the inputs by name and `p`, the generators' parameters, and returns the outputs by name. Tensors have Halide's dimensions in reverse:
images are NHWC in memory, which as NCHW is PyTorch's channels_last."""

import inspect
import os

import torch
import torch.nn.functional as F

ROWS = {}
# Of rows with images: the ways in which they may lie in memory.
LAYOUTS = {}


def row(function=None, layouts=("as given",)):
    def register(f):
        name = f.__name__.replace("__and__", "+")
        ROWS[name], LAYOUTS[name] = f, layouts
        return f

    return register(function) if function else register


@row
def dense(x, w, b, p):
    return {"y": torch.relu(torch.addmm(b, x, w))}


@row
def softmax(x, p):
    return {"y": torch.softmax(x, -1)}


@row
def softmax_xent(x, labels, p):
    return {"loss": F.cross_entropy(x, labels)}


@row
def mlp_loss_forward__and__mlp_loss_backward(x, w1, b1, w2, b2, w3, b3, labels, p, d_loss=None):
    # The gradient of the mean is 1 / rows; written out, as fused autograd needs the same products.
    h1 = torch.relu(torch.addmm(b1, x, w1))
    h2 = torch.relu(torch.addmm(b2, h1, w2))
    logits = torch.addmm(b3, h2, w3)
    loss = F.cross_entropy(logits, labels)
    d_logits = torch.softmax(logits, -1)
    d_logits = d_logits - F.one_hot(labels, logits.shape[1]).to(logits.dtype)
    d_logits = d_logits * (1.0 / logits.shape[0])
    if d_loss is not None:
        d_logits = d_logits * d_loss
    d_z2 = (d_logits @ w3.t()) * (h2 > 0)
    d_z1 = (d_z2 @ w2.t()) * (h1 > 0)
    return {"loss": loss, "d_w1": x.t() @ d_z1, "d_b1": d_z1.sum(0), "d_w2": h1.t() @ d_z2, "d_b2": d_z2.sum(0),
            "d_w3": h2.t() @ d_logits, "d_b3": d_logits.sum(0)}


class Framework:
    def __init__(self, compiled):
        self.compiled = compiled

    def versions(self):
        return {"torch": torch.__version__}

    def has(self, name):
        return name in ROWS

    def ways(self, name, tensors, params):
        """(name of the way, function that runs it, function from its result to arrays) of each way of doing a row."""
        function = ROWS[name]
        for layout in LAYOUTS[name]:
            inputs = {key: lay_out(torch.from_numpy(value), layout) for key, value in tensors.inputs.items()}
            # Class indices are 64 bits here.
            inputs = {key: value.long() if value.dtype == torch.int32 else value for key, value in inputs.items()}
            wanted = inspect.signature(function).parameters
            scalars = {key: value for key, value in tensors.scalars.items() if key in wanted}
            inputs = {key: value for key, value in inputs.items() if key in wanted}

            def call(**tensors_by_name):
                return function(p=params, **scalars, **tensors_by_name)

            if self.compiled:
                torch._dynamo.reset()
                for mode in ("default", "max-autotune-no-cudagraphs"):
                    yield "%s, %s" % (layout, mode), runner(torch.compile(call, mode=mode, dynamic=False), inputs), arrays
            else:
                yield layout, runner(call, inputs), arrays


def runner(call, inputs):
    def run():
        with torch.inference_mode():
            return call(**inputs)

    return run


def arrays(results):
    return {key: value.contiguous().numpy() for key, value in results.items()}


def lay_out(tensor, layout):
    """NHWC as the bench gives it, seen as NCHW; kept so in memory or copied."""
    if layout == "as given" or tensor.dim() != 4:
        return tensor
    image = tensor.permute(0, 3, 1, 2)
    return image if layout == "channels_last" else image.contiguous()


def start(name, threads, cache):
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(cache / "inductor")
    torch.set_num_threads(threads)
    return Framework(compiled=name == "torch_compile")
