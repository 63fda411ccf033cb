#include "schedules/hlpipe/trial.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/nearest.h"
#include "base/user_error.h"
#include "graph/read/copies.h"
#include "graph/read/order.h"
#include "graph/read/outputs.h"
#include "graph/read/read_expr.h"
#include "graph/read/regions.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** The pipeline's Funcs, producers first. */
Order order_of(const Pipeline &pipeline, std::vector<Function> &outputs) {
    Order order;
    for (const Func &f : pipeline.outputs()) {
        outputs.push_back(f.function());
        order.add(f.function());
    }
    return order;
}

/** The inputs that `e` loads, directly or through pure Funcs. */
class Sources : public IRGraphVisitor {
public:
    Sources(const Order &order, const Expr &e) : order_(order) {
        e.accept(this);
    }
    std::map<std::string, Type> inputs;

private:
    const Order &order_;
    std::set<std::string> seen_;
    using IRGraphVisitor::visit;

    void visit(const Call *op) override {
        if (op->call_type == Call::Image) {
            if (op->param.defined()) {
                inputs[op->param.name()] = op->param.type();
            }
            return;  // its indices are another matter
        }
        if (op->call_type != Call::Halide) {
            IRGraphVisitor::visit(op);
            return;
        }
        const auto id = order_.ids.find(op->name);
        if (id == order_.ids.end() || !seen_.insert(op->name).second) {
            return;
        }
        const Function &f = order_.functions[id->second];
        if (f.has_pure_definition() && !f.has_update_definition() && !f.has_extern_definition()) {
            f.definition().values()[op->value_index].accept(this);
        }
    }
};

/** Looks at one Func's definitions. */
class RangeReader : public IRGraphVisitor {
public:
    RangeReader(const Order &order, const Regions &regions, std::map<std::string, ImpliedRange> &ranges)
        : order_(order), regions_(regions), ranges_(ranges) {
    }

    void read(const Function &f) {
        if (!f.has_pure_definition() || f.has_extern_definition()) {
            return;
        }
        function_ = &f;
        loops_.clear();
        const auto box = regions_.boxes.find(f.name());
        for (size_t d = 0; d < f.args().size(); d++) {
            loops_[f.args()[d]] =
                box != regions_.boxes.end() && d < box->second.size() ? box->second[d] : Interval();
        }
        for (const Expr &e : f.definition().values()) {
            e.accept(this);
        }
        for (const Definition &u : f.updates()) {
            for (const ReductionVariable &rv : u.schedule().rvars()) {
                loops_[rv.var] = {at_estimates(rv.min), at_estimates(rv.min + rv.extent - 1)};
            }
            for (const Expr &e : u.values()) {
                e.accept(this);
            }
            for (size_t d = 0; d < u.args().size(); d++) {
                u.args()[d].accept(this);
                index(u.args()[d], loops_[f.args()[d]]);
            }
        }
    }

private:
    const Order &order_;
    const Regions &regions_;
    std::map<std::string, ImpliedRange> &ranges_;
    const Function *function_ = nullptr;
    std::map<std::string, Interval> loops_;
    using IRGraphVisitor::visit;

    /** The intersection of all that is known. */
    void narrow(const std::string &input, double low, double high) {
        const auto [at, is_new] = ranges_.emplace(input, ImpliedRange{low, high});
        if (!is_new && std::max(at->second.low, low) <= std::min(at->second.high, high)) {
            at->second = {std::max(at->second.low, low), std::min(at->second.high, high)};
        }
    }

    void narrow(const Expr &e, const Interval &to) {
        if (!to.is_bounded()) {
            return;
        }
        const auto low = as_const_int(at_estimates(to.min)), high = as_const_int(at_estimates(to.max));
        if (!low || !high) {
            return;
        }
        for (const auto &[input, type] : Sources(order_, e).inputs) {
            if (!type.is_float()) {
                narrow(input, static_cast<double>(*low), static_cast<double>(*high));
            }
        }
    }

    /** `e` indexes something whose coordinates are in `into`. */
    void index(const Expr &e, const Interval &into) {
        Scope<Interval> scope;
        for (const auto &[name, interval] : loops_) {
            scope.push(name, interval);
        }
        const Interval own = bounds_of_expr_in_scope(at_estimates(e), scope);
        narrow(e, is_clamped(own, e.type()) ? own : into);
    }

    /** Narrower than what the type can hold? */
    static bool is_clamped(const Interval &i, const Type &t) {
        if (!i.is_bounded()) {
            return false;
        }
        const auto low = as_const_int(simplify(i.min)), high = as_const_int(simplify(i.max));
        return low && high &&
               static_cast<double>(*high) - static_cast<double>(*low) <
                   std::pow(2.0, std::min(t.bits(), 16)) - 1;
    }

    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        static const std::set<std::string> positive = {"log", "sqrt", "pow", "fast_inverse_sqrt"};
        if (positive.count(op->name.substr(0, op->name.rfind("_f")))) {
            for (const auto &[input, type] : Sources(order_, op->args[0]).inputs) {
                if (type.is_float()) {
                    narrow(input, 0.125, 1);
                }
            }
        }
        for (size_t d = 0;
             d < op->args.size() && (op->call_type == Call::Halide || op->call_type == Call::Image); d++) {
            index(op->args[d], extent(op, d));
        }
    }

    /** Coordinates of what `op` loads from. */
    Interval extent(const Call *op, size_t d) const {
        if (op->call_type == Call::Image) {
            const Expr size =
                op->param.defined() ? op->param.extent_constraint_estimate(static_cast<int>(d)) : Expr();
            return size.defined()        ? Interval(0, simplify(size - 1))
                   : op->image.defined() ? Interval(op->image.dim(static_cast<int>(d)).min(),
                                                    op->image.dim(static_cast<int>(d)).max())
                                         : Interval();
        }
        const auto box = regions_.boxes.find(op->name);
        if (box != regions_.boxes.end() && d < box->second.size() && box->second[d].is_bounded()) {
            return box->second[d];
        }
        const auto id = order_.ids.find(op->name);
        const Call *buffer = id == order_.ids.end() ? nullptr : wrapped_buffer(order_.functions[id->second]);
        return buffer ? extent(buffer, d) : Interval();
    }

    void visit(const EQ *op) override {
        IRGraphVisitor::visit(op);
        compare(op->a, op->b);
        compare(op->b, op->a);
    }

    /** "label == j": a label is one of the loop's values. */
    void compare(const Expr &data, const Expr &loop) {
        Expr bare = loop;
        while (const Cast *cast = bare.as<Cast>()) {
            bare = cast->value;
        }
        if (const Variable *v = bare.as<Variable>()) {
            const auto known = loops_.find(v->name);
            if (known != loops_.end() && !data.type().is_float()) {
                narrow(data, known->second);
            }
        }
    }
};

class Externs : public IRGraphVisitor {
public:
    std::set<std::string> names;

private:
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        const bool outside = op->call_type == Call::Extern || op->call_type == Call::ExternCPlusPlus ||
                             op->call_type == Call::PureExtern;
        static const std::set<std::string> math = {"sqrt",
                                                   "sin",
                                                   "cos",
                                                   "tan",
                                                   "asin",
                                                   "acos",
                                                   "atan",
                                                   "atan2",
                                                   "sinh",
                                                   "cosh",
                                                   "tanh",
                                                   "asinh",
                                                   "acosh",
                                                   "atanh",
                                                   "exp",
                                                   "log",
                                                   "pow",
                                                   "floor",
                                                   "ceil",
                                                   "round",
                                                   "trunc",
                                                   "fast_inverse",
                                                   "fast_inverse_sqrt",
                                                   "is_nan",
                                                   "is_inf",
                                                   "is_finite",
                                                   "nan",
                                                   "inf",
                                                   "neg_inf",
                                                   "maxval",
                                                   "minval"};
        if (outside && !math.count(op->name.substr(0, op->name.rfind("_f"))) &&
            op->name.rfind("halide_", 0) != 0) {
            names.insert(op->name);
        }
    }
};

class NestCounter : public IRMutator {
public:
    explicit NestCounter(int *count) : count_(count) {
    }

private:
    int *count_;
    bool inside_ = false;
    using IRMutator::visit;

    Stmt visit(const ProducerConsumer *op) override {
        if (!op->is_producer || inside_) {
            return IRMutator::visit(op);
        }
        ++*count_;
        inside_ = true;
        Stmt s = IRMutator::visit(op);
        inside_ = false;
        return s;
    }
};

}  // namespace

std::map<std::string, ImpliedRange> implied_ranges(const Pipeline &pipeline) {
    std::vector<Function> outputs;
    const Order order = order_of(pipeline, outputs);
    const Regions regions = infer_regions(outputs, order.functions.elements());
    std::map<std::string, ImpliedRange> ranges;
    RangeReader reader(order, regions, ranges);
    for (const Function &f : order.functions) {
        reader.read(f);
    }
    return ranges;
}

std::vector<std::vector<std::pair<int, int>>> output_regions(const Pipeline &pipeline) {
    std::vector<Function> outputs;
    const Order order = order_of(pipeline, outputs);
    const Regions regions = infer_regions(outputs, order.functions.elements());
    std::vector<std::vector<std::pair<int, int>>> result;
    for (const Function &f : outputs) {
        std::vector<std::pair<int, int>> dims;
        for (const Interval &i : regions.boxes.at(f.name()).bounds) {
            const auto low = as_const_int(simplify(i.min)), high = as_const_int(simplify(i.max));
            dims.emplace_back(static_cast<int>(low.value_or(0)),
                              static_cast<int>(high.value_or(0) - low.value_or(0) + 1));
        }
        result.push_back(dims);
    }
    return result;
}

std::vector<std::string> extern_functions(const Pipeline &pipeline) {
    std::vector<Function> outputs;
    Externs found;
    for (const Function &f : order_of(pipeline, outputs).functions) {
        if (f.has_extern_definition()) {
            found.names.insert(f.extern_function_name());
        }
        f.accept(&found);
    }
    return {found.names.begin(), found.names.end()};
}

void count_loop_nests(Pipeline &pipeline, int *count) {
    *count = 0;
    pipeline.add_custom_lowering_pass(new NestCounter(count));
}

Func memory_of(const Pipeline &pipeline, const std::string &name) {
    const std::vector<Internal::Function> outputs = output_functions(pipeline);
    std::vector<std::string> known;
    std::map<std::string, Internal::Function> all = Internal::build_environment(outputs);
    for (auto &[other, f] : all) {
        f.lock_loop_levels();  // else they cannot be looked at
        known.push_back(other);
    }
    if (!all.count(name)) {
        throw UserError("The values of " + name + " were asked for, and there is no such Func: " +
                        nearest_or(name, known, "eutectic explain lists those that there are") + ".");
    }
    const Internal::Function &asked = all.at(name);
    const bool output = std::any_of(outputs.begin(), outputs.end(),
                                    [&](const Internal::Function &f) { return f.same_as(asked); });
    if (output || asked.schedule().compute_level().is_root()) {
        return Func(asked);
    }
    for (const auto &[reader, wrapper] : asked.wrappers()) {
        const Internal::Function copy(wrapper);
        if (copy.schedule().compute_level().is_root()) {
            return Func(copy);
        }
    }
    throw UserError("The values of " + name +
                    " were asked for, and this plan never has all of them in memory: add --unfused.");
}

}  // namespace eutectic
