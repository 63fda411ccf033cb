"""Where the plugin and the command are, and loading the former."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import halide as hl

from eutectic._errors import Error

_PLUGIN = "libautoschedule_eutectic.so"
_loaded: Path | None = None
_lock = threading.Lock()


def _roots() -> list[Path]:
    """Where what is not Python may be: a folder that a person names (an installed package or a build), or beside this file."""
    named = os.environ.get("EUTECTIC_ROOT")
    return [Path(named)] if named else [Path(__file__).resolve().parent]


def _find(what: str, *places: str) -> Path:
    for root in _roots():
        for place in places:
            if (root / place).is_file():
                return root / place
    searched = ", ".join(str(root) for root in _roots())
    raise Error(
        f"The {what} of Eutectic is not in {searched}: install the wheel, or set EUTECTIC_ROOT to a folder that has {places[0]}."
    )


def plugin() -> Path:
    """The scheduler, a plugin of Halide, which other programs may load, too."""
    return _find("plugin", f"lib/{_PLUGIN}", f"lib64/{_PLUGIN}")


def command() -> Path:
    """The command eutectic (explain, compare, compile, grad, profile, calibrate)."""
    return _find("command", "bin/eutectic")


def sources_for_torch() -> Path:
    """The folder pytorch/, with the sources of what registers pairs with PyTorch."""
    places = (f"{lib}/cmake/Eutectic/pytorch/operation.cpp" for lib in ("lib", "lib64"))
    return _find("folder pytorch", *places, "roots/pytorch/pytorch/operation.cpp").parent


def library_of_products(name: str) -> tuple[Path, Path]:
    """The static libraries of src/library that call the library of that name, and what they share."""
    def found(archive: str) -> Path:
        return _find(f"library {archive}", *(f"{lib}/libeutectic_{archive}.a" for lib in ("lib", "lib64")))

    return found(f"library_{name}"), found("library")


def load() -> Path:
    """Loads the scheduler into this process, once, and returns the plugin's path; Halide then knows the autoscheduler `Eutectic`. The
    other functions of this module do so by themselves."""
    global _loaded
    with _lock:
        if _loaded is None:
            path = plugin()
            try:
                hl.load_plugin(str(path))
            except (hl.HalideError, RuntimeError) as error:
                raise Error(f"The plugin {path} cannot be loaded ({error}): it needs halide 21.0.0, and this is {_halide_version()}.") from None
            _loaded = path
        return _loaded


def _halide_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("halide")
    except PackageNotFoundError:
        return "another one"
