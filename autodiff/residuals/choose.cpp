#include "autodiff/residuals/choose.h"

#include "autodiff/expr_tools.h"
#include "autodiff/guards.h"

#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

class FindTranscendental : public IRGraphVisitor {
public:
    bool found = false;

private:
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        found = found || op->call_type == Call::PureExtern || op->call_type == Call::Extern;
    }
};

bool is_cheap_body(const Function &f) {
    if (!f.has_pure_definition() || f.has_update_definition() || f.outputs() != 1) {
        return false;
    }
    FindTranscendental find;
    f.values()[0].accept(&find);
    return !find.found;
}

class Chooser {
public:
    Chooser(Tape &tape, const std::vector<Func> &gradients, const std::vector<Function> &order,
            const std::map<Element, std::string> &outputs, const std::set<std::string> &taken)
        : tape_(tape), gradients_(gradients), order_(order), outputs_(outputs), names_(taken) {
    }

    std::vector<KeptTensor> run() {
        collect();
        for (const Function &f : order_) {
            for (int element = 0; element < f.outputs(); element++) {
                decide_value(f, element);
            }
        }
        for (const std::string &name : reached_) {
            if (tape_.placeholders().at(name).is_made) {
                decide_made(tape_.placeholders().at(name));
            }
        }
        bind();
        return kept_;
    }

private:
    // The placeholders that the gradients reach. Made ones in the order of their forward Funcs' walk, reversed: forward order.
    void collect() {
        std::set<std::string> seen;
        for (const auto &[name, f] : build_environment(functions())) {
            if (tape_.placeholders().count(name)) {
                seen.insert(name);
            }
        }
        for (const std::string &name : tape_.placeholder_order()) {
            if (seen.count(name)) {
                reached_.insert(reached_.begin(), name);
            }
        }
        for (const std::string &name : reached_) {
            const Placeholder &p = tape_.placeholders().at(name);
            if (!p.is_made) {
                needed_.insert({p.of.name(), p.value_index});
            }
        }
    }

    std::vector<Function> functions() const {
        std::vector<Function> result;
        for (const Func &g : gradients_) {
            result.push_back(g.function());
        }
        return result;
    }

    // Can f be written out of inputs and of what is kept so far?
    bool at_hand(const Function &f) const {
        if (input_of(f).defined() || kept_index_.count({f.name(), 0})) {
            return true;
        }
        return can_recompute(f);
    }
    bool can_recompute(const Function &f) const {
        if (!is_cheap_body(f)) {
            return false;
        }
        for (const Call *call : calls_in(f.values()[0])) {
            const bool known = call->call_type == Call::Image || kept_index_.count({call->name, call->value_index}) != 0;
            if (!known && !(call->call_type == Call::Halide && at_hand(callee(call)))) {
                return false;
            }
        }
        return true;
    }

    void decide_value(const Function &f, int element) {
        if (!needed_.count({f.name(), element}) || (!outputs_.count({f.name(), element}) && can_recompute(f))) {
            return;
        }
        KeptTensor kept;
        kept.of = f;
        kept.value_index = element;
        kept.type = f.output_types()[static_cast<size_t>(element)];
        kept.region = tape_.region(f);
        const auto output = outputs_.find({f.name(), element});
        if (output != outputs_.end()) {
            kept.kind = "output";
            kept.name = output->second;
        } else {
            kept.kind = "saved";
            kept.name = unused("residual_" + tensor_name(f) + (f.outputs() > 1 ? "_" + std::to_string(element) : ""));
        }
        keep(kept);
        kept_index_[{f.name(), element}] = kept_.size() - 1;
    }

    void decide_made(const Placeholder &p) {
        if (p.made.instead_of.get_contents().defined() && at_hand(p.made.instead_of)) {
            return;
        }
        KeptTensor kept;
        kept.kind = p.made.kind;
        kept.made = p.made;
        kept.type = p.made.type;
        kept.region = p.made.region;
        kept.name = unused("residual_" + p.made.kind);
        keep(kept);
        made_index_[p.func.name()] = kept_.size() - 1;
    }

    std::string unused(const std::string &name) {
        std::string result = name;
        for (int n = 2; !names_.insert(result).second; n++) {
            result = name + "_" + std::to_string(n);
        }
        return result;
    }

    void keep(KeptTensor kept) {
        if (kept.kind != "output") {
            kept.func = Func(kept.name);  // first, so that this Func and no other gets the plain name
        }
        kept.param = ImageParam(kept.type, static_cast<int>(kept.region.size()), kept.name);
        kept_.push_back(kept);
    }

    // The value of f at args in the backward.
    Expr read(const Function &f, int element, const std::vector<Expr> &args) const {
        if (input_of(f).defined()) {
            return Func(f)(args);
        }
        const auto kept = kept_index_.find({f.name(), element});
        if (kept != kept_index_.end()) {
            return kept_[kept->second].param(args);
        }
        return map_calls(value_at(f, args), [&](const Call *call) -> Expr {
            return call->call_type == Call::Halide ? read(callee(call), call->value_index, call->args) : Expr();
        });
    }

    Expr bound(const Call *call) const {
        const auto it = tape_.placeholders().find(call->name);
        if (it == tape_.placeholders().end()) {
            return Expr();
        }
        const Placeholder &p = it->second;
        if (!p.is_made) {
            return read(p.of, p.value_index, call->args);
        }
        const auto kept = made_index_.find(call->name);
        if (kept == made_index_.end()) {
            return p.made.read_value(read(p.made.instead_of, 0, call->args));
        }
        const KeptTensor &tensor = kept_[kept->second];
        return p.made.read([&](const std::vector<Expr> &args) { return tensor.param(args); }, call->args);
    }

    void bind() {
        for (auto &[name, f] : build_environment(functions())) {
            if (tape_.placeholders().count(name) || input_of(f).defined()) {
                continue;
            }
            const auto rebind = [&](Definition &definition, bool sums) {
                for (Expr &value : definition.values()) {
                    const Expr open = map_calls(substitute_in_all_lets(value), [&](const Call *call) { return bound(call); });
                    value = common_subexpression_elimination(sums ? with_padded_loads(open) : open);
                }
                for (Expr &arg : definition.args()) {
                    arg = map_calls(arg, [&](const Call *call) { return bound(call); });
                }
                definition.predicate() = map_calls(definition.predicate(), [&](const Call *call) { return bound(call); });
            };
            rebind(f.definition(), false);
            for (size_t u = 0; u < f.updates().size(); u++) {
                rebind(f.update(static_cast<int>(u)), f.outputs() == 1);
            }
        }
    }

    Tape &tape_;
    const std::vector<Func> &gradients_;
    const std::vector<Function> &order_;
    const std::map<Element, std::string> &outputs_;
    std::vector<std::string> reached_;
    std::set<std::pair<std::string, int>> needed_;
    std::vector<KeptTensor> kept_;
    std::map<std::pair<std::string, int>, size_t> kept_index_;
    std::map<std::string, size_t> made_index_;
    std::set<std::string> names_;
};

}  // namespace

std::vector<KeptTensor> choose_and_bind(Tape &tape, const std::vector<Func> &gradients, const std::vector<Function> &order,
                                        const std::map<Element, std::string> &outputs, const std::set<std::string> &taken) {
    return Chooser(tape, gradients, order, outputs, taken).run();
}

}  // namespace eutectic
