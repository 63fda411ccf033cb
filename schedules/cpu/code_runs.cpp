#include "schedules/cpu/code_runs.h"

#include <algorithm>

#include "graph/read/outputs.h"
#include "schedules/hlpipe/trial.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

class Counter : public IRVisitor {
public:
    Counter(const Module &module, CodeRuns &runs) : runs_(runs) {
        for (const LoweredFunc &f : module.functions()) {
            functions_.push_back(&f);
            first_.push_back(static_cast<int>(runs_.loops.size()));
            runs_.functions.push_back({f.name, "", 0});
            name_loops(f);
        }
    }

    void call(const std::string &name, const KnownValues &arguments, double times) {
        for (size_t f = 0; f < functions_.size(); f++) {
            if (functions_[f]->name != name) {
                continue;
            }
            const KnownValues values = std::exchange(values_, arguments);
            const double around = std::exchange(times_, times);
            const int next = std::exchange(next_, first_[f]);
            FunctionRuns &function = runs_.functions[f];
            function.calls = sum(function.calls, times);
            function.nest = nest_;
            functions_[f]->body.accept(this);
            values_ = values;
            times_ = around;
            next_ = next;
        }
    }

private:
    CodeRuns &runs_;
    std::vector<const LoweredFunc *> functions_;
    std::vector<int> first_;  ///< of each function, the number of loops before it
    KnownValues values_;
    double times_ = 1;  ///< that what is looked at runs; -1: not known
    int next_ = 0;
    std::string nest_;
    using IRVisitor::visit;

    static double sum(double a, double b) {
        return a < 0 || b < 0 ? -1 : a + b;
    }

    void name_loops(const LoweredFunc &f) {
        class Names : public IRVisitor {
        public:
            Names(const std::string &function, std::vector<LoopRuns> &loops)
                : function_(function), loops_(loops) {
            }

        private:
            const std::string &function_;
            std::vector<LoopRuns> &loops_;
            using IRVisitor::visit;
            void visit(const For *op) override {
                loops_.push_back({op->name, function_, "", 0});
                IRVisitor::visit(op);
            }
        } names(f.name, runs_.loops);
        f.body.accept(&names);
    }

    /** Looks at `body` with `name` known as `value`, `factor` times as often as what is around. */
    void inside(const std::string &name, const Known &value, std::optional<int64_t> factor,
                const Stmt &body) {
        const auto hidden = values_.find(name);
        const std::optional<Known> before =
            hidden == values_.end() ? std::nullopt : std::optional<Known>(hidden->second);
        const double around = times_;
        values_[name] = value;
        times_ = around == 0 ? 0 : around < 0 || !factor ? -1 : around * std::max<double>(0, *factor);
        body.accept(this);
        times_ = around;
        if (before) {
            values_[name] = *before;
        } else {
            values_.erase(name);
        }
    }

    void visit(const LetStmt *op) override {
        op->value.accept(this);  // a parallel loop's call may be in it
        inside(op->name, evaluate(op->value, values_), 1, op->body);
    }

    static Known middle(const Known &min, const Known &extent) {
        return min.number && extent.number ? Known{*min.number + *extent.number / 2, nullptr} : Known();
    }

    void visit(const For *op) override {
        const Known min = evaluate(op->min, values_), extent = evaluate(op->extent, values_);
        LoopRuns &loop = runs_.loops[next_++];
        loop.nest = nest_;
        const double turns = times_ == 0                    ? 0
                             : times_ < 0 || !extent.number ? -1
                                                            : times_ * std::max<double>(0, *extent.number);
        loop.turns = sum(loop.turns, turns);
        inside(op->name, middle(min, extent), extent.number, op->body);
    }

    void visit(const IfThenElse *op) override {
        const std::optional<int64_t> condition = evaluate(op->condition, values_).number;
        const double around = times_;
        times_ = condition && *condition == 0 ? 0 : around;
        op->then_case.accept(this);
        times_ = condition && *condition != 0 ? 0 : around;
        if (op->else_case.defined()) {
            op->else_case.accept(this);
        }
        times_ = around;
    }

    void visit(const ProducerConsumer *op) override {
        const bool outermost = op->is_producer && nest_.empty();
        nest_ = outermost ? op->name : nest_;
        op->body.accept(this);
        nest_ = outermost ? "" : nest_;
    }

    void visit(const Call *op) override {
        IRVisitor::visit(op);
        if (op->name != "halide_do_par_for" || op->args.size() != 4) {
            return;
        }
        Expr function = op->args[0];
        while (const auto *const cast = function.as<Cast>()) {
            function = cast->value;
        }
        while (const auto *const cast = function.as<Reinterpret>()) {
            function = cast->value;
        }
        const auto *const named = function.as<Variable>();
        if (!named) {
            return;
        }
        const std::string name = named->name.substr(named->name.rfind(':') + 1);
        const Known min = evaluate(op->args[1], values_), extent = evaluate(op->args[2], values_);
        const auto body = std::find_if(functions_.begin(), functions_.end(),
                                       [&](const LoweredFunc *f) { return f->name == name; });
        if (body == functions_.end() || (*body)->args.size() != 3) {
            return;
        }
        call(name,
             {{(*body)->args[1].name, middle(min, extent)},
              {(*body)->args[2].name, evaluate(op->args[3], values_)}},
             times_ == 0                    ? 0
             : times_ < 0 || !extent.number ? -1
                                            : times_ * static_cast<double>(*extent.number));
    }
};

void add_sizes(KnownValues &values, const std::string &name,
               const std::vector<std::pair<int64_t, int64_t>> &region) {
    int64_t stride = 1;
    for (size_t d = 0; d < region.size(); d++) {
        const std::string at = std::to_string(d);
        values[name + ".min." + at] = {region[d].first, nullptr};
        values[name + ".extent." + at] = {region[d].second, nullptr};
        values[name + ".stride." + at] = {stride, nullptr};
        stride *= region[d].second;
    }
}

}  // namespace

CodeRuns code_runs(const Module &module, const std::string &name, const KnownValues &arguments) {
    CodeRuns runs;
    Counter(module, runs).call(name, arguments, 1);
    return runs;
}

KnownValues estimated_arguments(const Pipeline &pipeline) {
    KnownValues values;
    for (const Argument &a : Pipeline(pipeline).infer_arguments()) {
        const ArgumentEstimates &estimates = a.argument_estimates;
        if (!a.is_buffer()) {
            const Known scalar = evaluate(estimates.scalar_estimate, {});
            if (scalar.number) {
                values[a.name] = scalar;
            }
            continue;
        }
        std::vector<std::pair<int64_t, int64_t>> region;
        for (const Range &r : estimates.buffer_estimates) {
            const std::optional<int64_t> min = evaluate(r.min, {}).number,
                                         extent = evaluate(r.extent, {}).number;
            if (!extent) {
                break;
            }
            region.emplace_back(min.value_or(0), *extent);
        }
        add_sizes(values, a.name, region);
    }
    const auto regions = output_regions(pipeline);
    const std::vector<Function> outputs = output_functions(pipeline);
    for (size_t f = 0; f < outputs.size(); f++) {
        const std::vector<std::pair<int64_t, int64_t>> region(regions[f].begin(), regions[f].end());
        const int elements = outputs[f].outputs();
        for (int e = 0; e < elements; e++) {
            add_sizes(values, outputs[f].name() + (elements > 1 ? "." + std::to_string(e) : ""), region);
        }
    }
    return values;
}

}  // namespace eutectic
