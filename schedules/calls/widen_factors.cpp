// c(j, i) += f32(a(k, i)) * f32(b(j, k)), of 16-bit floats   →   a_wide(k, i) = f32(a(k, i)), likewise
// b_wide; c(j, i) += a_wide(k, i) * b_wide(j, k)

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/user_error.h"
#include "graph/read/shared.h"
#include "schedules/calls/replace_calls.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

/** The load of 16-bit floats that `e` only widens; null: it is something else. */
const Internal::Call *widened_load(const Expr &e) {
    const auto *cast = e.as<Internal::Cast>();
    const auto *load = cast ? cast->value.as<Internal::Call>() : nullptr;
    return load && cast->type == Float(32) && load->type.is_float() && load->type.bits() == 16 &&
                   load->call_type == Internal::Call::Halide && load->func.defined()
               ? load
               : nullptr;
}

/** Does a loop of `f`'s update leave `load` as it is, so that what it reads is multiplied several times? */
bool is_used_again(const Internal::Call &load, const Internal::Function &f) {
    for (const std::string &arg : f.args()) {
        Contains uses = uses_variable(arg);
        if (std::none_of(load.args.begin(), load.args.end(), [&](const Expr &e) { return uses(e); })) {
            return true;
        }
    }
    return false;
}

/** Loads of factors of products in `update`, by the names of their Funcs. */
std::map<std::string, const Internal::Call *> factors(const Internal::Function &f,
                                                      const Internal::Definition &update) {
    std::map<std::string, const Internal::Call *> found;
    for (const Expr &value : update.values()) {
        for_each_node(value, [&](const Expr &node) {
            const auto *product = node.as<Internal::Mul>();
            for (const Expr &e : product ? std::vector<Expr>{product->a, product->b} : std::vector<Expr>()) {
                const Internal::Call *load = widened_load(e);
                if (load && load->name != f.name() && is_used_again(*load, f)) {
                    found.emplace(load->name, load);
                }
            }
            return true;
        });
    }
    return found;
}

/** Reads other Funcs in the place of widened loads. */
class ReadWide : public Internal::IRGraphMutator {
public:
    explicit ReadWide(std::map<std::string, Func> wide) : wide_(std::move(wide)) {
    }

protected:
    using IRGraphMutator::visit;

    Expr visit(const Internal::Cast *op) override {
        const Internal::Call *load = widened_load(op);
        const auto wide = load ? wide_.find(load->name) : wide_.end();
        if (wide == wide_.end()) {
            return IRGraphMutator::visit(op);
        }
        std::vector<Expr> args;
        for (const Expr &arg : load->args) {
            args.push_back(mutate(arg));
        }
        return wide->second(args);
    }

private:
    std::map<std::string, Func> wide_;
};

}  // namespace

bool widens_factors(const Internal::Function &f, int update) {
    return !factors(f, f.updates().at(static_cast<size_t>(update))).empty();
}

void widen_factors(Pipeline pipeline, const std::vector<std::pair<int, int>> &updates) {
    std::vector<Func> funcs;  // all before the first change, which adds to what get_func() counts
    for (const auto &update : updates) {
        funcs.push_back(pipeline.get_func(update.first));
    }
    for (size_t u = 0; u < updates.size(); u++) {
        const Internal::Function f = funcs[u].function();
        const int number = updates[u].second;
        if (number < 0 || number >= funcs[u].num_update_definitions() || !widens_factors(f, number)) {
            throw UserError("Factors in update " + std::to_string(number) + " of " + f.name() +
                            " were to be widened once for all products, but it multiplies no 16-bit floats "
                            "several times: leave it out.");
        }
        Internal::Definition update = f.updates()[static_cast<size_t>(number)];
        std::map<std::string, Func> wide;
        for (const auto &[name, load] : factors(f, update)) {
            std::vector<Var> args;
            for (size_t d = 0; d < load->args.size(); d++) {
                args.emplace_back("d" + std::to_string(d));
            }
            const std::vector<Expr> at(args.begin(), args.end());
            Func made(name + "_wide");
            made(args) =
                cast<float>(Internal::Call::make(Internal::Function(load->func), at, load->value_index));
            wide.emplace(name, made);
        }
        ReadWide read_wide(wide);
        update.mutate(&read_wide);
    }
}

}  // namespace eutectic
