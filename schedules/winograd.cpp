#include "schedules/winograd.h"

#include <algorithm>
#include <map>

#include "graph/read/convolution.h"
#include "graph/read/copies.h"
#include "graph/read/outputs.h"
#include "graph/read/required_region.h"
#include "schedules/library_products.h"
#include "schedules/priced_calls.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Each is two plans more: of a pipeline with more sizes of convolutions, those with the most terms are
 * looked at. Chosen, not measured. */
constexpr size_t most_sizes = 6;

/** Tiles in a group, whose products share what a register tile loads: as many as a row has, up to this. Of a
 * layer with 56 x 56 points, groups of 7 and of 14 tiles take the same time. */
constexpr int64_t most_tiles = 16;

/** One of the algorithms. */
struct Variant {
    const char *call;  ///< of rewrites.h
    void (*make)(Pipeline, const std::vector<std::pair<int, int>> &);
    int results;  ///< along one side of a tile
    /** Additions and multiplications by constants for one line of a tile: of the image, the filter, the
     * results (Lavin and Gray, section 4). */
    double image, filter, result;
};

constexpr Variant variants[] = {{"winograd_2x2", winograd_2x2, 2, 4, 4, 4},
                                {"winograd_4x4", winograd_4x4, 4, 12, 10, 12}};

/** A convolution of the graph, with its sizes at the estimates. */
struct Candidate {
    FuncId func = no_func;
    std::string name, function;                    ///< for people, and Halide's
    double u = 1, v = 1;                           ///< results along the window's dims
    double images = 1, columns = 1, channels = 1;  ///< results, others than those, that share a filter, that
                                                   ///< share an image; terms of each, but for the window
    std::vector<int64_t> extents;

    double terms() const {
        return u * v * images * columns * channels;
    }
    bool same_size(const Candidate &other) const {
        return extents == other.extents && u == other.u && v == other.v && columns == other.columns;
    }
};

double extent_of(const Dims &dims, const std::string &name) {
    const auto found = std::find_if(dims.begin(), dims.end(), [&](const Dim &d) { return d.name == name; });
    return found == dims.end() ? 1 : static_cast<double>(found->extent);
}

Candidate sized(FuncId func, const FuncInfo &info, const Internal::Function &f, const Convolution &c,
                const Dims &dims) {
    Candidate found;
    found.func = func;
    found.name = info.name;
    found.function = f.name();
    const auto in_image = [&](const std::string &name) {
        return std::find(c.of_image.begin(), c.of_image.end(), name) != c.of_image.end();
    };
    for (int d = 0; d < f.dimensions(); d++) {
        const auto points = static_cast<double>(info.extents[d]);
        if (d == c.window[0].dim || d == c.window[1].dim) {
            (d == c.window[0].dim ? found.u : found.v) = points;
        } else {
            (in_image(f.args()[d]) ? found.images : found.columns) *= points;
        }
    }
    for (const Internal::ReductionVariable &rvar : c.channels) {
        found.channels *= extent_of(dims, rvar.var);
    }
    for (const Dim &d : dims) {
        found.extents.push_back(d.extent);
    }
    return found;
}

int64_t tiles_along(double points, const Variant &variant) {
    return (static_cast<int64_t>(points) + variant.results - 1) / variant.results;
}

/** Operations of `variant`, a multiply-add counting as one, as a share of those of the convolution as
 * written. */
double share_of_operations(const Candidate &c, const Variant &variant) {
    const double n = variant.results + 2, m = variant.results;
    const double tiles = static_cast<double>(tiles_along(c.u, variant) * tiles_along(c.v, variant));
    const double products = tiles * c.images * n * n * c.channels * c.columns;
    const double image = tiles * c.images * c.channels * 2 * n * variant.image,
                 filter = c.channels * c.columns * (3 + n) * variant.filter,
                 result = tiles * c.images * c.columns * (n + m) * variant.result;
    return (products + image + filter + result) / (9 * c.terms());
}

/** Tiles in a group, of which the last in a row has the fewest too many. */
int tiles_in_group(const Candidate &c, const Variant &variant) {
    const int64_t all = tiles_along(c.u, variant);
    const auto computed = [&](int64_t tiles) { return (all + tiles - 1) / tiles * tiles; };
    int64_t best = std::min(all, most_tiles);
    for (int64_t tiles = best; 2 * tiles > std::min(all, most_tiles); tiles--) {
        best = computed(tiles) < computed(best) ? tiles : best;
    }
    return static_cast<int>(best);
}

/** Those of one size, each with its region known. */
struct Sized {
    std::vector<Candidate> all;
    double terms() const {
        return all.front().terms() * static_cast<double>(all.size());
    }
    std::string names() const {
        std::string text;
        for (const Candidate &c : all) {
            text += (text.empty() ? "" : ", ") + c.name;
        }
        return text;
    }
};

/** With so many times the operations of the least, or more, a variant is not priced: memory may make up for
 * less, as the larger filters of 4 x 4 do where a layer has few points. Chosen: of a layer with 28 x 28
 * points 2 x 2 has 1.7 times the operations and takes 1.1 times as long, of one with 7 x 7 1.2, and as long.
 */
constexpr double most_operations = 1.5;

/** Those to be priced for `c`. */
std::vector<const Variant *> variants_for(const Candidate &c) {
    double least = 1;
    for (const Variant &v : variants) {
        least = std::min(least, share_of_operations(c, v));
    }
    std::vector<const Variant *> some;
    for (const Variant &v : variants) {
        const double share = share_of_operations(c, v);
        if (share < 1 && share < most_operations * least) {
            some.push_back(&v);
        }
    }
    return some;
}

bool has_known_region(const Pipeline &pipeline, const Internal::Function &f, const Convolution &c) {
    const auto region = required_region(output_functions(pipeline), f);
    return region && (*region)[c.window[0].dim].is_bounded() && (*region)[c.window[1].dim].is_bounded();
}

/** Does `f` read an argument that is handed over in panels, for the product that it is as written? */
bool reads_any(const Internal::Function &f, const std::vector<std::string> &packed) {
    const std::map<std::string, Internal::Function> called = Internal::find_direct_calls(f);
    return std::any_of(called.begin(), called.end(), [&](const auto &named) {
        const Internal::Call *load = wrapped_buffer(named.second);
        return load && load->param.defined() &&
               std::find(packed.begin(), packed.end(), load->param.name()) != packed.end();
    });
}

/** What may be changed, and has fewer operations then; the most terms first. Adds why others stay. */
std::vector<Sized> candidates(const Graph &graph, Pipeline pipeline, const std::vector<std::string> &packed,
                              std::vector<std::string> &why_not) {
    std::vector<Sized> sizes;
    for (const FuncId f : graph.funcs.ids()) {
        const FuncInfo &info = graph.funcs[f];
        if (!may_change_sum(info)) {
            continue;
        }
        const Internal::Function function = pipeline.get_func(info.pipeline_index).function();
        const std::optional<Convolution> c = convolution(function);
        const Candidate found = c ? sized(f, info, function, *c, graph.last_stage(f).dims) : Candidate();
        if (!c || variants_for(found).empty() || reads_any(function, packed)) {
            continue;
        }
        if (!has_known_region(pipeline, function, *c)) {
            why_not.push_back(info.name +
                              " stays a sum over windows: Winograd's algorithm needs to know from "
                              "the sizes of buffers which of its points are read, and they do not "
                              "tell; read it at indices that do not depend on data");
            continue;
        }
        const auto same = std::find_if(sizes.begin(), sizes.end(),
                                       [&](const Sized &s) { return s.all.front().same_size(found); });
        if (same == sizes.end()) {
            sizes.push_back({{found}});
        } else {
            same->all.push_back(found);
        }
    }
    std::stable_sort(sizes.begin(), sizes.end(),
                     [](const Sized &a, const Sized &b) { return a.terms() > b.terms(); });
    for (size_t left = most_sizes; left < sizes.size(); left++) {
        why_not.push_back(sizes[left].names() + (sizes[left].all.size() == 1 ? " stays" : " stay") +
                          " as written: convolutions of " + std::to_string(most_sizes) +
                          " sizes have more terms, and those of more are not looked at");
    }
    sizes.resize(std::min(sizes.size(), most_sizes));
    return sizes;
}

struct Choice {
    Candidate convolution;
    const Variant *variant;
};

int index_of(Pipeline pipeline, const std::string &function) {
    int index = 0;
    while (pipeline.get_func(index).name() != function) {
        index++;
    }
    return index;
}

/** Makes the `choices`, producers first: the points that one needs depend on its readers, and are said in few
 * words while these are as written. Returns the calls. */
std::vector<Prepared> make(const Pipeline &pipeline, std::vector<Choice> choices) {
    std::sort(choices.begin(), choices.end(),
              [](const Choice &a, const Choice &b) { return a.convolution.func < b.convolution.func; });
    std::vector<Prepared> calls;
    for (const Choice &c : choices) {
        const std::vector<std::pair<int, int>> change{
            {index_of(pipeline, c.convolution.function), tiles_in_group(c.convolution, *c.variant)}};
        c.variant->make(pipeline, change);
        calls.push_back({c.variant->call, change});
    }
    return calls;
}

std::vector<Choice> with(std::vector<Choice> choices, const Sized &more, const Variant &variant) {
    for (const Candidate &c : more.all) {
        choices.push_back({c, &variant});
    }
    return choices;
}

/** How everything may be computed: some convolutions by the algorithm, the rest as written. */
struct Way {
    std::vector<Choice> choices;
    const Variant *variant;  ///< of those that were chosen last; null: they stay as they were
    PlanAfter after;

    /** On the family's first processor. */
    Seconds seconds() const {
        return after.seconds();
    }
};

/** Of `ways` that one which is fastest on the family's first processor; of those that take nearly as long
 * there the one whose plan is good on all of it. */
size_t best_of(const std::vector<Way> &ways, const std::vector<Member> &family,
               const std::optional<Seconds> &limit) {
    size_t fastest = 0;
    for (size_t w = 1; w < ways.size(); w++) {
        fastest = ways[w].seconds() < ways[fastest].seconds() ? w : fastest;
    }
    std::vector<size_t> near;
    for (size_t w = 0; w < ways.size(); w++) {
        if (ways[w].seconds() < most_considered * ways[fastest].seconds()) {
            near.push_back(w);
        }
    }
    if (near.size() < 2 || family.size() < 2) {
        return fastest;
    }
    std::vector<std::vector<MemberSeconds>> held;
    for (const size_t w : near) {
        Planned planned = ways[w].after.planned;
        held.push_back(hold_on_family(ways[w].after.graph, family, {}, limit, planned));
    }
    return near[most_robust(held)];
}

/** Why the convolutions are computed as `taken` of `ways` has them, of which the first leaves them as they
 * are. */
std::string sentence(const Sized &of, const std::vector<Way> &ways, size_t taken,
                     const std::string &processor) {
    size_t told = taken > 0 ? taken : 1;  // of several that are not taken, the fastest
    for (size_t w = 1; taken == 0 && w < ways.size(); w++) {
        told = ways[w].seconds() < ways[told].seconds() ? w : told;
    }
    const int results = ways[told].variant->results;
    const std::string m = std::to_string(results), n = std::to_string(results + 2);
    const std::string tiles = " Winograd's algorithm in tiles of " + m + " x " + m + " results, " + n +
                              " x " + n + " products for each instead of " +
                              std::to_string(9 * results * results);
    const bool one = of.all.size() == 1;
    const Seconds with = ways[told].seconds(), without = ways.front().seconds();
    // What the first processor takes does not tell all: the other way may hold worse on the others.
    const bool for_family = (taken > 0) == (with >= without);
    const std::string times = instead(with, without) + (for_family ? " on " + processor : "");
    return taken > 0 ? of.names() + (one ? " is" : " are") + " computed by" + tiles + ": " + times +
                           (for_family ? ", but less on other processors of the target" : " for everything") +
                           " (disable=winograd leaves " + (one ? "it" : "them") + " as written)"
                     : of.names() + (one ? " stays a sum" : " stay sums") + " over windows: by" + tiles +
                           ", everything would take " + times +
                           (for_family ? ", but more on other processors of the target" : "");
}

}  // namespace

std::optional<PlanAfter> choose_winograd(const Pipeline &pipeline, const Target &target,
                                         const Machine &machine, const Parameters &p, Graph &graph,
                                         std::vector<Prepared> &prepared, std::vector<std::string> &changed) {
    if (graph.strict || graph.gpu || p.sample || p.disables("winograd")) {
        return std::nullopt;
    }
    const bool in_vectors = graph.functions_in_vectors;
    const std::vector<Member> family = choose_family(target, p);
    const auto plan = [&](const std::vector<Choice> &choices) {
        return plan_after([&](const Pipeline &copy) { make(copy, choices); }, pipeline, graph, target,
                          machine, p);
    };
    std::optional<Way> best;
    for (const Sized &of : candidates(graph, pipeline, p.packed, changed)) {
        const std::vector<Choice> before = best ? best->choices : std::vector<Choice>();
        const std::vector<const Variant *> variants = variants_for(of.all.front());
        std::vector<std::future<PlanAfter>> plans;
        for (const Variant *variant : variants) {
            plans.push_back(plan(with(before, of, *variant)));
        }
        std::vector<Way> ways{best ? std::move(*best) : Way{{}, nullptr, plan({}).get()}};
        for (size_t v = 0; v < variants.size(); v++) {
            ways.push_back({with(before, of, *variants[v]), variants[v], plans[v].get()});
        }
        const size_t taken = best_of(ways, family, p.compile_seconds);
        changed.push_back(sentence(of, ways, taken, machine.name));
        best = std::move(ways[taken]);
    }
    if (!best) {
        return std::nullopt;
    }
    const std::vector<Choice> &chosen = best->choices;
    const std::optional<Seconds> by_library =
        chosen.empty() ? std::nullopt : seconds_with_library(pipeline, target, machine, p, graph);
    if (by_library && *by_library <= best->seconds()) {
        changed.push_back("All convolutions stay sums over windows: with calls of " +
                          std::string(to_string(machine.library->library)) + " instead everything takes " +
                          instead(*by_library, best->seconds()));
        return std::nullopt;
    }
    if (!chosen.empty()) {
        const std::vector<Prepared> calls = make(pipeline, chosen);
        prepared.insert(prepared.end(), calls.begin(), calls.end());
        graph = read_graph(pipeline, target, Numerics::fast, in_vectors);
    }
    return std::move(best->after);
}

}  // namespace eutectic
