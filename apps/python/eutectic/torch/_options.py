"""What a person may ask of the backend."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Iterator
from typing import Any

from eutectic._errors import Error

_CHOICES = {"effort": ("fast", "best"), "numerics": ("fast", "nan_safe", "strict"), "library": ("none", "onednn", "openblas", "eigen")}


@dataclasses.dataclass(frozen=True)
class Options:
    """`effort`: "fast" or "best", a search of some seconds a kernel. `numerics`: "nan_safe" (NaN and infinities as IEEE 754 has them, sums
    in any order), "strict" (the bits of the operations in order) or "fast" (as if there were no NaN and no infinity). `machine`: "host", or the file that eutectic calibrate wrote; empty: the
    processors of the target. `library`: "onednn", "openblas" or "eigen", whose calls products in a kernel may be where that is predicted faster, with numerics="fast"
    (products that Inductor leaves to ATen are ATen's in any case). `reports`: a folder for a report of each kernel that is compiled; empty: none. `workers`: processes that
    compile at once; 0: one a core."""

    effort: str = "fast"
    numerics: str = "nan_safe"
    machine: str = ""
    library: str = "none"
    reports: str = ""
    workers: int = 0

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise Error(f'The option {name} was given as "{getattr(self, name)}": give {" or ".join(choices)}.')
        if self.library != "none" and self.numerics != "fast":
            raise Error(f'The option library was given as "{self.library}" with numerics="{self.numerics}", and a library adds up the terms of a product in an order of its own: give numerics="fast", too.')
        if self.workers < 0:
            raise Error(f"The option workers was given as {self.workers}: give a number of processes, or 0 for one a core.")

    def parameters(self) -> dict[str, str]:
        """What the scheduler is told."""
        told = {"effort": self.effort, "numerics": self.numerics}
        if self.machine:
            told["machine"] = self.machine
        if self.library != "none":
            told["library"] = self.library
        return told


_current = threading.local()


def current() -> Options:
    """Those of the innermost options() around the caller."""
    return getattr(_current, "options", None) or Options()


def made(base: Options, changes: dict[str, Any]) -> Options:
    """`base` with `changes`, or an Error that names what there is no option for."""
    known = {field.name for field in dataclasses.fields(Options)}
    for name in changes:
        if name not in known:
            raise Error(f"There is no option {name} of eutectic.torch: there are {', '.join(sorted(known))}.")
    return dataclasses.replace(base, **changes)


@contextlib.contextmanager
def options(**changes: Any) -> Iterator[Options]:
    """Inside, torch.compile(backend="eutectic") compiles with these Options; torch.compile(..., options={...}) names them, too."""
    before = getattr(_current, "options", None)
    _current.options = made(current(), changes)
    try:
        yield _current.options
    finally:
        _current.options = before
