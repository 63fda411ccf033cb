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
    total          ///< a op (the sum or largest of all of b)
};
constexpr int kinds = static_cast<int>(Kind::total) + 1;
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
    std::string text() const;
};

/** The recipe of a seed: up to a dozen operations, the same on every machine. */
Recipe random_recipe(uint64_t seed);

/** The recipe made into Funcs, anew with every call. Inputs: two matrices, a square of weights, column and
 * row indices. */
Program make_program(const Recipe &recipe);

/** The buffers' sizes for matrices of this size. */
Sizes sizes_of(const Recipe &recipe, int columns, int rows);

}  // namespace eutectic::test
