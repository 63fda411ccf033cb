#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "Halide.h"

#include "graph/data/graph.h"

namespace eutectic {

/** Replaces every size and scalar parameter in `e` by its estimate, or by the constant that it is constrained
 * to, and simplifies. Minima without either count as 0. What has no estimate stays a variable. */
Halide::Expr at_estimates(const Halide::Expr &e);

/** Replaces the sizes in `e` that buffers are constrained to (set_bounds() and its kin) where these are
 * constants, and simplifies: what is left is a constant only if it is one at every size. */
Halide::Expr at_constraints(const Halide::Expr &e);

/** `e` simplified if that is a constant; undefined if it is anything else, or undefined. */
Halide::Expr constant_or_undefined(const Halide::Expr &e);

/** Where a dimension of a buffer begins, its extent or its stride, as an expression names it. */
struct SizeOfBuffer {
    Halide::Parameter buffer;
    std::string kind;  ///< "min", "extent" or "stride"
    DimId dim;

    /** Another size of the same dimension. */
    Halide::Expr variable(const std::string &other) const;
};

/** The one that `e` is; nothing where it is anything else. */
std::optional<SizeOfBuffer> size_of_buffer(const Halide::Expr &e);

/** The buffer dimension whose extent `e` is, as (parameter name, dimension); an empty name when it is
 * anything else. */
std::pair<std::string, DimId> extent_of_parameter(const Halide::Expr &e);

/** The buffer dimensions whose extents `e` is no less than, at any size: that of extent_of_parameter(), or
 * those of the ranges that `e` is the extent of the union of, max(ends) - min(begins). */
std::vector<std::pair<std::string, DimId>> extents_within(const Halide::Expr &e);

/** The index `e` as an affine function of a stage's loops (`dims` maps loop names to positions). */
Index read_index(const Halide::Expr &e, const std::map<std::string, DimId> &dims);

/** The same once sizes and parameters are at_estimates(). What is not small (shared.h) is beyond
 *  analysis. */
Index read_index_at_estimates(const Halide::Expr &e, const std::map<std::string, DimId> &dims);

/** The side of a choice that is marked as likely (BoundaryConditions::mirror_image and repeat_image make such
 * indices), if it is one and has one; otherwise `e`. */
Halide::Expr likely_side(const Halide::Expr &e);

/** `e` with that side of every choice in it: what most iterations compute. */
Halide::Expr likely_sides(const Halide::Expr &e);

/** A loop that is clamped to a range of a buffer's dimension. */
struct ClampedLoop {
    std::string parameter;  ///< of the buffer
    DimId dim;              ///< of the buffer
    bool from_zero;         ///< to 0 … extent - 1; false: from where the buffer begins
    DimId loop;             ///< its position
};

/** What `index` is, if it is one; it still names the buffer's sizes. */
std::optional<ClampedLoop> clamped_to_buffer(const Halide::Expr &index,
                                             const std::map<std::string, DimId> &dims);

/** Work in `e`, each shared subexpression counted once. Index arithmetic is not counted, nor are
 * run_time_quotients(). Adds the loops that its guards depend on to `guarding`. `functions_in_vectors`: as of
 * build_graph(). */
ExprSummary summarize(const Halide::Expr &e, std::set<std::string> *guarding = nullptr,
                      bool functions_in_vectors = false);

/** Calls `visit` for every load of a Func in `e` and in its indices, in order of appearance. */
void for_each_load(const Halide::Expr &e, const std::function<void(const Halide::Internal::Call *)> &visit);

/** Is `e` a product of two factors with loads of which one misses a pure loop that the other has? (The
 * operand is used again.) */
bool is_product_with_reuse(const Halide::Expr &e, const std::vector<std::string> &pure_vars);

}  // namespace eutectic
