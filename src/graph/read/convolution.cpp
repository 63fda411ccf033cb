#include "graph/read/convolution.h"

#include <algorithm>
#include <map>

#include "graph/read/accumulation.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

constexpr int window_points = 3;

bool uses(const Expr &e, const std::string &name) {
    return uses_variable(name)(e);
}

void add_factors(const Expr &e, std::vector<Expr> &factors) {
    if (const Mul *product = e.as<Mul>()) {
        add_factors(product->a, factors);
        add_factors(product->b, factors);
    } else {
        factors.push_back(e);
    }
}

Expr product_of(const std::vector<Expr> &factors) {
    Expr product = factors.front();
    for (size_t i = 1; i < factors.size(); i++) {
        product = product * factors[i];
    }
    return product;
}

/** `factor` at a point of the argument `arg` that is moved back by that of the window; it then does not
 * depend on the window if the two only occur in their sum, or difference. */
Expr moved(const Expr &factor, const std::string &arg, const WindowDim &window) {
    const Expr back = Variable::make(Int(32), window.reduces) * -window.step;
    return simplify_shared(substitute_shared({{arg, Variable::make(Int(32), arg) + back}}, factor));
}

/** The argument of `f` along which `rvar` moves a window; nothing where it does not. */
std::optional<WindowDim> window_along(const Function &f, const std::vector<Expr> &factors,
                                      const ReductionVariable &rvar) {
    const auto first = as_const_int(simplify(rvar.min)), points = as_const_int(simplify(rvar.extent));
    if (!first || !points || *points != window_points || *first < -1024 || *first > 1024) {
        return std::nullopt;
    }
    for (int d = 0; d < f.dimensions(); d++) {
        const std::string &arg = f.args()[d];
        for (const int step : {1, -1}) {
            const WindowDim window{d, rvar.var, step, static_cast<int>(*first)};
            bool together = false, apart = false;
            for (const Expr &factor : factors) {
                if (uses(factor, arg)) {
                    together = together || uses(factor, rvar.var);
                    apart = apart || uses(moved(factor, arg, window), rvar.var);
                }
            }
            if (together && !apart) {
                return window;
            }
        }
    }
    return std::nullopt;
}

/** Two dims with windows, and what else is summed up over. */
struct Windows {
    std::vector<WindowDim> dims;
    std::vector<ReductionVariable> channels;
};

Windows windows_of(const Function &f, const std::vector<Expr> &factors) {
    Windows found;
    for (const ReductionVariable &rvar : f.updates()[0].schedule().rvars()) {
        const std::optional<WindowDim> window = window_along(f, factors, rvar);
        const bool taken =
            window && std::any_of(found.dims.begin(), found.dims.end(),
                                  [&](const WindowDim &other) { return other.dim == window->dim; });
        if (window && !taken && found.dims.size() < 2) {
            found.dims.push_back(*window);
        } else {
            found.channels.push_back(rvar);
        }
    }
    std::sort(found.dims.begin(), found.dims.end(),
              [](const WindowDim &a, const WindowDim &b) { return a.dim < b.dim; });
    return found;
}

std::vector<std::string> occurring(const Function &f, const Convolution &c, const Expr &e) {
    std::vector<std::string> names;
    for (int d = 0; d < f.dimensions(); d++) {
        if (d != c.window[0].dim && d != c.window[1].dim && uses(e, f.args()[d])) {
            names.push_back(f.args()[d]);
        }
    }
    for (const ReductionVariable &rvar : c.channels) {
        if (uses(e, rvar.var)) {
            names.push_back(rvar.var);
        }
    }
    return names;
}

bool has(const std::vector<std::string> &names, const std::string &name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/** Is every channel's product used for several points, and every point made of several products? */
bool multiplies_channels(const Function &f, const Convolution &c) {
    const bool sums = std::any_of(c.channels.begin(), c.channels.end(), [&](const ReductionVariable &rvar) {
        return has(c.of_image, rvar.var) && has(c.of_filter, rvar.var);
    });
    const bool columns = std::any_of(f.args().begin(), f.args().end(), [&](const std::string &arg) {
        return has(c.of_filter, arg) && !has(c.of_image, arg);
    });
    return sums && columns;
}

}  // namespace

std::optional<Convolution> convolution(const Function &f) {
    const std::optional<Accumulation> sum = sum_update(f);
    if (!sum || (f.output_types()[0] != Float(32) && f.output_types()[0] != Float(64)) ||
        !is_small(sum->term) || !is_const_one(f.updates()[0].predicate())) {
        return std::nullopt;
    }
    std::vector<Expr> factors, of_image, of_filter;
    add_factors(sum->term, factors);
    const Windows windows = windows_of(f, factors);
    if (windows.dims.size() < 2) {
        return std::nullopt;
    }
    Convolution c;
    c.channels = windows.channels;
    std::copy(windows.dims.begin(), windows.dims.end(), c.window.begin());
    for (const Expr &factor : factors) {
        const bool moves = std::any_of(c.window.begin(), c.window.end(),
                                       [&](const WindowDim &w) { return uses(factor, f.args()[w.dim]); });
        (moves ? of_image : of_filter).push_back(factor);
    }
    if (of_image.empty() || of_filter.empty()) {
        return std::nullopt;
    }
    c.image = product_of(of_image);
    c.filter = product_of(of_filter);
    for (const WindowDim &w : c.window) {
        c.image = moved(c.image, f.args()[w.dim], w);
    }
    for (const WindowDim &w : c.window) {
        if (uses(c.image, w.reduces)) {
            return std::nullopt;
        }
    }
    c.of_image = occurring(f, c, c.image);
    c.of_filter = occurring(f, c, c.filter);
    c.start = f.definition().values()[0];
    c.from_zero = is_const_zero(simplify_shared(c.start));
    return multiplies_channels(f, c) ? std::optional(c) : std::nullopt;
}

}  // namespace eutectic
