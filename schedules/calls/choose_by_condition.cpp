// f(x, y) = e behind where(in(x, y) > 0)   →   f(x, y) = select(in(x, y) > 0, e, f(x, y))

#include <algorithm>

#include "base/user_error.h"
#include "graph/read/shared.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

/** The load of a Func or buffer that `e` is, or null. */
const Internal::Call *load_of(const Expr &e) {
    const auto *call = e.as<Internal::Call>();
    return call && (call->call_type == Internal::Call::Halide || call->call_type == Internal::Call::Image)
               ? call
               : nullptr;
}

bool loads(const Expr &e) {
    bool any = false;
    for_each_node(e, [&](const Expr &node) {
        any = any || load_of(node);
        return !any;
    });
    return any;
}

/** Does it load at places that are loaded? Outside of a condition they may be anywhere. */
bool loads_at_loaded(const Expr &e) {
    bool any = false;
    for_each_node(e, [&](const Expr &node) {
        const Internal::Call *load = load_of(node);
        any = any || (load && std::any_of(load->args.begin(), load->args.end(), loads));
        return !any;
    });
    return any;
}

/** The parts of a condition, all of which have to hold, with and without loads. */
struct Parts {
    std::vector<Expr> of_data, other;
};

Parts parts_of_condition(const Internal::Definition &definition) {
    Parts parts;
    for (const Expr &part : definition.split_predicate()) {
        (loads(part) ? parts.of_data : parts.other).push_back(part);
    }
    return parts;
}

Expr all_of(const std::vector<Expr> &conditions) {
    Expr all = Internal::const_true();
    for (const Expr &c : conditions) {
        all = Internal::is_const_one(all) ? c : all && c;
    }
    return all;
}

}  // namespace

bool chooses_by_condition(const Internal::Function &f, int update) {
    const Internal::Definition &definition = f.update(update);
    const Parts parts = parts_of_condition(definition);
    const auto any = [](const std::vector<Expr> &of, bool (*is)(const Expr &)) {
        return std::any_of(of.begin(), of.end(), is);
    };
    return !parts.of_data.empty() && definition.specializations().empty() && !any(definition.args(), loads) &&
           !any(definition.values(), loads_at_loaded) && !any(parts.of_data, loads_at_loaded);
}

void choose_by_condition(Pipeline pipeline, const std::vector<std::pair<int, int>> &updates) {
    std::vector<Internal::Function> functions;  // before any of them changes what the pipeline has
    for (const auto &[index, update] : updates) {
        functions.push_back(pipeline.get_func(index).function());
        const Internal::Function &f = functions.back();
        if (update < 0 || update >= static_cast<int>(f.updates().size()) ||
            !chooses_by_condition(f, update)) {
            throw UserError(
                "Update " + std::to_string(update) + " of " + f.name() +
                " was to choose values by its condition, but it has none that reads data at places "
                "of its own: leave it out.");
        }
    }
    for (size_t u = 0; u < updates.size(); u++) {
        Internal::Function &f = functions[u];
        Internal::Definition update = f.update(updates[u].second);
        const Parts parts = parts_of_condition(update);
        const Expr chosen = all_of(parts.of_data);
        for (size_t v = 0; v < update.values().size(); v++) {
            const Expr kept = Internal::Call::make(f, update.args(), static_cast<int>(v));
            update.values()[v] = select(chosen, update.values()[v], kept);
        }
        update.predicate() = all_of(parts.other);
    }
}

}  // namespace eutectic
