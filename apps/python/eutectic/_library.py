"""The code of a pair beside its report: does it take what that says?"""

from __future__ import annotations

import ctypes

from eutectic._errors import Error
from eutectic._pair import Argument, Pair

# halide_argument_kind_t and halide_type_code_t, HalideRuntime.h.
_SCALAR = 0
_CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat"}


class _Argument(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("scalars", ctypes.c_void_p * 4),
        ("estimates", ctypes.c_void_p),
    ]

    def told(self) -> Argument:
        kind = _CODES.get(self.code, "handle")
        name = "bool" if (kind, self.bits) == ("uint", 1) else f"{kind}{self.bits}"
        return Argument(self.name.decode(), name, None if self.kind == _SCALAR else self.dimensions)


class _Metadata(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_int32),
        ("count", ctypes.c_int32),
        ("arguments", ctypes.POINTER(_Argument)),
        ("target", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
    ]


def check_library(pair: Pair, library: ctypes.CDLL) -> None:
    """Raises Error where a function of the library takes other arguments than the report says: it would read what is not there."""
    for name, order in ((f"{pair.name}_forward", pair.forward), (f"{pair.name}_backward", pair.backward)):
        metadata = getattr(library, f"{name}_metadata")
        metadata.restype = ctypes.POINTER(_Metadata)
        has = metadata().contents
        taken = [has.arguments[i].told() for i in range(has.count)]
        wanted = [pair.arguments[n] for n in order]
        for i in range(max(len(taken), len(wanted))):
            there, said = _at(taken, i), _at(wanted, i)
            if there != said:
                raise Error(f"{name}, as its code is beside {pair.path}, takes {there} as argument {i + 1}, and the report says {said}: keep together what one run wrote.")


def _at(arguments: list[Argument], i: int) -> str:
    """The argument in words."""
    if i >= len(arguments):
        return "nothing"
    a = arguments[i]
    what = "a number" if a.dimensions is None else f"{a.dimensions} dimension{'' if a.dimensions == 1 else 's'}"
    return f"{a.name} ({a.type}, {what})"
