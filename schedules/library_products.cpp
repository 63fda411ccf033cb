#include "schedules/library_products.h"

#include <algorithm>
#include <limits>

#include "base/user_error.h"
#include "graph/read/product.h"
#include "machine/calibration.h"
#include "schedules/priced_calls.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Products that a library computes: Funcs as Pipeline::get_func() counts, and tasks of a call
 * (multiply_by_eigen() in rewrites.h). */
using Products = std::vector<std::pair<int, int>>;

/** Which products of a graph a library computes, and why not the others. */
struct ChosenProducts {
    std::string call;  ///< of rewrites.h
    Products products;
    std::vector<LibraryChoice> choices;
    std::vector<std::string> sentences;  ///< for a person: both times of each
    std::optional<Seconds> seconds;      ///< that everything takes then; unknown where none was tried
};

/** Predicted seconds of the best plan where a library computes these products. */
using PriceWith = std::function<Seconds(const Products &)>;

/** Each is two plans more: of a pipeline with more products, those with the most terms are looked at. */
constexpr size_t most_products = 16;

struct Candidate {
    int index = 0;  ///< of Pipeline::get_func()
    std::string name;
    double terms = 0;  ///< multiply-adds
};

/** Are its matrices' neighbours side by side, and has it columns? A convolution of each channel by itself
 * has none. */
bool suits_library(const MatrixProduct &p) {
    const auto own = [](const Factor &f, const Factor &other) {
        return std::any_of(f.indices.begin(), f.indices.end(),
                           [&](const FactorIndex &i) { return i.dim >= 0 && !other.has_dim(i.dim); });
    };
    return p.a.has_rows(p.b) && p.b.has_rows(p.a) && p.a.has_dim(0) != p.b.has_dim(0) &&
           (!p.convolution() || (own(p.a, p.b) && own(p.b, p.a)));
}

std::vector<Candidate> candidates(const Graph &graph, Pipeline pipeline, Library library) {
    std::vector<Candidate> all;
    for (const FuncId f : graph.funcs.ids()) {
        const FuncInfo &info = graph.funcs[f];
        if (!may_change_sum(info)) {
            continue;
        }
        const Internal::Function function = pipeline.get_func(info.pipeline_index).function();
        const std::optional<MatrixProduct> product = matrix_product(function);
        if (!product || !suits_library(*product) ||
            (function.output_types()[0].bits() == 64 && !multiplies_doubles(library))) {
            continue;
        }
        double terms = 1;
        for (const Dim &d : graph.last_stage(f).dims) {
            terms *= static_cast<double>(d.extent);
        }
        all.push_back({info.pipeline_index, info.name, terms});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate &a, const Candidate &b) { return a.terms > b.terms; });
    return all;
}

std::string sentence(const LibraryChoice &c) {
    const std::string how = c.whole ? ", the whole at once on all threads" : ", on one thread for each block",
                      times = instead(c.with_call, c.without_call);
    return c.taken
               ? c.func + " is multiplied by " + c.library + how + ": " + times +
                     " for everything (library=none leaves it to loops)"
               : c.func + " is left to loops: with " + c.library + how + ", everything would take " + times;
}

/** Takes products one after the other, the largest first, to `machine.library`, on blocks or as a whole,
 * whichever makes the whole plan faster, while it does. */
ChosenProducts choose_products(const Graph &graph, const Pipeline &pipeline, const Machine &machine,
                               const PriceWith &price) {
    const Library library = machine.library->library;
    const std::string name = to_string(library);
    ChosenProducts chosen;
    chosen.call = "multiply_by_" + name;
    std::vector<Candidate> all = candidates(graph, pipeline, library);
    if (all.empty()) {
        chosen.sentences.push_back(
            "library=" + name + " finds no product of matrices, and no convolution, of floats" +
            (multiplies_doubles(library) ? " or doubles" : "") + " whose rows lie side by side");
        return chosen;
    }
    for (size_t left = most_products; left < all.size(); left++) {
        chosen.sentences.push_back(all[left].name + " is not looked at for " + name + ": " +
                                   std::to_string(most_products) + " products are larger");
    }
    all.resize(std::min(all.size(), most_products));
    Seconds best = price({});
    for (const Candidate &c : all) {
        const Seconds before = best;
        Seconds least = std::numeric_limits<Seconds>::infinity();
        int taken = 0;
        for (const int tasks : {1, machine.cores}) {
            if (tasks == 1 && taken == 1) {
                continue;  // one core: a call on the whole is one on a block
            }
            Products with = chosen.products;
            with.emplace_back(c.index, tasks);
            const Seconds seconds = price(with);
            if (seconds < least) {
                least = seconds;
                taken = tasks;
            }
        }
        const bool better = least < before;
        chosen.choices.push_back({c.name, name, better, taken != 1, least, before});
        chosen.sentences.push_back(sentence(chosen.choices.back()));
        if (better) {
            chosen.products.emplace_back(c.index, taken);
            best = least;
        }
    }
    chosen.seconds = best;
    return chosen;
}

void multiply_by(Library library, const Pipeline &pipeline, const Products &products) {
    switch (library) {
    case Library::eigen: multiply_by_eigen(pipeline, products); break;
    case Library::openblas: multiply_by_openblas(pipeline, products); break;
    case Library::onednn: multiply_by_onednn(pipeline, products); break;
    }
}

ChosenProducts choose_products(const Pipeline &pipeline, const Target &target, const Machine &machine,
                               const Parameters &p, const Graph &graph) {
    return choose_products(graph, pipeline, machine, [&](const Products &products) {
        return seconds_after([&](const Pipeline &copy) { multiply_by(*p.library, copy, products); }, pipeline,
                             graph, target, machine, p);
    });
}

}  // namespace

Machine with_library(Machine machine, const Parameters &p) {
    if (p.library) {
        machine.library =
            p.machine_file.empty() ? preset_rates(*p.library) : library_rates(p.machine_file, *p.library);
    }
    return machine;
}

/** Why no library may be called, as a refusal. */
void check_library(const Target &target, const Parameters &p) {
    if (p.library && target.has_feature(Target::StrictFloat)) {
        throw UserError(
            std::string("The library ") + to_string(*p.library) +
            " was asked for, but numerics are strict, and a library adds up the terms of a product in "
            "an order of its own: leave library out, or plan with fast numerics.");
    }
    if (p.library && target.has_gpu_feature()) {
        throw UserError(std::string("The library ") + to_string(*p.library) +
                        " was asked for, which computes on CPUs, but the target " + target.to_string() +
                        " is for kernels on a device: leave library out for this target.");
    }
}

std::optional<Seconds> seconds_with_library(const Pipeline &pipeline, const Target &target,
                                            const Machine &machine, const Parameters &p, const Graph &graph) {
    return machine.library && !p.sample ? choose_products(pipeline, target, machine, p, graph).seconds
                                        : std::nullopt;
}

/** Leaves products to a library where that is predicted faster; the graph is then read anew. */
void choose_library_products(const Pipeline &pipeline, const Target &target, const Machine &machine,
                             const Parameters &p, Graph &graph, std::vector<Prepared> &prepared,
                             std::vector<std::string> &changed) {
    if (!machine.library || p.sample) {
        return;
    }
    const ChosenProducts chosen = choose_products(pipeline, target, machine, p, graph);
    changed.insert(changed.end(), chosen.sentences.begin(), chosen.sentences.end());
    if (!chosen.products.empty()) {
        multiply_by(*p.library, pipeline, chosen.products);
        prepared.push_back({chosen.call, chosen.products});
        graph = read_graph(pipeline, target, Numerics::fast, graph.functions_in_vectors);
    }
    graph.library_choices = chosen.choices;
}

}  // namespace eutectic
