#include "graph/read/updates.h"

#include <map>

#include "graph/data/ids.h"
#include "graph/read/read_expr.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

bool writes_own_point(const Function &f, const Definition &def) {
    for (DimId d = 0; d < f.dimensions(); d++) {
        const Variable *v = def.args()[d].as<Variable>();
        if (!v || v->name != f.args()[d]) {
            return false;
        }
    }
    return true;
}

namespace {

bool are_equal(const Expr &a, const Expr &b) {
    const Expr written = without_lets(b);
    if (graph_equal(a, written)) {
        return true;
    }
    return is_small(a) && is_small(written) && can_prove(a == b);  // of others, nothing is proved
}

}  // namespace

bool reads_other_points(const Function &f, const Definition &def) {
    bool other = false;
    for (const Expr &value : def.values()) {
        for_each_load(without_lets(value), [&](const Call *load) {
            for (DimId d = 0; load->name == f.name() && d < f.dimensions(); d++) {
                other = other || !are_equal(load->args[d], def.args()[d]);
            }
        });
    }
    return other;
}

namespace {

/** Replaces what does not read `func` by variables where it is large: of an accumulated term no proof needs
 *  to know what it is, and proofs take the square of an expression's size. */
class StandIns : public IRGraphMutator {
public:
    explicit StandIns(const std::string &func)
        : reads_func_([func](const Expr &e) {
              const Call *call = e.as<Call>();
              return call && call->name == func;
          }) {
    }
    std::map<std::string, Expr> terms;  ///< by the variables that stand for them

    using IRGraphMutator::mutate;
    Expr mutate(const Expr &e) override {
        if (!e.defined() || reads_func_(e) || is_small(e)) {
            return IRGraphMutator::mutate(e);
        }
        const auto stand_in = stand_ins_.find(e);
        if (stand_in != stand_ins_.end()) {
            return stand_in->second;
        }
        const std::string name = unique_name("term");
        terms[name] = e;
        return stand_ins_[e] = Variable::make(e.type(), name);
    }

private:
    Contains reads_func_;
    std::map<Expr, Expr, ExprCompare> stand_ins_;
};

}  // namespace

AssociativeOp associativity(const Function &f, const Definition &def) {
    StandIns stand_ins(f.name());
    std::vector<Expr> values;
    for (const Expr &value : def.values()) {
        values.push_back(is_small(value) ? value : stand_ins.mutate(without_lets(value)));
    }
    AssociativeOp op = prove_associativity(f.name(), def.args(), values);
    for (size_t y = 0; y < op.ys.size() && !stand_ins.terms.empty(); y++) {
        Expr &term = op.ys[y].expr;
        term = term.defined() ? substitute_shared(stand_ins.terms, term) : term;
    }
    return op;
}

bool starts_neutral(const Function &f, const AssociativeOp &op) {
    const Expr operation = op.pattern.ops[0], start = simplify_shared(f.definition().values()[0]);
    const Expr neutral = simplify(op.pattern.identities[0]);
    return operation.as<Min>() || operation.as<Max>() || graph_equal(start, neutral);
}

}  // namespace eutectic
