"""Checks what the example png-filter made of a picture, point by point; --write makes one.

usage: check_sharpened.py IN.png OUT.png
       check_sharpened.py --write OUT.png ROWS COLUMNS
"""

import sys

import imageio.v3
import numpy


def sharpened(picture):
    rows, columns = picture.shape[:2]
    wide = numpy.pad(picture, ((2, 2), (2, 2), (0, 0)), mode="edge")
    taps = list(enumerate((1, 4, 6, 4, 1)))
    down = sum(weight * wide[k : k + rows] for k, weight in taps)
    mean = (sum(weight * down[:, k : k + columns] for k, weight in taps) + 128) // 256
    return numpy.clip(picture + ((picture - mean) * 16 + 8) // 16, 0, 255)


if sys.argv[1] == "--write":
    shape = (*map(int, sys.argv[3:]), 3)
    imageio.v3.imwrite(sys.argv[2], numpy.random.default_rng(1).integers(0, 256, shape, dtype=numpy.uint8))
else:
    before, after = (imageio.v3.imread(name).astype(int) for name in sys.argv[1:])
    if not numpy.array_equal(after, sharpened(before)):
        sys.exit(f"check_sharpened.py: {sys.argv[2]} is not {sys.argv[1]} sharpened.")
