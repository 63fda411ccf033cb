#!/usr/bin/env python3
"""Kernels as modules of Python, over memory of Python's own: one by itself, and two in a module.

usage: use_modules.py FOLDER      where they are
"""

import sys

INPUTS, OUTPUTS, BATCH = 5, 7, 3


def array(values, rows):
    """Rows of floats, as a buffer."""
    memory = memoryview(bytearray(4 * len(values))).cast("B")
    flat = memory.cast("f")
    for i, value in enumerate(values):
        flat[i] = value
    return memory.cast("f", (rows, len(values) // rows)) if rows else flat


def main():
    sys.path.insert(0, sys.argv[1])
    import layer
    import layers

    x = [((3 * i) % 7 - 3) / 4 for i in range(INPUTS * BATCH)]
    w = [((5 * i) % 11 - 5) / 4 for i in range(OUTPUTS * INPUTS)]
    b = [(i % 3 - 1) / 2 for i in range(OUTPUTS)]
    expected = [max(b[o] + sum(x[s * INPUTS + r] * w[r * OUTPUTS + o] for r in range(INPUTS)), 0) for s in range(BATCH) for o in range(OUTPUTS)]
    for what, function in [("layer.layer", layer.layer), ("layers.layer", layers.layer), ("layers.two", layers.two),
                           ("layers.layer_joined", layers.layer_joined)]:
        y = array([-1.0] * (OUTPUTS * BATCH), BATCH)
        function(array(x, BATCH), array(w, INPUTS), array(b, 0), y)
        if [value for row in y.tolist() for value in row] != expected:
            sys.exit(f"{what} gives {y.tolist()} and should give {expected}")
        print("ok:", what)


if __name__ == "__main__":
    main()
