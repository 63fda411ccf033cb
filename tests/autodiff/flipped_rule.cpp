// The parts of gradient_check.h that make wrong rules and readable text.

#include "gradient_check.h"

#include "autodiff/expr_tools.h"

#include <sstream>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic::test {

RuleList with_flipped_sign(const RuleList &rules, const std::string &name) {
    // Forwards everything to the tape's own site, but the adjoint comes negated.
    class Flipped : public AdjointSite {
    public:
        explicit Flipped(AdjointSite &site) : site_(site) {
        }
        const Function &func() const override {
            return site_.func();
        }
        const SymbolicRegion &region() const override {
            return site_.region();
        }
        Expr adjoint(const std::vector<Expr> &args) override {
            return -site_.adjoint(args);
        }
        bool is_active(const Function &g) const override {
            return site_.is_active(g);
        }
        bool is_output(const Function &g) const override {
            return site_.is_output(g);
        }
        Expr value(const Function &g, const std::vector<Expr> &args) override {
            return site_.value(g, args);
        }
        Expr values_in(const Expr &e) override {
            return site_.values_in(e);
        }
        Expr made(const MadeResidual &r, const Type &t, const std::vector<Expr> &args) override {
            return site_.made(r, t, args);
        }
        void contribute(const Function &g, const Contribution &c, const SymbolicRegion *within) override {
            site_.contribute(g, c, within);
        }
        Func define(const std::string &n, const Contribution &d, const SymbolicRegion &r) override {
            return site_.define(n, d, r);
        }
        void chain(const std::vector<std::string> &vars, const SymbolicRegion &r, const Expr &inner,
                   const Expr &adjoint) override {
            site_.chain(vars, r, inner, adjoint);
        }

    private:
        AdjointSite &site_;
    };
    RuleList result = rules;
    for (DerivativeRule &rule : result) {
        if (rule.name == name) {
            rule.apply = [apply = rule.apply](AdjointSite &site) {
                Flipped flipped(site);
                return apply(flipped);
            };
        }
    }
    return result;
}

RuleList without_rule(const RuleList &rules, const std::string &name) {
    RuleList result;
    for (const DerivativeRule &rule : rules) {
        if (rule.name != name) {
            result.push_back(rule);
        }
    }
    return result;
}

std::string definitions(const Func &func) {
    std::ostringstream out;
    for (const auto &[name, f] : build_environment({func.function()})) {
        if (input_of(f).defined()) {
            continue;
        }
        for (const StageBody &body : stage_bodies(f)) {
            out << name << "(";
            for (size_t d = 0; d < body.args.size(); d++) {
                out << (d ? ", " : "") << body.args[d];
            }
            out << ") = " << body.value << "\n";
        }
    }
    return out.str();
}

}  // namespace eutectic::test
