#pragma once

#include <map>
#include <optional>
#include <string>

#include "Halide.h"

#include "graph/data/ids.h"

namespace eutectic {

/** A sum whose terms are scaled by the maximum of what they are made of: m(i) = max over k of v(k, i), s(i)
 * += exp(v(k, i) - m(i)) * w(k, i). Both can be had in one pass over k: of what it has seen, each thread
 * keeps a pair, the largest v and the sum scaled by that, and scales the sum anew whenever the maximum grows
 * (the online softmax of Milakov and Gimelshein, arXiv:1805.02867). */
struct OnlineSum {
    Halide::Internal::Function
        maximum;          ///< m, whose only update has the same reduction variable as that of s
    Halide::Expr value;   ///< v, over the arguments and the reduction variable of s
    Halide::Expr weight;  ///< w, which m has no part in; 1 where there is none
};

/** What `s` adds up, if it is such a sum: one update over one reduction variable without a predicate, m read
 * at the point of s, the exponential written in the update or in pure Funcs on the way to m. m starts at a
 * constant below infinity. Nothing for any other Func. `places`: where Funcs stand in an order with producers
 * first, if that is known; it saves looking through all that they read. */
std::optional<OnlineSum> online_sum(const Halide::Internal::Function &s,
                                    const std::map<std::string, FuncId> &places = {});

/** Largest value so far, and the sum of the terms so far times exp(-maximum). */
struct RunningSum {
    Halide::Expr maximum, sum;
};

/** `a` and `b` as one: (max(a, b), a.sum * exp(a.maximum - max) + b.sum * exp(b.maximum - max)), of which one
 * exponential is 1 and is not computed. Where both maxima are equal, infinite ones too, both are: -inf - -inf
 * never is computed. A NaN in either stays one, in the sum at least. */
RunningSum merged(const RunningSum &a, const RunningSum &b);

/** The sum of all terms of `s` but its start, of the pair of all of `terms` values. Where the maximum is
 * infinite there is a term exp(inf - inf), which the pair leaves out: NaN, as the sum would be. */
Halide::Expr whole_sum(const RunningSum &pair, const Halide::Expr &terms);

}  // namespace eutectic
