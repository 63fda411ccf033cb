#include "graph/read/assigned_region.h"

#include <algorithm>
#include <map>

#include "graph/data/ids.h"
#include "graph/read/calls.h"
#include "graph/read/quotients.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** A coordinate that an update writes at. */
struct Coordinate {
    const ReductionVariable *along = nullptr;  ///< null: one point
    Expr first;  ///< the point itself, or what is added to the reduction variable
};

std::optional<Coordinate> coordinate(const Definition &update, const Expr &arg) {
    if (!varies(arg)) {
        return Coordinate{nullptr, arg};
    }
    for (const ReductionVariable &rv : update.schedule().rvars()) {
        const Expr rest = simplify_shared(arg - Variable::make(Int(32), rv.var));
        if (expr_uses_var(arg, rv.var) && !varies(rest)) {
            return Coordinate{&rv, rest};
        }
    }
    return std::nullopt;
}

bool has_form(const Function &f) {
    if (!f.has_pure_definition() || f.has_extern_definition() || f.updates().size() != 1 ||
        f.definition().values().size() != 1) {
        return false;
    }
    const Definition &update = f.updates()[0];
    return is_const_one(update.predicate()) && !calls(update.values()[0], f.name());
}

}  // namespace

std::optional<Expr> assigned_region(const Function &f) {
    if (!has_form(f)) {
        return std::nullopt;
    }
    const Definition &update = f.updates()[0];
    std::map<std::string, Expr> at;
    Expr inside;
    for (DimId d = 0; d < f.dimensions(); d++) {
        const std::string &arg = f.args()[d];
        const Variable *own = update.args()[d].as<Variable>();
        if (own && own->name == arg) {
            continue;
        }
        const std::optional<Coordinate> c = coordinate(update, update.args()[d]);
        if (!c || (c->along && at.count(c->along->var))) {
            return std::nullopt;
        }
        const Expr point = Variable::make(Int(32), arg);
        Expr here = point == c->first;
        if (c->along) {
            const Expr first = c->along->min, last = first + c->along->extent - 1, r = point - c->first;
            here = r >= first && r <= last;
            at[c->along->var] = unsafe_promise_clamped(clamp(r, first, max(first, last)), first, last);
        }
        inside = inside.defined() ? inside && here : here;
    }
    if (!inside.defined() || at.size() != update.schedule().rvars().size()) {
        return std::nullopt;
    }
    const Expr assigned = substitute_shared(at, update.values()[0]), other = f.definition().values()[0];
    return select(inside, likely(assigned), other);
}

}  // namespace eutectic
