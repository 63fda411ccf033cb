"""The rows in PyTorch, eager and compiled. To add one: a function with the generator's name (of several kernels, joined by __and__) that
takes the inputs by name and `options`, the generators' parameters, and returns the outputs by name. Tensors have Halide's dimensions in reverse; of
rows with layouts, images are NCHW and weights OIHW, as PyTorch wants them, in either memory format.

Of a row of gradients (kernels NAME_forward and NAME_backward) the function NAME is called and autograd does the rest; compiled, both are. One that
is written out under both names is another way of doing it."""

import importlib
import inspect
import os

import torch
import torch.nn.functional as F

ROWS = {}
# Of rows with images: the ways in which they may lie in memory. Of functions that take `layout`, the ways in which they compute.
LAYOUTS = {}
MEMORY_FORMATS = {"channels_last": torch.channels_last, "contiguous": torch.contiguous_format}


def row(function=None, layouts=("as given",)):
    def register(f):
        name = f.__name__.replace("__and__", "+")
        ROWS[name], LAYOUTS[name] = f, layouts
        return f

    return register(function) if function else register


@row
def dense(x, w, b, options):
    return {"y": torch.relu(torch.addmm(b, x, w))}


@row
def softmax(x, options):
    return {"y": torch.softmax(x, -1)}


@row
def softmax_xent(x, labels, options):
    return {"loss": F.cross_entropy(x, labels)}


@row
def mlp_loss_forward__and__mlp_loss_backward(x, w1, b1, w2, b2, w3, b3, labels, options, d_loss=None):
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


@row
def matmul(a, b, options, bias=None):
    a = a.t() if flag(options, "transpose_a") else a
    b = b.t() if flag(options, "transpose_b") else b
    c = a @ b if bias is None else torch.addmm(bias, a, b)
    return {"c": torch.relu(c) if options[0].get("epilogue", "bias_relu") == "bias_relu" else c}


@row
def integer_matmul(a, b, options):
    return {"c": torch._int_mm(a, b.t() if flag(options, "transpose_b") else b)}


@row
def mlp_loss(x, w1, b1, w2, b2, w3, b3, labels, options):
    return {"loss": F.cross_entropy(mlp(x, w1, b1, w2, b2, w3, b3, options)["logits"], labels)}


@row
def gelu(x, options):
    return {"y": F.gelu(x, approximate="tanh")}


@row
def log1pexp(x, options):
    return {"y": torch.log(torch.exp(x) + 1)}


@row
def sum_exp(x, options):
    return {"total": torch.exp(x).sum()}


@row
def pointwise_chain(x, options):
    for number in range(1, int(options[0].get("length", 12)) + 1):
        x = (
            torch.clamp(x, min=0.125),
            x * 1.25,
            x - 0.375,
            torch.abs(x),
            torch.clamp(x, max=2),
            x * x,
        )[number % 6]
    return {"y": x}


@row
def layernorm(x, scale, bias, options):
    return {"y": F.layer_norm(x, x.shape[-1:], scale, bias, eps=1e-5)}


@row
def log_softmax(x, options):
    return {"y": torch.log_softmax(x, -1)}


@row
def rmsnorm(x, scale, options):
    return {"y": F.rms_norm(x, x.shape[-1:], scale, eps=1e-5)}


@row
def mlp(x, w1, b1, w2, b2, w3, b3, options):
    h = torch.relu(torch.addmm(b1, x, w1))
    h = torch.relu(torch.addmm(b2, h, w2))
    return {"logits": torch.addmm(b3, h, w3)}


@row
def adam(p, m, v, g, lr, beta1, beta2, epsilon, step, options):
    m = torch.lerp(m, g, 1 - beta1)
    v = v * beta2 + g * g * (1 - beta2)
    step_size = lr / (1 - beta1**step)
    return {"out.0": p - step_size * m / (torch.sqrt(v / (1 - beta2**step)) + epsilon), "out.1": m, "out.2": v}


@row
def batched_matmul(a, b, options):
    return {"c": a @ b}


@row
def embedding(table, indices, options):
    return {"y": F.embedding(indices, table)}


@row
def scatter_add(table, indices, rows, options):
    return {"y": torch.index_add(table, 0, indices, rows)}


@row
def views(options, x=None, a=None, b=None, v=None, w=None):
    view = options[0]["view"]
    if view == "flatten":
        return {"y": torch.relu(x + b).reshape(-1)}
    if view == "concatenate":
        return {"y": torch.relu(torch.cat((a, b), -1))}
    if view == "slice":
        return {"y": torch.relu(x[:, int(options[0].get("begin", 3)) :])}
    if view == "assign":
        return {"y": torch.relu(torch.cat((v, x[v.shape[0] :])))}
    return {"y": x.t() @ w}


@row
def attention(q, k, v, options):
    heads = [t[None, None] for t in (q, k, v)]
    return {"y": F.scaled_dot_product_attention(*heads, is_causal=flag(options, "causal"))[0, 0]}


@row(layouts=("channels_last", "contiguous"))
def conv2d(x, w, b, options):
    stride, padding = int(options[0].get("stride", 1)), int(options[0].get("padding", 1))
    return {"y": nhwc(torch.relu(F.conv2d(x, w, b, stride=stride, padding=padding)))}


@row(layouts=("channels_last", "contiguous"))
def depthwise_separable(x, w1, w2, b, options):
    stride, padding = int(options[0].get("stride", 1)), int(options[0].get("padding", 1))
    h = F.conv2d(x, w1, stride=stride, padding=padding, groups=w1.shape[0])
    return {"y": nhwc(torch.relu(F.conv2d(h, w2, b)))}


@row(layouts=("channels_last", "contiguous"))
def max_pool(x, options):
    return {"y": nhwc(F.max_pool2d(x, int(options[0].get("kernel", 3)), int(options[0].get("stride", 2)), int(options[0].get("padding", 1))))}


@row(layouts=("channels_last", "contiguous"))
def avg_pool(x, options):
    return {"y": nhwc(F.avg_pool2d(x, int(options[0].get("kernel", 2)), int(options[0].get("stride", 2)), int(options[0].get("padding", 0))))}


@row(layouts=("channels_last", "contiguous"))
def bottleneck(x, w1, b1, w2, b2, w3, b3, options):
    h = torch.relu(F.conv2d(x, w1, b1))
    h = torch.relu(F.conv2d(h, w2, b2, padding=1))
    return {"y": nhwc(torch.relu(F.conv2d(h, w3, b3) + x))}


def flag(options, name):
    return options[0].get(name, "false") == "true"


def nhwc(image):
    return image.permute(0, 2, 3, 1)


class Framework:
    def __init__(self, compiled, device):
        self.compiled, self.device = compiled, device

    def versions(self):
        return {"torch": torch.__version__, **({"torch_cuda": torch.version.cuda} if self.device == "cuda" else {})}

    def tensor(self, array):
        return torch.from_numpy(array).to(self.device)

    def has(self, name):
        return name in ROWS or differentiated(name) in ROWS

    def ways(self, name, tensors, params):
        """(name of the way, function that runs it, function from its result to arrays) of each way of doing a row."""
        if name in ROWS:
            yield from self.forward_ways(name, tensors, params)
        if differentiated(name) in ROWS:
            yield from self.gradient_ways(differentiated(name), tensors, params)

    def gradient_ways(self, name, tensors, params):
        function = ROWS[name]
        wanted = inspect.signature(function).parameters
        of = params[0]["gradient_wrt"].split(",")
        for layout in LAYOUTS[name]:
            inputs = {key: lay_out(key, self.tensor(value), layout) for key, value in tensors.inputs.items() if key in wanted}
            inputs = {key: value.long() if value.dtype == torch.int32 else value.requires_grad_(key in of) for key, value in inputs.items()}
            way_of_it = {"layout": layout} if "layout" in wanted else {}
            (out,) = function(options=params, **way_of_it, **inputs)
            upstream = lay_out("d_" + out, self.tensor(tensors.inputs["d_" + out]), layout)
            upstream = nhwc(upstream) if layout in MEMORY_FORMATS else upstream

            # A default, since the fastest way is called when later ones have been tried.
            def call(way_of_it=way_of_it, **tensors_by_name):
                return function(options=params, **way_of_it, **tensors_by_name)[out]

            shapes = {key: tensors.inputs[key].shape for key in of}
            for mode in ("default", "max-autotune-no-cudagraphs") if self.compiled else (None,):
                if mode:
                    torch._dynamo.reset()
                way = "%s, autograd%s" % (layout, ", " + mode if mode else "")
                run = trainer(torch.compile(call, mode=mode, dynamic=False) if mode else call, inputs, of, upstream, out)
                yield way, run, gradient_arrays(shapes)

    def forward_ways(self, name, tensors, params):
        function = ROWS[name]
        for layout in LAYOUTS[name]:
            inputs = {key: lay_out(key, self.tensor(value), layout) for key, value in tensors.inputs.items()}
            # Class indices are 64 bits here.
            inputs = {key: value.long() if value.dtype == torch.int32 else value for key, value in inputs.items()}
            wanted = inspect.signature(function).parameters
            scalars = {key: value for key, value in tensors.scalars.items() if key in wanted}
            inputs = {key: value for key, value in inputs.items() if key in wanted}

            def call(**tensors_by_name):
                return function(options=params, **scalars, **tensors_by_name)

            if self.compiled:
                torch._dynamo.reset()
                for mode in ("default", "max-autotune-no-cudagraphs"):
                    yield "%s, %s" % (layout, mode), runner(torch.compile(call, mode=mode, dynamic=False), inputs), arrays
            else:
                yield layout, runner(call, inputs), arrays


def runner(call, inputs):
    def run():
        with torch.inference_mode():
            return finished(call(**inputs))

    return run


def finished(results):
    """A device works on after the call has returned."""
    if any(value.is_cuda for value in results.values()):
        torch.cuda.synchronize()
    return results


def differentiated(name):
    """NAME of NAME_forward+NAME_backward; nothing for other rows."""
    parts = [part.rpartition("_") for part in name.split("+")]
    return parts[0][0] if [part[2] for part in parts] == ["forward", "backward"] and parts[0][0] == parts[1][0] else None


def trainer(call, inputs, of, upstream, out):
    leaves = [inputs[key] for key in of]
    names = ["d_" + key for key in of]

    def run():
        value = call(**inputs)
        return finished({out: value.detach(), **dict(zip(names, torch.autograd.grad(value, leaves, upstream)))})

    return run


def gradient_arrays(shapes):
    """From results to arrays: gradients of images and of weights as the images and the weights of these shapes came."""

    def as_given(key, value):
        if value.dim() == 4 and key.startswith("d_"):
            value = value.permute(2, 3, 1, 0).reshape(shapes[key[2:]]) if key.startswith("d_w") else nhwc(value)
        return value.contiguous().cpu().numpy()

    return lambda results: {key: as_given(key, value) for key, value in results.items()}


def arrays(results):
    return {key: value.contiguous().cpu().numpy() for key, value in results.items()}


def lay_out(name, tensor, layout):
    """Images come as NHWC and become NCHW, weights as HWIO and become OIHW (1x1 convolutions' as IO, depthwise ones' as HWO); kept so in memory, or copied."""
    if layout not in MEMORY_FORMATS or tensor.dim() == 1:
        return tensor
    if tensor.dim() == 3:
        nchw = tensor.permute(2, 0, 1)[:, None]
    elif tensor.dim() == 2:
        nchw = tensor.t()[:, :, None, None]
    else:
        nchw = tensor.permute(3, 2, 0, 1) if name.startswith("w") else tensor.permute(0, 3, 1, 2)
    return nchw.contiguous(memory_format=MEMORY_FORMATS[layout])


def start(name, device, threads, cache):
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(cache / "inductor")
    importlib.import_module("torch_models")  # adds its rows
    torch.set_num_threads(threads)
    # float32 is float32 for all.
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    return Framework(name == "torch_compile", device)
