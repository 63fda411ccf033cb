#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "Halide.h"

#include "tests/schedules/jit_run.h"

namespace eutectic::test {

/** What one operation of a random pipeline does to the values before it. Values are matrices (x, y) of one
 * size, unless they say otherwise. */
enum class Kind {
    scale,         ///< a * c + d
    curve,         ///< exp or a square of a
    floor_at,      ///< max(a, c)
    combine,       ///< a op b at the same coordinates
    row_value,     ///< a op (row statistics of b), per row
    column_value,  ///< the same per column
    matmul,        ///< sum over k of a(k, y) * w(x, k), or with w transposed
    gram,          ///< sum over rows of a(x, r) * b(y', r): both operands computed
    transpose,     ///< a(y, x), clamped to the matrix
    slice,         ///< a from an offset on, clamped, perhaps every second one
    reshape,       ///< the elements of a in the order of another matrix shape
    concatenate,   ///< left part of a, then b
    blur,          ///< a stencil along x or y with a boundary condition
    gather,        ///< columns or rows of a by an index input
    pair,          ///< a Tuple of two values, then both
    accumulate,    ///< several update definitions, one of them at a row
    scan,          ///< a running sum along x or y
    scatter,       ///< columns of a added where an index input says
    layers,        ///< a Tuple over a few terms of a and b, some of which a condition leaves out
    recurrence,    ///< of the second order, there and back, along x or y; the last row or column alone
    largest,       ///< the Tuple (value, position) of each row's largest of the first input, used per row
    total,         ///< a op (the sum or largest of all of b)
    // Of images: values are planes without an end, of any type each.
    point,       ///< arithmetic on a
    blend,       ///< a op b at the same coordinates, perhaps behind a condition
    convert,     ///< a as another type
    boundary,    ///< a inside the image, another boundary condition outside of it
    taps,        ///< a stencil, written out
    window,      ///< the same as a reduction
    downsample,  ///< every second point of a, or means of neighbours
    upsample,    ///< between the points of a
    phases,      ///< columns or rows of a and b in turn
    lookup,      ///< a table by the values of the second input
    warp,        ///< a where the second input says, within a few points
    ranked,      ///< the middle or an end of some neighbours
    channels,    ///< three planes, chosen by their number: summed up, each by itself, or interpreted
    histogram,   ///< how many points of the second input have the value that each has
    running,     ///< a filter along x or y over the image, perhaps there and back
    match        ///< the Tuple (least difference, where) of a and b over a few moves
};
constexpr int kinds = static_cast<int>(Kind::total) + 1, all_kinds = static_cast<int>(Kind::match) + 1;
const char *to_string(Kind kind);

/** One operation: what it reads (values before it: 0 and 1 are inputs), and a number that picks a variant. */
struct Operation {
    Kind kind;
    int a, b;
    int variant;
};

enum class Mode { fast, strict, integer };

/** A pipeline as data. Value i + 2 is made by operations[i]. */
struct Recipe {
    Mode mode = Mode::fast;
    std::vector<Operation> operations;
    std::vector<int> outputs;     ///< values
    int columns = 64, rows = 48;  ///< the sizes that it is planned for
    bool images = false;          ///< operations are those of images
    int element = 0;              ///< images: which type the first input has
    int bits = 512;               ///< images: of the vectors that it is compiled for, if the machine has them
    int estimated = 2;            ///< images: half as many of these as there are points are estimated
    bool opencl = false;          ///< planned and compiled for a device, through OpenCL
    std::string text() const;
};

/** The recipe of a seed: up to a dozen operations, the same on every machine. */
Recipe random_recipe(uint64_t seed);

/** The same of images. */
Recipe random_image_recipe(uint64_t seed);

/** The recipe made into Funcs, anew with every call. Inputs: two matrices, a square of weights, column and
 * row indices; of images: two images. */
Program make_program(const Recipe &recipe);
Program make_image_program(const Recipe &recipe);

/** The buffers' sizes for matrices of this size. */
Sizes sizes_of(const Recipe &recipe, int columns, int rows);

}  // namespace eutectic::test
