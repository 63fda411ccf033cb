#include <algorithm>

#include "base/user_error.h"
#include "schedules/calls/replace_calls.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

/** A Func's definitions, with one of its arguments moved to the front. */
class Transposed : public ReplaceCalls {
public:
    Transposed(const Internal::Function &f, int first)
        : ReplaceCalls(f.name(),
                       [this](const Internal::Call *load) { return at(load->args, load->value_index); }),
          f_(f),
          first_(first),
          made_(f.name() + "_transposed") {
    }

    void make() {
        std::vector<Var> args;
        for (const std::string &name : moved(f_.args())) {
            args.emplace_back(name);
        }
        const std::vector<Expr> &values = f_.definition().values();
        made_(args) = Tuple(values);
        for (const Internal::Definition &update : f_.updates()) {
            add(update);
        }
        made_.function().schedule().bounds() = f_.schedule().bounds();
    }

    /** What the other has at `args`. */
    Expr at(const std::vector<Expr> &args, int value) {
        return Internal::Call::make(made_.function(), moved(args), value);
    }

protected:
    using ReplaceCalls::visit;

    Expr visit(const Internal::Variable *op) override {
        return op->reduction_domain.defined() ? Internal::Variable::make(op->type, op->name, domain_)
                                              : Expr(op);
    }

private:
    const Internal::Function &f_;
    int first_;
    Func made_;
    Internal::ReductionDomain domain_;  // of the update that is being copied

    template<class T>
    std::vector<T> moved(std::vector<T> args) const {
        std::rotate(args.begin(), args.begin() + first_, args.begin() + first_ + 1);
        return args;
    }

    void add(const Internal::Definition &update) {
        domain_ = Internal::ReductionDomain();
        if (!update.schedule().rvars().empty()) {
            // Its condition may read the Func, too: of the other domain that would be the other Func.
            domain_ = Internal::ReductionDomain(update.schedule().rvars());
            domain_.set_predicate(mutate(update.predicate()));
        }
        const std::vector<Expr> args = mutate(moved(update.args())), values = mutate(update.values());
        made_.function().define_update(args, values, domain_);
    }
};

}  // namespace

void transpose_scans(Pipeline pipeline, const std::vector<std::pair<int, int>> &scans) {
    std::vector<Func> funcs;  // all before the first change, which adds to what get_func() counts
    for (const auto &[index, first] : scans) {
        funcs.push_back(pipeline.get_func(index));
        if (first < 0 || first >= funcs.back().dimensions()) {
            throw UserError("Argument " + std::to_string(first) + " of " + funcs.back().name() +
                            " was to come first, but it has " + std::to_string(funcs.back().dimensions()) +
                            ": count from 0.");
        }
    }
    for (size_t s = 0; s < scans.size(); s++) {
        Internal::Function f = funcs[s].function();
        Transposed transposed(f, scans[s].second);
        transposed.make();
        std::vector<Expr> args;
        for (const Var &v : funcs[s].args()) {
            args.emplace_back(v);
        }
        std::vector<Expr> &values = f.definition().values();
        for (size_t v = 0; v < values.size(); v++) {
            values[v] = transposed.at(args, static_cast<int>(v));
        }
        drop_updates(f);
    }
}

}  // namespace eutectic
