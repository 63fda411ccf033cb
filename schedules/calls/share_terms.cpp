// s(i) += e(x(i, k)) * a(i, k);  t(i) += e(x(i, k)), k over the same range   →   terms(i, k) = e(x(i, k)),
// which both read: whoever plans may compute it once for both, or inline it into each as before.
//
// Terms are compared with their loops named by position. What is shared is as large as can be, has a
// function in it that takes some instructions, and changes along what is summed up.

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/user_error.h"
#include "graph/read/shared.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

using Internal::Function;

/** A function of some instructions: not one that rounds or takes a root. */
bool is_function(const Expr &e) {
    static constexpr std::array<const char *, 13> names = {
        "exp", "log", "pow", "sin", "cos", "tan", "tanh", "sinh", "cosh", "atan", "asin", "acos", "erf"};
    const auto *call = e.as<Internal::Call>();
    return call && call->is_pure() && call->type.is_float() &&
           std::any_of(names.begin(), names.end(), [&](const std::string &name) {
               return call->name.rfind(name + "_f", 0) == 0 || call->name.rfind("fast_" + name, 0) == 0;
           });
}

/** As Sum::by_position names it. */
bool is_reduction_variable(const Expr &e) {
    const auto *v = e.as<Internal::Variable>();
    return v && v->name.rfind("reduced.", 0) == 0;
}

/** The one update of a sum, with its loops. */
struct Sum {
    Function func;
    std::vector<Expr> loops;          ///< its arguments, then its reduction variables
    std::vector<std::string> names;   ///< for people
    std::vector<Expr> by_position;    ///< variables for them, the same in all sums
    std::vector<Expr> mins, extents;  ///< of the reduction variables
    std::vector<Expr> values;         ///< over `by_position`, without lets
};

/** What its reduction variables are of; undefined where the values use none. */
Internal::ReductionDomain domain_of(const Internal::Definition &update) {
    Internal::ReductionDomain domain;
    for (const Expr &value : update.values()) {
        for_each_node(value, [&](const Expr &node) {
            const auto *v = node.as<Internal::Variable>();
            domain = v && v->reduction_domain.defined() ? v->reduction_domain : domain;
            return true;
        });
    }
    return domain;
}

/** Does a clamp keep a coordinate in a range that changes along what is summed up, as in gradients of
 * stencils? What is left of such sums goes into blocks, its window unrolled: 5 x 5 taps took half a minute to
 * compile (LLVM in Halide 21), for 6 % of the time. */
bool is_clamped(const std::vector<Expr> &values) {
    Contains reduced(is_reduction_variable);
    Contains clamped([&](const Expr &e) {
        return e.type() == Int(32) && (e.as<Internal::Min>() || e.as<Internal::Max>()) && reduced(e);
    });
    return std::any_of(values.begin(), values.end(), [&](const Expr &value) { return clamped(value); });
}

/** Nothing where `f` is not a Func with one update at its own arguments, behind no condition, that reduces.
 */
std::optional<Sum> sum_of(const Function &f) {
    if (!f.has_pure_definition() || f.updates().size() != 1 || f.update(0).schedule().rvars().empty() ||
        !Internal::is_const_one(f.update(0).predicate())) {
        return std::nullopt;
    }
    const Internal::Definition &update = f.updates()[0];
    Sum sum;
    sum.func = f;
    for (size_t d = 0; d < f.args().size(); d++) {
        const auto *v = update.args()[d].as<Internal::Variable>();
        if (!v || v->name != f.args()[d]) {
            return std::nullopt;
        }
        sum.loops.emplace_back(update.args()[d]);
        sum.names.push_back(f.args()[d]);
    }
    const Internal::ReductionDomain domain = domain_of(update);
    if (!domain.defined()) {
        return std::nullopt;
    }
    for (const Internal::ReductionVariable &r : update.schedule().rvars()) {
        sum.loops.push_back(Internal::Variable::make(Int(32), r.var, domain));
        sum.names.push_back(r.var);
        sum.mins.push_back(r.min);
        sum.extents.push_back(r.extent);
    }
    std::map<std::string, Expr> by;
    for (size_t l = 0; l < sum.loops.size(); l++) {
        const bool reduction = l >= f.args().size();
        sum.by_position.push_back(
            Internal::Variable::make(Int(32), (reduction ? "reduced." : "own.") + std::to_string(l)));
        by[sum.names[l]] = sum.by_position.back();
    }
    for (const Expr &value : update.values()) {
        sum.values.push_back(substitute_shared(by, without_lets(value)));
    }
    if (is_clamped(sum.values)) {
        return std::nullopt;
    }
    return sum;
}

/** Terms that may be shared, by number. */
class SharedTerms {
public:
    int number(const Expr &e) {
        return numbers_(e);
    }
    bool may_be_shared(const Expr &e) {
        return e.type().is_float() && has_function_(e) && is_reduced_(e);
    }
    /** The numbers of all in `values`. */
    std::set<int> all(const std::vector<Expr> &values) {
        std::set<int> found;
        for (const Expr &value : values) {
            for_each_node(value, [&](const Expr &e) {
                if (may_be_shared(e)) {
                    found.insert(number(e));
                }
                return has_function_(e) && is_reduced_(e);
            });
        }
        return found;
    }

private:
    ValueNumbers numbers_;
    Contains has_function_{is_function};
    Contains is_reduced_{is_reduction_variable};
};

/** A Func of `term` over those of the loops of `sum` that it uses, which are put into `loops`. */
Func make_terms(const Expr &term, const Sum &sum, std::vector<size_t> &loops) {
    std::map<std::string, Expr> by;
    std::vector<Var> args;
    for (size_t l = 0; l < sum.loops.size(); l++) {
        const auto *position = sum.by_position[l].as<Internal::Variable>();
        if (uses_variable(position->name)(term)) {
            const std::string name = sum.names[l].substr(0, sum.names[l].find('$'));
            const bool taken =
                std::any_of(args.begin(), args.end(), [&](const Var &v) { return v.name() == name; });
            args.emplace_back(taken ? name + std::to_string(l) : name);
            by[position->name] = args.back();
            loops.push_back(l);
        }
    }
    const std::string of = sum.func.name();
    Func terms(of.substr(0, of.find('$')) + "_terms");
    terms(args) = with_lets(substitute_shared(by, term));
    return terms;
}

/** Puts loads of Funcs in the place of terms that several of `sums` have. */
class Share : public Internal::IRGraphMutator {
public:
    explicit Share(std::vector<Sum> sums) : sums_(std::move(sums)) {
        for (const Sum &sum : sums_) {
            for (const int number : terms_.all(sum.values)) {
                sums_with_[number]++;
            }
        }
    }

    void run() {
        for (const Sum &sum : sums_) {
            current_ = &sum;
            std::map<std::string, Expr> back;
            for (size_t l = 0; l < sum.loops.size(); l++) {
                back[sum.by_position[l].as<Internal::Variable>()->name] = sum.loops[l];
            }
            Function f = sum.func;
            for (size_t i = 0; i < sum.values.size(); i++) {
                f.update(0).values()[i] = with_lets(substitute_shared(back, mutate(sum.values[i])));
            }
        }
    }

    using IRGraphMutator::mutate;
    Expr mutate(const Expr &e) override {
        if (!terms_.may_be_shared(e) || sums_with_[terms_.number(e)] < 2) {
            return IRGraphMutator::mutate(e);
        }
        auto [made, is_new] = made_.try_emplace(terms_.number(e));
        if (is_new) {
            made->second.func = make_terms(e, *current_, made->second.loops);
        }
        std::vector<Expr> args;
        for (const size_t l : made->second.loops) {
            args.push_back(current_->by_position[l]);
        }
        return made->second.func(args);
    }

private:
    struct Made {
        Func func;
        std::vector<size_t> loops;
    };
    std::vector<Sum> sums_;
    const Sum *current_ = nullptr;
    SharedTerms terms_;
    std::map<int, int> sums_with_;  ///< how many sums have the term of that number
    std::map<int, Made> made_;
};

/** Have both as many arguments, and loops over the same ranges? */
bool same_loops(const Sum &a, const Sum &b) {
    ValueNumbers numbers;
    const auto equal = [&](const std::vector<Expr> &of_a, const std::vector<Expr> &of_b) {
        return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                          [&](const Expr &x, const Expr &y) { return numbers(x) == numbers(y); });
    };
    return a.func.args().size() == b.func.args().size() && equal(a.mins, b.mins) &&
           equal(a.extents, b.extents);
}

}  // namespace

std::vector<std::pair<int, int>> sums_that_share_terms(const std::vector<std::pair<int, Function>> &funcs) {
    std::vector<std::pair<int, Sum>> sums;
    std::vector<std::set<int>> terms_of;
    SharedTerms terms;
    for (const auto &[index, f] : funcs) {
        if (std::optional<Sum> sum = sum_of(f)) {
            terms_of.push_back(terms.all(sum->values));
            sums.emplace_back(index, std::move(*sum));
        }
    }
    const auto share = [&](size_t i, size_t j) {
        return same_loops(sums[i].second, sums[j].second) &&
               std::any_of(terms_of[i].begin(), terms_of[i].end(),
                           [&](int term) { return terms_of[j].count(term) > 0; });
    };
    std::vector<std::pair<int, int>> found;
    std::vector<bool> taken(sums.size(), false);
    int number = 0;
    for (size_t i = 0; i < sums.size(); i++) {
        if (taken[i]) {
            continue;
        }
        const size_t before = found.size();
        for (size_t j = i + 1; j < sums.size(); j++) {
            if (!taken[j] && share(i, j)) {
                taken[j] = true;
                found.emplace_back(sums[j].first, number);
            }
        }
        if (found.size() > before) {
            found.insert(found.begin() + static_cast<std::ptrdiff_t>(before), {sums[i].first, number++});
        }
    }
    return found;
}

void share_terms(Pipeline pipeline, const std::vector<std::pair<int, int>> &sums) {
    std::map<int, std::vector<Sum>> together;
    for (const auto &[index, number] : sums) {
        const Func func = pipeline.get_func(index);
        std::optional<Sum> sum = sum_of(func.function());
        if (!sum) {
            throw UserError(
                "The terms of " + func.name() +
                " were to be shared, but it is no sum in one update at its own points: leave it as "
                "it is.");
        }
        together[number].push_back(std::move(*sum));
    }
    for (auto &[number, some] : together) {
        Share(std::move(some)).run();
    }
}

}  // namespace eutectic
