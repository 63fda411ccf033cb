#include "graph/read/accumulation.h"

#include <set>

#include "graph/data/ids.h"
#include "graph/read/calls.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** Does `e` name f at the point that the update `def` writes, which is f's own? */
bool is_own_point(const Function &f, const Definition &def, const Expr &e) {
    const Call *self = e.as<Call>();
    if (!self || self->name != f.name()) {
        return false;
    }
    for (DimId d = 0; d < f.dimensions(); d++) {
        const Variable *v = def.args()[d].as<Variable>();
        if (!v || v->name != f.args()[d] || !equal(self->args[d], def.args()[d])) {
            return false;
        }
    }
    return true;
}

template<typename Op>
std::optional<Accumulation> update_by(const Function &f, bool of_floats = true) {
    if (!f.has_pure_definition() || f.updates().size() != 1 || f.definition().values().size() != 1 ||
        f.output_types()[0].is_float() != of_floats) {
        return std::nullopt;
    }
    const Definition &def = f.updates()[0];
    const Expr value = without_lets(def.values()[0]);
    const Op *op = value.as<Op>();
    if (!op) {
        return std::nullopt;
    }
    const Call *left = op->a.template as<Call>();
    const bool first = left && left->name == f.name();
    const Accumulation found{first ? op->a : op->b, first ? op->b : op->a};
    return is_own_point(f, def, found.self) && !calls(found.term, f.name()) ? std::optional(found)
                                                                            : std::nullopt;
}

}  // namespace

std::optional<Accumulation> sum_update(const Function &f) {
    return update_by<Add>(f);
}

std::optional<Accumulation> sum_of_integers(const Function &f) {
    return update_by<Add>(f, false);
}

std::optional<Accumulation> maximum_update(const Function &f) {
    return update_by<Max>(f);
}

namespace {

class Take {
public:
    Take(bool divisors, const std::function<bool(const Expr &)> &wanted)
        : divisors_(divisors), wanted_(wanted) {
    }

    std::optional<Taken> from(const Expr &e) {
        if (without_.count(e.get())) {
            return std::nullopt;
        }
        std::optional<Taken> taken = look(e);
        if (!taken) {
            without_.insert(e.get());
        }
        return taken;
    }

private:
    const bool divisors_;
    const std::function<bool(const Expr &)> &wanted_;
    std::set<const IRNode *> without_;  // in which nothing is wanted: a power has one factor again and again

    std::optional<Taken> look(const Expr &e) {
        if (const Div *div = e.as<Div>()) {
            if (const auto t = from(div->a)) {
                return Taken{t->factor, t->rest / div->b};
            }
            return divisors_ && wanted_(div->b) ? std::optional<Taken>({div->b, div->a}) : std::nullopt;
        }
        if (const Mul *mul = e.as<Mul>()) {
            if (const auto t = from(mul->a)) {
                return Taken{t->factor, is_const_one(t->rest) ? mul->b : t->rest * mul->b};
            }
            if (const auto t = from(mul->b)) {
                return Taken{t->factor, is_const_one(t->rest) ? mul->a : mul->a * t->rest};
            }
            return std::nullopt;
        }
        return !divisors_ && wanted_(e) ? std::optional<Taken>({e, make_one(e.type())}) : std::nullopt;
    }
};

}  // namespace

std::optional<Taken> take(const Expr &e, bool divisors, const std::function<bool(const Expr &)> &wanted) {
    return Take(divisors, wanted).from(e);
}

}  // namespace eutectic
