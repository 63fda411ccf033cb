"""From the source of a kernel to a function: found by its content, or compiled by one of some warm processes."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from torch._inductor.codecache import LambdaFuture
from torch._inductor.runtime.cache_dir_utils import cache_dir

from eutectic._errors import Error
from eutectic._install import plugin
from eutectic.torch._launch import Argument, Function
from eutectic.torch._link import link_kernel
from eutectic.torch._options import Options

__all__ = ["Options", "Refused", "compiled_by", "kernel"]


_refusals: list[str] | None = None


@contextlib.contextmanager
def collected() -> Iterator[list[str]]:
    """Why kernels that are compiled inside are not ours."""
    global _refusals
    _refusals = []
    try:
        yield _refusals
    finally:
        _refusals = None


def collect(reasons: Iterable[str]) -> None:
    if _refusals is not None:
        _refusals.extend(reasons)


class Refused(RuntimeError):
    """Halide, or the scheduler, cannot take the kernel of these nodes."""

    def __init__(self, nodes: tuple[str, ...], reason: str):
        super().__init__(f"The kernel of {', '.join(nodes)} is refused: {reason}")
        self.nodes, self.reason = nodes, reason


def kernel(
    nodes: tuple[str, ...], operations: tuple[str, ...], target: str, options: Options, arguments: Sequence[tuple[Any, ...]], source: str
) -> LambdaFuture:
    """A promise of the function, as Inductor's generated code waits for. Raises Refused when it is waited for. `operations`: of ATen,
    which are in it."""
    # As many threads as PyTorch uses; the scheduler would take a target's usual processor.
    parameters = {**options.parameters(), "parallelism": str(torch.get_num_threads())}
    key = _key(source, target, parameters)
    folder = Path(cache_dir()) / "eutectic" / key[:2] / key
    done: Future[None] | None = None if (folder / "kernel.so").exists() else _pool(options.workers).submit(_build, folder, source, target, parameters)

    @functools.cache
    def result() -> Callable[..., None]:
        try:
            if done is not None:
                done.result()
        except Error as error:
            raise Refused(nodes, str(error)) from None
        _copy_report(folder, getattr(_here, "reports", ""), nodes)
        return Function(folder / "kernel.so", [Argument(*a) for a in arguments], operations)

    return LambdaFuture(result)


@contextlib.contextmanager
def reporting(reports: str) -> Iterator[None]:
    """Reports of kernels that are loaded inside go to that folder, wherever they went when the code around them was made."""
    before = getattr(_here, "reports", "")
    _here.reports = reports
    try:
        yield
    finally:
        _here.reports = before


def _copy_report(folder: Path, reports: str, nodes: tuple[str, ...]) -> None:
    if reports and (folder / "report.json").exists():
        Path(reports).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / "report.json", Path(reports) / f"{folder.name[:12]}_{'_'.join(nodes)[:80]}.json")


@functools.cache
def compiled_by() -> str:
    """What kernels are compiled by is part of their key: the scheduler, and what is here."""
    content = hashlib.sha256(plugin().read_bytes())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        content.update(path.read_bytes())
    return content.hexdigest()[:16]


def _key(source: str, target: str, parameters: dict[str, str]) -> str:
    machine = Path(parameters.get("machine", ""))
    measured = machine.read_text(encoding="utf-8") if machine.is_file() else ""
    text = "\0".join([compiled_by(), target, json.dumps(parameters, sort_keys=True), measured, source])
    return hashlib.sha256(text.encode()).hexdigest()


def _build(folder: Path, source: str, target: str, parameters: dict[str, str]) -> None:
    """Fills `folder`, all at once. Raises Error for what is refused."""
    refused = folder / "refused.txt"
    if refused.exists():
        raise Error(refused.read_text(encoding="utf-8"))
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        here = Path(made) / folder.name
        here.mkdir()
        asked = {"source": source, "target": target, "parameters": parameters, "object": str(here / "kernel.o"), "report": str(here / "report.json")}
        answer = _worker().ask(asked)
        (here / "source.py").write_text(source, encoding="utf-8")
        if "refused" in answer:
            (here / "refused.txt").write_text(answer["refused"], encoding="utf-8")
        else:
            (here / "seconds.json").write_text(json.dumps(answer), encoding="utf-8")
            link_kernel(here / "kernel.so", here / "kernel.o", parameters.get("library"))
            (here / "kernel.o").unlink()
        try:
            here.rename(folder)
        except OSError:  # another process was as fast
            if not folder.exists():
                raise
    if "refused" in answer:
        raise Error(answer["refused"])


class _Worker:
    """One process, of one thread of the pool, started when it is first asked, and anew after it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._process = self._started()
        return self._process

    def ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        process = self.start()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self._process = None
            return {"refused": f"Halide ended the compiling process, with status {process.wait()}"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    @staticmethod
    def _started() -> subprocess.Popen[str]:
        package = str(Path(__file__).parents[2])  # a module that is found by PYTHONPATH is found there, too
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))}
        return subprocess.Popen(
            [sys.executable, "-m", "eutectic.torch._worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        )


_here = threading.local()
_pools: dict[int, ThreadPoolExecutor] = {}
_making_pools = threading.Lock()


def _worker() -> _Worker:
    if not hasattr(_here, "worker"):
        _here.worker = _Worker()
    worker: _Worker = _here.worker
    return worker


def _workers(asked: int) -> int:
    return asked or len(os.sched_getaffinity(0))


def _pool(workers: int) -> ThreadPoolExecutor:
    count = _workers(workers)
    with _making_pools:
        if count not in _pools:
            _pools[count] = ThreadPoolExecutor(count, thread_name_prefix="eutectic_compile")
        return _pools[count]


def warm_up(options: Options) -> None:
    """Starts the processes, so that they are ready when Inductor has its first kernel."""
    pool = _pool(options.workers)
    for _ in range(_workers(options.workers)):
        pool.submit(lambda: _worker().start())
