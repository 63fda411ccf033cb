"""One kind of error, and where it comes from."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import halide as hl


class Error(RuntimeError):
    """What was wrong, in one sentence: the subject, what was asked, the conflict and the remedy."""


def sentence(message: str) -> str:
    """The last sentence of what Halide says, without its own words before it and the lines after it."""
    text = re.sub(r"\$\d+", "", " ".join(message.split()))  # "y$1" is the second Func y of a process
    return re.sub(r"^((Unhandled exception|Error|User error[^:]*|Exception):\s*)+", "", text)


@contextlib.contextmanager
def as_errors() -> Iterator[None]:
    """Halide's errors, which the scheduler's are to Python, as Error."""
    try:
        yield
    except hl.HalideError as error:
        raise Error(sentence(str(error))) from None
