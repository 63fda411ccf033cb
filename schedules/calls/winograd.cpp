// f(c, u, v) += x(k, u + r, v + s) * w(c, k, r, s), r and s in 0..2   →   of tiles of m x m results
//
//      x_rows, x_tile    = B^T x B, of each n x n points of x, n = m + 2
//      w_rows, w_tile    = G w G^T
//      products(c, p, q) += x_tile(k, p, q) * w_tile(c, k, p, q), for each of n x n points p, q
//      y_rows, y_tile    = A^T products A, of which f is a copy
//
// by the matrices B^T, G and A^T of winograd_matrices.h.

#include <algorithm>
#include <set>

#include "base/user_error.h"
#include "graph/read/convolution.h"
#include "graph/read/outputs.h"
#include "graph/read/required_region.h"
#include "schedules/calls/replace_calls.h"
#include "schedules/calls/winograd_matrices.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

/** The Funcs for one convolution. */
class Tiles {
public:
    /** `names`: of all that the pipeline has. */
    Tiles(Internal::Function f, Convolution c, Internal::Box region, const WinogradAlgorithm &a, int tiles,
          std::set<std::string> &names)
        : f_(std::move(f)),
          c_(std::move(c)),
          region_(std::move(region)),
          a_(a),
          tiles_(tiles),
          names_(names) {
        const std::string u = arg(0), v = arg(1);
        p_ = fresh(u + "_point");
        q_ = fresh(v + "_point");
        t_ = fresh(u + "_tile");
        g_ = fresh(u + "_group");
        h_ = fresh(v + "_tile");
        for (const auto &rvar : c_.channels) {
            channels_[rvar.var] = fresh("channel");
        }
    }

    /** What f is at its own arguments. */
    Expr run() {
        const Func filter = filter_tile(), image = image_tile();
        const Func summed = products(image, filter);
        const Func result = result_tile(summed);
        std::map<std::string, Expr> at;
        const int m = a_.results;
        const Expr u = Var(arg(0)) - first(0), v = Var(arg(1)) - first(1);
        at[p_.name()] = u % m;
        at[q_.name()] = v % m;
        at[t_.name()] = (u / m) % tiles_;
        at[g_.name()] = u / (m * tiles_);
        at[h_.name()] = v / m;
        const Expr value = call(result, result_args(), at);
        return c_.from_zero ? value : c_.start + value;
    }

private:
    using Args = std::vector<Var>;
    const Internal::Function f_;
    const Convolution c_;
    const Internal::Box region_;
    const WinogradAlgorithm &a_;
    const int tiles_;
    std::set<std::string> &names_;
    Var p_, q_, t_, g_, h_;  // a tile's point along the first and the second dim, the tile in a group of
                             // tiles, the group, and the tile along the second dim
    std::map<std::string, Var> channels_;  // by their reduction variables
    std::set<std::string> taken_;

    const std::string &arg(int along) const {
        return f_.args()[c_.window[along].dim];
    }

    Expr first(int along) const {
        return region_[c_.window[along].dim].min;
    }

    /** A Var that neither f's arguments nor the others are called. */
    Var fresh(std::string name) {
        while (std::count(f_.args().begin(), f_.args().end(), name) > 0 || !taken_.insert(name).second) {
            name += '_';
        }
        return Var(name);
    }

    static bool has(const std::vector<std::string> &names, const std::string &name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    }

    /** `func` at `args`, of which some are replaced. */
    static Expr call(const Func &func, const Args &args, const std::map<std::string, Expr> &at) {
        std::vector<Expr> indices;
        for (const Var &v : args) {
            const auto replaced = at.find(v.name());
            indices.push_back(replaced == at.end() ? Expr(v) : replaced->second);
        }
        return func(indices);
    }

    static std::vector<Expr> each(int count, const std::function<Expr(int)> &of) {
        std::vector<Expr> all;
        for (int i = 0; i < count; i++) {
            all.push_back(of(i));
        }
        return all;
    }

    /** Which of f's other arguments occur among `names`, before or after the window's. */
    Args others(const std::vector<std::string> &names, bool before) const {
        Args args;
        for (int d = 0; d < f_.dimensions(); d++) {
            const bool window = d == c_.window[0].dim || d == c_.window[1].dim;
            if (!window && (d < c_.window[0].dim) == before && has(names, f_.args()[d])) {
                args.emplace_back(f_.args()[d]);
            }
        }
        return args;
    }

    Args channels(const std::vector<std::string> &names) const {
        Args args;
        for (const auto &rvar : c_.channels) {
            if (has(names, rvar.var)) {
                args.push_back(channels_.at(rvar.var));
            }
        }
        return args;
    }

    static void append(Args &to, const Args &from) {
        to.insert(to.end(), from.begin(), from.end());
    }

    /** Does f lie along the tiles of a row? Then so does everything; otherwise along channels. */
    bool tiles_first() const {
        return c_.window[0].dim == 0;
    }

    /** Arguments with `inner` in the place of f's window. */
    Args around(const std::vector<std::string> &names, const Args &inner, const Var &along) const {
        Args args;
        if (tiles_first()) {
            args.push_back(along);
        }
        append(args, channels(names));
        append(args, others(names, true));
        if (tiles_first()) {
            append(args, columns(names));
        }
        for (const Var &v : inner) {
            if (!(tiles_first() && v.same_as(along))) {
                args.push_back(v);
            }
        }
        for (const Var &v : others(names, false)) {
            if (!tiles_first() || !is_column(v.name())) {
                args.push_back(v);
            }
        }
        return args;
    }

    bool is_column(const std::string &name) const {
        return !has(c_.of_image, name);
    }

    Args columns(const std::vector<std::string> &names) const {
        Args args;
        for (const Var &v : others(names, false)) {
            if (is_column(v.name())) {
                args.push_back(v);
            }
        }
        return args;
    }

    Args image_args() const {
        return around(c_.of_image, {p_, q_, t_, g_, h_}, t_);
    }

    Args result_args() const {
        return around(f_.args(), {p_, q_, t_, g_, h_}, t_);
    }

    Args filter_args() const {
        Args args = others(c_.of_filter, true);
        append(args, others(c_.of_filter, false));
        append(args, channels(c_.of_filter));
        args.push_back(p_);
        args.push_back(q_);
        return args;
    }

    /** A Func of that name, or the next that is free in the pipeline. Not Func(name), which counts names of
     * other pipelines, too: the same schedule has the same names, whatever was tried on copies before. */
    Func named(const std::string &what) const {
        const std::string name = f_.name() + what;
        std::string free = name;
        for (int i = 2; !names_.insert(free).second; i++) {
            free = name + "_" + std::to_string(i);
        }
        return Func(Internal::Function(free));
    }

    /** `e`, of the convolution, in terms of the Vars for channels, and of what `by` says. */
    Expr in_tiles(const Expr &e, std::map<std::string, Expr> by) const {
        for (const auto &[rvar, var] : channels_) {
            by[rvar] = var;
        }
        return Internal::substitute(by, e);
    }

    /** The filter at point (r, s) of the window in the order of what is read. */
    Expr filter_at(int r, const Expr &s) const {
        const auto at = [&](int along, const Expr &point) {
            const WindowDim &w = c_.window[along];
            return simplify(w.step > 0 ? point + w.first : w.first + 2 - point);
        };
        return in_tiles(c_.filter, {{c_.window[0].reduces, at(0, r)}, {c_.window[1].reduces, at(1, s)}});
    }

    /** G w G^T. */
    Func filter_tile() {
        const Args args = filter_args();
        Func rows = named("_filter_rows"), tile = named("_filter_tile");
        rows(args) = mux(p_, each(a_.points(), [&](int i) {
                             return row_times(a_.filter, i, [&](int r) { return filter_at(r, q_); });
                         }));
        tile(args) =
            mux(q_, each(a_.points(), [&](int i) {
                    return row_times(a_.filter, i, [&](int s) { return call(rows, args, {{q_.name(), s}}); });
                }));
        return tile;
    }

    /** The point of the image that the first result's window begins at, moved by `at`; never beyond those
     * that the results need: tiles at an end go further. */
    Expr image_index(int along, const Expr &at) const {
        const WindowDim &w = c_.window[along];
        const Internal::Interval &results = region_[w.dim];
        return clamp(results.min + at, results.min, results.max + 2) + (w.step > 0 ? w.first : -w.first - 2);
    }

    /** B^T x B: along the second dim first, of everything along the first. */
    Func image_tile() {
        const Var along = fresh(arg(0) + "_read");
        const Args row_args = around(c_.of_image, {along, q_, h_}, along), args = image_args();
        Func rows = named("_image_rows"), tile = named("_image_tile");
        rows(row_args) =
            mux(q_, each(a_.points(), [&](int i) {
                    return row_times(a_.image, i, [&](int j) {
                        return in_tiles(c_.image,
                                        {{arg(0), along}, {arg(1), image_index(1, h_ * a_.results + j)}});
                    });
                }));
        tile(args) = mux(p_, each(a_.points(), [&](int i) {
                             return row_times(a_.image, i, [&](int j) {
                                 const Expr at = (g_ * tiles_ + t_) * a_.results + j;
                                 return call(rows, row_args, {{along.name(), image_index(0, at)}});
                             });
                         }));
        return tile;
    }

    Func products(const Func &image, const Func &filter) {
        std::map<std::string, Expr> at;
        const Internal::ReductionDomain domain(c_.channels);
        for (const auto &rvar : c_.channels) {
            at[channels_.at(rvar.var).name()] = Internal::Variable::make(Int(32), rvar.var, domain);
        }
        const Args args = result_args();
        Func sum = named("_products");
        sum(args) = Internal::make_zero(f_.output_types()[0]);
        std::vector<Expr> point(args.begin(), args.end());
        sum.function().define_update(
            point, {sum(args) + call(image, image_args(), at) * call(filter, filter_args(), at)}, domain);
        return sum;
    }

    /** A^T m A. */
    Func result_tile(const Func &summed) {
        const Args args = result_args();
        Func rows = named("_result_rows"), tile = named("_result_tile");
        const auto along = [&](const Var &v, const Func &of) {
            return mux(v, each(a_.results, [&](int i) {
                           return columns_times(a_.result, i,
                                                [&](int j) { return call(of, args, {{v.name(), j}}); });
                       }));
        };
        rows(args) = along(p_, summed);
        tile(args) = along(q_, rows);
        return tile;
    }
};

/** Of Funcs and arguments, which share their names with the loops that are compiled. */
std::set<std::string> names_of(const Pipeline &pipeline) {
    std::set<std::string> names;
    for (const auto &[name, function] : Internal::build_environment(output_functions(pipeline))) {
        names.insert(name);
    }
    for (const Argument &argument : Pipeline(pipeline).infer_arguments()) {
        names.insert(argument.name);
    }
    return names;
}

void by_winograd(const WinogradAlgorithm &a, Pipeline pipeline,
                 const std::vector<std::pair<int, int>> &convolutions) {
    std::vector<Func> funcs;  // all before the first change, which adds to what get_func() counts
    std::vector<Internal::Box> regions;
    for (const auto &[index, tiles] : convolutions) {
        funcs.push_back(pipeline.get_func(index));
        const auto region = required_region(output_functions(pipeline), funcs.back().function());
        regions.push_back(region.value_or(Internal::Box()));
    }
    std::set<std::string> names = names_of(pipeline);
    for (size_t i = 0; i < convolutions.size(); i++) {
        Internal::Function f = funcs[i].function();
        const std::optional<Convolution> c = convolution(f);
        const auto bounded = [&](const WindowDim &w) {
            return !regions[i].empty() && regions[i][w.dim].is_bounded();
        };
        if (!c || !bounded(c->window[0]) || !bounded(c->window[1]) || convolutions[i].second < 1) {
            throw UserError(
                f.name() + " was to be computed by " + a.call +
                ", but is no convolution with windows of 3 x 3 points of floats over channels, of "
                "results that the sizes of outputs tell: leave it as it is.");
        }
        f.definition().values()[0] = Tiles(f, *c, regions[i], a, convolutions[i].second, names).run();
        drop_updates(f);
    }
}

}  // namespace

void winograd_2x2(Pipeline pipeline, const std::vector<std::pair<int, int>> &convolutions) {
    by_winograd(winograd_of_2x2(), std::move(pipeline), convolutions);
}

void winograd_4x4(Pipeline pipeline, const std::vector<std::pair<int, int>> &convolutions) {
    by_winograd(winograd_of_4x4(), std::move(pipeline), convolutions);
}

}  // namespace eutectic
