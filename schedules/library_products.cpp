#include "schedules/library_products.h"

#include <algorithm>
#include <limits>

#include "base/user_error.h"
#include "graph/read/product.h"
#include "machine/calibration.h"
#include "schedules/gpu/device_code.h"
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
    std::vector<std::string> sentences;  ///< for a person: both times of each
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

/** Has one of the matrices' dims neighbours side by side? Otherwise each call would copy the operand. */
bool has_rows(const Factor &factor, const Factor &other) {
    const int first = factor.dims.front();
    // A batch in the innermost dimension lies between the points of rows and columns.
    return first < 0 || std::find(other.dims.begin(), other.dims.end(), first) == other.dims.end();
}

bool result_has_rows(const MatrixProduct &p) {
    const auto has = [](const Factor &f) {
        return std::find(f.dims.begin(), f.dims.end(), 0) != f.dims.end();
    };
    return has(p.a) != has(p.b);
}

std::vector<Candidate> candidates(const Graph &graph, Pipeline pipeline, Library library) {
    std::vector<Candidate> all;
    for (const FuncId f : graph.funcs.ids()) {
        const FuncInfo &info = graph.funcs[f];
        if (info.input || info.user_scheduled || info.user_placed || !info.own_buffer_reason.empty() ||
            !info.between.empty() || info.stages.size() != 2) {
            continue;
        }
        const Internal::Function function = pipeline.get_func(info.pipeline_index).function();
        const std::optional<MatrixProduct> product = matrix_product(function);
        if (!product || !has_rows(product->a, product->b) || !has_rows(product->b, product->a) ||
            !result_has_rows(*product) ||
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

std::string instead(Seconds a, Seconds b) {
    return "a predicted " + format_seconds(a) + " instead of " + format_seconds(b);
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
        chosen.sentences.push_back("library=" + name + " finds no product of matrices of floats" +
                                   (multiplies_doubles(library) ? " or doubles" : "") +
                                   " whose rows lie side by side");
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
        const std::string how =
            taken == 1 ? ", on one thread for each block" : ", the whole at once on all threads";
        if (least < before) {
            chosen.products.emplace_back(c.index, taken);
            best = least;
            chosen.sentences.push_back(c.name + " is multiplied by " + name + how + ": " +
                                       instead(least, before) +
                                       " for everything (library=none leaves it to loops)");
        } else {
            chosen.sentences.push_back(c.name + " is left to loops: with " + name + how +
                                       ", everything would take " + instead(least, before));
        }
    }
    return chosen;
}

void multiply_by(Library library, const Pipeline &pipeline, const Products &products) {
    switch (library) {
    case Library::eigen: multiply_by_eigen(pipeline, products); break;
    case Library::openblas: multiply_by_openblas(pipeline, products); break;
    case Library::onednn: multiply_by_onednn(pipeline, products); break;
    }
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

/** Leaves products to a library where that is predicted faster; the graph is then read anew. */
void choose_library_products(const Pipeline &pipeline, const Target &target, const Machine &machine,
                             const Parameters &p, Graph &graph, std::vector<Prepared> &prepared,
                             std::vector<std::string> &changed) {
    const bool in_vectors = graph.functions_in_vectors;
    const ChosenProducts chosen = choose_products(graph, pipeline, machine, [&](const Products &products) {
        const Pipeline copy = copy_of(pipeline);
        multiply_by(*p.library, copy, products);
        return choose_plan(read_graph(copy, target, in_vectors), machine, p).plan.cost().total();
    });
    changed.insert(changed.end(), chosen.sentences.begin(), chosen.sentences.end());
    if (!chosen.products.empty()) {
        multiply_by(*p.library, pipeline, chosen.products);
        prepared.push_back({chosen.call, chosen.products});
        graph = read_graph(pipeline, target, in_vectors);
    }
}

}  // namespace eutectic
