#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** The run-time extent of dimension `dim` of the buffer that `input` wraps (the Func that a generator's
 * Input<Buffer<>> or an ImageParam is called through). Throws UserError when `input` wraps no buffer. Printed
 * schedules call it too. */
Halide::Expr input_extent(const Halide::Func &input, int dim);

/** The same of its first coordinate. */
Halide::Expr input_min(const Halide::Func &input, int dim);

/** The same of the elements from one coordinate to the next. */
Halide::Expr input_stride(const Halide::Func &input, int dim);

/** A Func around each buffer of which the pipeline reads sizes and no element, in the order of mention, for
 * the three above to be asked of. */
std::vector<Halide::Func> measured_buffers(const Halide::Pipeline &pipeline);

/** Are neighbours along `dim` a multiple of `elements` elements apart in the buffer that `func`, an input or
 * an output, is kept in, or in all of a Tuple's? */
Halide::Expr rows_at_multiples(const Halide::Func &func, int dim, int elements);

/** Is that buffer, or is each of them, at a multiple of `bytes` on the device? (What is not there yet will
 * be.) For devices whose runtime knows addresses: CUDA's. */
Halide::Expr on_device_at_multiple(const Halide::Func &func, int bytes);

/** The step of a loop over `extent` + `beyond` points, or more, that takes `turns` turns where that many
 * points are planned for: `size`, or less where there are fewer points, but at least 1. Never more than the
 * extent, if that is not 0: the loop's tail can be shifted inwards. */
Halide::Expr fitted_step(const Halide::Expr &extent, int size, int turns, int beyond = 0);

/** Turns the definition y(j, i) = ... e / s(i) ... of a pure Func into ... e * inv(i) ..., and returns inv(i)
 * = 1 / s(i), to be scheduled. The divisor is the first one that is no constant and does not depend on y's
 * innermost argument. The product is rounded twice: at most 1.5 ulp from the quotient. Throws UserError when
 *  there is no such divisor. */
Halide::Func multiply_by_reciprocal(Halide::Func y);

/** Returns f.in(), the Func that everything which reads f gets from then on, with a definition of its own: of
 * f(j, i) = x(j, i), f(j, r) = v(j, r) it makes one choice, select(r's range holds i, v(j, i), x(j, i)), so
 * that no buffer is needed to put a slice into. f itself is read no more. The same values. Throws UserError
 * when f is no such Func (src/graph/read/assigned_region.h says which are). f must not be an output. */
Halide::Func choose_assigned(Halide::Func f);

/** In f's definitions, every quotient and remainder of a 32-bit integer by a number that is the same for all
 * of f's points, but known only when the pipeline runs (j / width, j % width), becomes a multiplication by 1
 * / width in double precision: vectors have no integer division. The same numbers, as Halide defines them
 * (the remainder is never negative, x / 0 and x % 0 are 0), since (j + 1/2) / width is at least 1 / (2 width)
 * from every integer and its error at most 2^-21 / width. What is read does not change: bounds are those of
 * the quotients. */
void multiply_for_quotients(Halide::Func f);

/** In f's definitions, every coordinate of a load that moves with f's own arguments and that a minimum or a
 * maximum keeps in a range is marked likely(), as those of BoundaryConditions are: loops are cut where it
 * leaves that range, and between load whole vectors. The same values. */
void mark_likely_clamps(Halide::Func f);

/** Of a choice along rows in the pure Func f, y(j, i) = ... select(j < end, a(j, i), b(j - end, i)) ...,
 * makes a Func of its own and returns it, to be computed where a row of the output begins: for each row a
 * loop over the points before `end` and one over the rest, in vectors of `width` points, each over the range
 * of `output`'s innermost dimension; f then reads what they have put together. f is the output or is read at
 * the output's own points alone. Indices that are kept in a range by minima and maxima are marked likely(),
 * so that loops are cut where they leave it. The same values. Throws UserError when f makes no such choice
 * (src/graph/read/two_sides.h). */
Halide::Func put_rows_together(Halide::Func f, Halide::Func output, int width);

/** The output y(j) = ... x(j % width, j / width) ... is a line of rows, of the extent `width` of a buffer.
 * Makes a Func of its own that writes the line row by row, in vectors of `lanes` columns and parallel tasks
 * of rows, so that nothing is divided, and returns it, to be computed at Root; y then copies it. `inlined`:
 * pure Funcs, readers first, whose definitions are taken into y's, quotients and all. The same values. Throws
 * UserError when y divides anything else, or nothing, by a number known at run time only. */
Halide::Func write_flattened_by_rows(Halide::Func y, const std::vector<Halide::Func> &inlined, int lanes);

/** Of the sum c(j, i) += a(k, i) * b(j, k) of products of integers that fit into fewer bits than c has, both
 * of which go along k by itself, makes one whose terms are summed up by instructions that take the products
 * of `terms` neighbours along k at once: 2 of 16 bits with a sign, or 4 of 8 bits. Returns the Func that
 * holds the factor that reads `packed`, p(j, k / terms, k % terms), its arguments in the order of the load,
 * for which the last one is to be stored innermost; other_factor() is the one that holds the factor that
 * reads `padded`, with the arguments of its load. Both are 0 beyond the last term, and to be computed outside
 * of c. k counts turns of `terms`, and the sum over one turn is one of lanes: that its update is atomic(),
 * with these in a vector innermost, is done here. The same values. Throws UserError when c is no such sum. */
Halide::Func sum_in_dots(Halide::Func c, Halide::Func packed, Halide::Func padded, int terms);

/** What c's update reads beside itself and `packed`, which sum_in_dots() has returned. */
Halide::Func other_factor(Halide::Func c, Halide::Func packed);

/** Calls the loop over argument `dim` of the pure Func `f` `name`, which no other loop of it may be called:
 * as Func::rename() does, but not "old.name". Func::compute_with() compares whole names, so that loops over
 * differently named arguments can be one only after this. Throws UserError when that loop is split or renamed
 * already. */
void rename_loop(Halide::Func f, int dim, const std::string &name);

/** Turns the sum c(j, i) += ... e(k, i) / s(i) * v(j, k) ... into one of e * v, and returns c.in(), the Func
 * of c(j, i) / s(i) that everything which reads c gets from then on: it is inlined unless it is scheduled.
 * What moves is the first divisor in the product that reads a Func and that no reduction variable changes;
 * when there is none, the first such factor, with a product instead of the quotient. It may stand in c's
 * update or in a pure Func e / s that the update names; that Func stays as it is, for other readers.
 *
 *  c must not be an output, whose caller gets what c holds: pass Func::rfactor({}) of it. The same algebra,
 * other roundings: where Σ|e * v| neither overflows nor falls below the normal numbers, and s is finite and
 * not 0, the result differs by the sum's own error, that is by a few ulp of Σ|e * v| / |s|. A sum of large e
 *  may overflow where quotients did not. Where s is 0 both forms are infinite or NaN, but not always the same
 * of the two: a term 0 / 0 is NaN, 0 + e / 0 is not. Where s is infinite both are 0, or NaN if the terms are
 * not finite. A NaN in s or in a term stays one.
 *
 *  Throws UserError when c has another form or does not start at 0. */
Halide::Func divide_after_reduction(Halide::Func c);

/** Reads the buffer that `input` wraps in panels: its dimension order[0] in pieces of `columns` points, in
 * each of which the others lie, as `order` goes on, innermost first. The argument of that name then has one
 * dimension more, the last, which counts panels; dimensions begin at 0. pack_panels() makes what is passed.
 * What the pipeline says of the input's sizes is said of those of the panels. `input` must stay inlined. The
 * same values. Throws UserError where the pipeline asks for a size that panels do not tell, such as the
 * extent of order[0]. */
void read_panels(const Halide::Pipeline &pipeline, Halide::Func input, const std::vector<int> &order,
                 int columns);

/** The Func whose output buffer is what read_panels() reads of the buffer `p`, in panels in parallel and
 * vectors of `lanes`, which divide `columns`; points that `p` does not have are 0. */
Halide::Func pack_panels(const Halide::Parameter &p, const std::vector<int> &order, int columns, int lanes);

/** Moves the reduction f(i) = e(i), f(i) = f(i) op g(r, i) to a Func of its own, which it returns, and leaves
 * f(i) = e(i) op sum(i): a pure Func, so that one loop nest writes f, which may be an output. The same terms
 * in the same order from the operator's neutral element on; exact where e is that. Throws UserError when f is
 * no such Func. */
Halide::Func move_sum(Halide::Func f);

/** A Func with f's definitions, for `reader` alone, which from here on reads that instead of f: so it can be
 * computed in the reader's loops, and f in those of others. Pure Funcs through which the reader reads f are
 * inlined there. The same values. Throws UserError when f has several values or several updates, or the
 * reader does not read it. */
Halide::Func recompute(Halide::Func f, Halide::Func reader);

/** Where the terms of the sum s need the maximum m of what they are made of, m(i) = max over k of v(k, i),
 * s(i) += exp(v(k, i) - m(i)) * w(k, i), makes a Func of both that goes over k once, and returns it: the pair
 * of the largest v so far and the sum scaled by that, which is scaled anew where the maximum grows. m and s
 * become pure Funcs of the pair. The same algebra: of finite v the sum differs by its own error, and by one
 * rounding of an exponential for each time that the maximum grows. Where it is NaN, it still is. Throws
 * UserError when s is no such sum, or m not its maximum (src/graph/read/online_sum.h says what is one). */
Halide::Func sum_online(Halide::Func s, Halide::Func m);

/** Makes `parts` partial results of such a pair, in a Func with one more argument, its last, which it
 * returns, and has the pair be made of them: as Func::rfactor() does with the inner part of a split reduction
 * variable. Part u has every parts-th term from the u-th on, and is the start where there is none. Throws
 * UserError for any Func but one of sum_online(). */
Halide::Func partial_pairs(Halide::Func pair, int parts);

/** The same where the division stands in `quotient` and only c reads that, once: quotient itself loses the
 * division, so that it can be scheduled. */
Halide::Func divide_after_reduction(Halide::Func c, Halide::Func quotient);

/** Simplifies each of `definitions`, a Func as Pipeline::get_func() counts and the number of an update or -1,
 * which reads Funcs in terms that cancel, as a - a. Halide does so, too, but when it has asked where those
 * Funcs are computed: then they have no place, and it crashes. */
void drop_cancelled_loads(Halide::Pipeline pipeline, const std::vector<std::pair<int, int>> &definitions);

/** Is an update of `f`, by its number, behind a condition that reads data, at places that are not data, and
 * are the places that it writes and reads none either? */
bool chooses_by_condition(const Halide::Internal::Function &f, int update);

/** In each of `updates`, a Func as Pipeline::get_func() counts and the number of an update for which
 * chooses_by_condition(): the condition chooses between the values and what was there before, f(x) =
 * select(in(x) > 0, e, f(x)), and stands before the update no more. The same values. */
void choose_by_condition(Halide::Pipeline pipeline, const std::vector<std::pair<int, int>> &updates);

/** Does an update of `f`, by its number, multiply 16-bit floats as 32-bit ones, each of them several times?
 */
bool widens_factors(const Halide::Internal::Function &f, int update);

/** In each of `updates`, a Func as Pipeline::get_func() counts and the number of an update, in which
 * widens_factors(): what it widens, f32(a(k, i)), becomes a Func of its own, a_wide(k, i). The same values.
 */
void widen_factors(Halide::Pipeline pipeline, const std::vector<std::pair<int, int>> &updates);

/** Of Funcs, each with a number of its own, the sums whose terms have a part in common with another's over
 * the same range, if a function such as exp() is in it: their numbers, and one that is the same for those
 * that have. */
std::vector<std::pair<int, int>>
sums_that_share_terms(const std::vector<std::pair<int, Halide::Internal::Function>> &funcs);

/** Of `sums`, Funcs as Pipeline::get_func() counts and the number of those that belong together, what several
 * compute of each point and term becomes a Func that they read. The same values. Throws UserError where one
 * is no sum in one update at its own points. */
void share_terms(Halide::Pipeline pipeline, const std::vector<std::pair<int, int>> &sums);

/** Does an update of `f`, by its number, have an argument such as r / 2, or clamp(r, 0, 9), that one
 * reduction variable alone changes? Terms of one point lie beside each other along that. */
bool adds_known_segments(const Halide::Internal::Function &f, int update);

/** For each of `scatters`, a Func as Pipeline::get_func() counts and the number of such an update of it:
 * makes of it an update with a loop over points, f(s) = ..., inside which another one goes along the terms of
 * each, and one or two of what is left at the ends. Each point is written in one of these alone, and its
 * terms keep their order: the same bits. No directive may stand on these Funcs. Throws UserError for an
 * update that has no such argument. */
void gather_segments(Halide::Pipeline pipeline, const std::vector<std::pair<int, int>> &scatters);

/** A scan that cut_scans() can cut. */
struct CuttableScan {
    int argument = 0;          ///< along which it goes
    bool has_factors = false;  ///< what came before is multiplied by something
};

/** Does the one update of `f` scan by an associative operation, f(..., r, ...) = op(f(..., r - 1, ...),
 * term), or as a linear recurrence of the first order, factor * f(..., r - 1, ...) + term, where term and
 * factor read no other point of f? Nothing if that is not what it does. */
std::optional<CuttableScan> cuttable_scan(const Halide::Internal::Function &f);

/** For each of `scans`, a Func as Pipeline::get_func() counts before the call, whose one update is such a
 * scan, and a number of points of two or more: cuts what r goes over into pieces of so many. Makes a Func of
 * each piece's own results, with the piece as its last argument, one of what comes before each piece, and one
 * of the factors that a piece multiplies it by, where there are any; leaves f as a pure Func of these. The
 * same values, but that sums and products of floats are added up in another order; where the factors of a
 * piece overflow, what is finite as written may be NaN. Returns the names of the Funcs that go along the
 * pieces. No directive may stand on these Funcs. Throws UserError for a Func that does not scan so. */
std::vector<std::string> cut_scans(Halide::Pipeline pipeline, const std::vector<std::pair<int, int>> &scans);

/** A reduction of Tuples that reduce_in_lanes() can split. */
struct ReducibleInLanes {
    int variable = 0;   ///< of its reduction variables, counted from the innermost: the one that is split
    bool exact = true;  ///< in lanes it has the same bits, NaN among the values or not
    bool adds_or_multiplies = true;  ///< else: in another order it only rounds otherwise
};

/** Is the one update of the Tuple `f` a reduction whose elements are independent sums (products, minima,
 * maxima), or the best value and what comes with it, f(x) = select(v > f(x)[k], Tuple(..., v, ...), f(x)), by
 * >, >=, < or <=? Nothing if it is neither. */
std::optional<ReducibleInLanes> reducible_in_lanes(const Halide::Internal::Function &f);

/** For each of `reductions`, a Func as Pipeline::get_func() counts before the call, whose one update is such
 * a reduction, and a power of two: makes a Func of that many results, its first argument their number, each
 * of the terms that lie so far apart along the variable that is split, and Funcs that merge them, in steps;
 * leaves f as a pure Func. Of equal values the one is kept that was kept as written. Otherwise the same
 * values, but that sums and products of floats are added up in another order. Returns the names of the Funcs
 * that it makes. No directive may stand on these Funcs. Throws UserError for another Func. */
std::vector<std::string> reduce_in_lanes(Halide::Pipeline pipeline,
                                         const std::vector<std::pair<int, int>> &reductions);

/** For each of `scans`, a Func as Pipeline::get_func() counts before the call and one of its arguments: makes
 * a Func with its definitions in which that argument comes first, so that its points are neighbours in
 * memory, and leaves it as a pure Func that reads those, f(x, y) = f_transposed(y, x). The same values. No
 * directive may stand on these Funcs. Throws UserError for an argument that there is not. */
void transpose_scans(Halide::Pipeline pipeline, const std::vector<std::pair<int, int>> &scans);

/** For each of `convolutions`, a Func as Pipeline::get_func() counts before the call, which is the sum of
 * image(..., u + r, v + s) * filter(..., r, s) over windows of 3 x 3 points and channels
 * (src/graph/read/convolution.h), and a number of tiles: makes Funcs of Winograd's algorithm, A. Lavin and S.
 * Gray, "Fast Algorithms for Convolutional Neural Networks" (arXiv:1509.09308), F(2x2, 3x3) or F(4x4, 3x3),
 * and leaves the Func as a pure one that reads tiles of 2 x 2 or 4 x 4 results. Each takes 16 or 36 products
 * of a channel instead of 36 or 144. Tiles along the first of the window's dimensions are in groups of so
 * many, which is a dimension of its own. Nothing is read that the Func did not read.
 *
 *  The same algebra, other roundings. The error's root mean square as a share of that of the results, and the
 * largest error as a share of the largest result, of images max(normal, 0), normal filters, a bias and relu,
 * in units of 1e-7, against doubles (56 x 56 points of 64 channels, 28 x 28 of 128, 14 x 14 of 256, 7 x 7 of
 * 512):
 *
 *      as written       3.0, 6.5    4.3, 10.5   2.2, 2.8    1.8, 2.6
 *      winograd_2x2     2.3, 3.3    3.1, 4.6    4.4, 5.5    5.7, 7.5
 *      winograd_4x4     15, 53      19, 72      26, 87      28, 90
 *
 * What is not finite makes all of its tile so, and where points of the image come within a factor of 100 of
 * the largest number, tiles of 4 x 4 may overflow. No directive may stand
 * on these Funcs. Throws UserError for a Func that is no such sum, or where sizes of the outputs do not tell
 * which of its points they need. */
void winograd_2x2(Halide::Pipeline pipeline, const std::vector<std::pair<int, int>> &convolutions);
void winograd_4x4(Halide::Pipeline pipeline, const std::vector<std::pair<int, int>> &convolutions);

/** For each of `products`, a Func as Pipeline::get_func() counts before the call, which is the sum of
 * products of two Funcs, or buffers, over one reduction variable, and a number of tasks: makes an extern Func
 * of the sum, which calls a function of src/library/product.h, by that library, and leaves the Func as a pure
 * one that adds what it starts at. With one task each call is on a block, wherever the Func is computed, on
 * one thread; with more it is on the whole. Sums are added up in the library's order. Operands that are Funcs
 * have to be computed outside of it. No directive may stand on these Funcs. Throws UserError for a Func that
 * is no such sum. */
void multiply_by_eigen(Halide::Pipeline pipeline, const std::vector<std::pair<int, int>> &products);
void multiply_by_openblas(Halide::Pipeline pipeline, const std::vector<std::pair<int, int>> &products);
void multiply_by_onednn(Halide::Pipeline pipeline, const std::vector<std::pair<int, int>> &products);

/** Puts expressions that CPUs compute in vectors (schedules/elementary/elementary.h) in the place of calls
 * for which Halide asks the C library for each element: tanh, sin and cos of float; exp, log and tanh of
 * double; and what a pipeline declares as the external functions expm1f, log1pf, erff, expm1 and log1p. In
 * every definition of `pipeline` as it is now, for any schedule. Results differ from the C library's in the
 * last places, by at most as much as elementary.h says. */
void vectorize_functions(const Halide::Pipeline &pipeline);

/** Puts what a CUDA device computes by its special function units (schedules/elementary/approximate.h) in the
 * place of exponentials, logarithms, hyperbolic tangents and quotients of float, in the values of every
 * definition of `pipeline` as it is now, all of which have to be computed by kernels. */
void approximate_functions(const Halide::Pipeline &pipeline);

/** The names of such calls in `pipeline`, as in Halide's IR, and "division". */
std::set<std::string> approximable_functions(const Halide::Pipeline &pipeline);

/** The names of the calls in `pipeline` that vectorize_functions() replaces, as in Halide's IR: tanh_f32. */
std::set<std::string> vectorizable_functions(const Halide::Pipeline &pipeline);

/** Has every later compilation of `pipeline` give each thread of a GPU room only for its own points of what
 * is stored on the stack outside the loops over threads. Halide gives each thread room for what all threads
 * of its block compute, numbered by the thread, which no compiler keeps in registers. Where all points that a
 * thread names lie at constant distances from each other, as they do once loops over them are unrolled, they
 * are numbered from 0; anything else stays as it is. No values change. */
void keep_threads_apart(Halide::Pipeline pipeline);

}  // namespace eutectic
