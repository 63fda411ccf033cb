#pragma once

// The cheapest choice at a price of a byte, as a minimum cut.
//
// Say a(v): v is needed, and r(v): v is made by its recipe. With keeping costing k(v) = price * bytes +
// keep_seconds and making m(v) seconds,
//     cost = sum of k(v) a(v) - (k(v) - m(v)) r(v),   r(v) -> a(v),   r(v) -> a(u) for every u that the
//     recipe reads,   a(v) if v is read,
// which is a maximum closure, and so a minimum cut (Picard, "Maximal closure of a graph and applications to
// combinatorial problems", Management Science 22, 1976). It is exact for one recipe a value that reads
// earlier values only. Further recipes, the rewritten ones among them, which may close a circle, are tried
// one after the other around the cut, as long as the cost falls.

#include "autodiff/residuals/choice/residual_graph.h"

namespace eutectic {

/// The weights of what is minimized: bytes * per_byte + seconds * per_second.
struct Price {
    double per_byte = 0;  // s / B when per_second is 1
    double per_second = 1;
};

/// Has no value further recipes that may be faster, and none a rewritten one?
bool is_cut_exact(const ResidualGraph &graph);

ResidualChoice cheapest_at(const ResidualGraph &graph, const Price &price);

}  // namespace eutectic
