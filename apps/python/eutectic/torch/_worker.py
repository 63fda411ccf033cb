"""A process that compiles kernels: reads a line of JSON for each, writes a line of JSON when it is done.

{"source", "target", "parameters", "object", "report"} gives {"build_seconds", "plan_seconds", "compile_seconds"} or {"refused": sentence}. The process has Halide
and the scheduler loaded, and no torch.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import sys
import time
from typing import Any

_numbers = itertools.count()


def _helpers() -> Any:
    """Inductor's random numbers for Halide, without the torch around them."""
    found = importlib.util.find_spec("torch")
    if found is None or not found.submodule_search_locations:
        return None
    path = os.path.join(found.submodule_search_locations[0], "_inductor", "runtime", "halide_helpers.py")
    spec = importlib.util.spec_from_file_location("halide_helpers", path)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _compile(asked: dict[str, Any], helpers: Any) -> dict[str, Any]:
    import halide as hl

    # Halide knows generators by names, of which it takes each once.
    source = asked["source"].replace('@hl.generator(name="kernel")', f'@hl.generator(name="kernel{next(_numbers)}")')
    begun = time.perf_counter()
    names: dict[str, Any] = {"halide_helpers": helpers, "__name__": "kernel"}
    exec(compile(source, "kernel", "exec"), names)
    target = hl.Target(asked["target"])
    scheduler = hl.AutoschedulerParams("Eutectic", {**asked["parameters"], "report": asked["report"]})
    with hl.GeneratorContext(target, scheduler):
        generator = names["Kernel"]()
        pipeline = generator._build_pipeline()
        inputs = [
            generator._get_input_parameter(a.name)._to_argument() for a in generator._get_arginfos() if a.dir == hl.ArgInfoDirection.Input
        ]
        built = time.perf_counter()
        pipeline.apply_autoscheduler(target, scheduler)
        planned = time.perf_counter()
        pipeline.compile_to({hl.OutputFileType.object: asked["object"]}, inputs, "eutectic_kernel", target)
    done = time.perf_counter()
    return {"build_seconds": built - begun, "plan_seconds": planned - built, "compile_seconds": done - planned}


def main() -> None:
    # Halide and LLVM may print; the answers have a descriptor of their own.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import eutectic

    eutectic.load()
    helpers = _helpers()
    for line in sys.stdin:
        try:
            answer = _compile(json.loads(line), helpers)
        except Exception as error:
            answer = {"refused": f"{error}".strip() or type(error).__name__}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
