"""Calls a kernel that was compiled ahead of time, from Python: halide_buffer_t around numpy arrays."""

import ctypes

import numpy as np

CODES = {"i": 0, "u": 1, "f": 2, "b": 1}


class Dimension(ctypes.Structure):
    _fields_ = [("min", ctypes.c_int32), ("extent", ctypes.c_int32), ("stride", ctypes.c_int32), ("flags", ctypes.c_uint32)]


class Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Buffer(ctypes.Structure):
    _fields_ = [("device", ctypes.c_uint64), ("interface", ctypes.c_void_p), ("host", ctypes.c_void_p), ("flags", ctypes.c_uint64),
                ("type", Type), ("dimensions", ctypes.c_int32), ("dim", ctypes.POINTER(Dimension)), ("padding", ctypes.c_void_p)]


def buffer(array):
    """The last axis is Halide's innermost dimension. The array must outlive the buffer."""
    dims = (Dimension * max(1, array.ndim))()
    for d in range(array.ndim):
        axis = array.ndim - 1 - d
        dims[d] = Dimension(0, array.shape[axis], array.strides[axis] // array.itemsize, 0)
    bits = 1 if array.dtype == np.bool_ else 8 * array.itemsize
    made = Buffer(0, None, array.ctypes.data, 0, Type(CODES[array.dtype.kind], bits, 1), array.ndim, dims, None)
    made.keep = dims
    return made


def call(library, function, *arguments):
    """Arrays become buffers, ctypes values go as they are. Returns the status."""
    kernel = getattr(ctypes.CDLL(library), function)
    held = [buffer(a) if isinstance(a, np.ndarray) else a for a in arguments]
    return kernel(*[ctypes.byref(h) if isinstance(h, Buffer) else h for h in held])
