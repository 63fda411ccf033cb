#include "schedules/hlpipe/one_domain.h"

#include <map>
#include <string>
#include <vector>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

class OfDomain : public IRGraphMutator {
public:
    explicit OfDomain(const ReductionDomain &domain) : domain_(domain) {
    }

private:
    using IRGraphMutator::visit;

    Expr visit(const Variable *op) override {
        return op->reduction_domain.defined() ? Variable::make(op->type, op->name, domain_) : Expr(op);
    }

    const ReductionDomain domain_;
};

void use_one_domain(Definition &update) {
    const std::vector<ReductionVariable> &loops = update.schedule().rvars();
    if (loops.empty()) {
        return;
    }
    const ReductionDomain domain(loops);
    OfDomain mutator(domain);
    RDom conditions(domain);
    for (const Expr &condition : update.split_predicate()) {
        conditions.where(mutator.mutate(condition));
    }
    for (Expr &value : update.values()) {
        value = mutator.mutate(value);
    }
    for (Expr &arg : update.args()) {
        arg = mutator.mutate(arg);
    }
    if (update.predicate().defined()) {
        update.predicate() = mutator.mutate(update.predicate());
    }
}

}  // namespace

void use_one_domain_each(const Pipeline &pipeline) {
    std::vector<Function> outputs;
    for (const Func &f : Pipeline(pipeline).outputs()) {
        outputs.push_back(f.function());
    }
    for (const auto &[name, f] : build_environment(outputs)) {
        for (size_t u = 0; u < f.updates().size(); u++) {
            use_one_domain(Function(f).update(static_cast<int>(u)));
        }
    }
}

}  // namespace eutectic
