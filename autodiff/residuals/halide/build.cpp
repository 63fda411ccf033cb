#include "autodiff/residuals/halide/build.h"

#include "autodiff/estimates.h"
#include "autodiff/expr_tools.h"
#include "autodiff/residuals/choice/rates.h"
#include "autodiff/residuals/halide/checkpoint_segments.h"
#include "autodiff/residuals/halide/recomputable.h"
#include "autodiff/residuals/halide/sizes.h"
#include "autodiff/residuals/halide/value_ranges.h"

#include "graph/read/read_expr.h"

#include <algorithm>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

class Builder {
public:
    explicit Builder(const ResidualProblem &problem)
        : p_(problem), backward_(funcs_of_backward(problem)), sizes_(problem, backward_) {
    }

    BuiltGraph run() {
        find_read();
        find_needed();
        need_results();
        add_values();
        add_recipes();
        add_inverses();
        add_checkpoints(built_, p_.order);
        sizes_.add_scratch(built_);
        built_.graph.without_estimate = sizes_.without_estimate();
        return std::move(built_);
    }

private:
    static std::vector<Function> funcs_of_backward(const ResidualProblem &problem) {
        std::vector<Function> funcs = backward_funcs(problem.tape, problem.gradients);
        funcs.erase(
            std::remove_if(funcs.begin(), funcs.end(),
                           [&](const Function &f) { return problem.conditions.count(f.name()) != 0; }),
            funcs.end());
        return funcs;
    }

    void find_read() {
        for (const Function &f : backward_) {
            for (int element = 0; element < f.outputs(); element++) {
                for (const StageBody &body : stage_bodies(f, element)) {
                    for_each_call(body, [&](const Call *call) { read_.insert(call->name); });
                }
            }
        }
    }

    // The forward values that are read, and those that they are made of.
    void find_needed() {
        for (const auto &[name, placeholder] : p_.tape.placeholders()) {
            if (read_.count(name) && !placeholder.is_made) {
                need(placeholder.of, placeholder.value_index);
            } else if (read_.count(name)) {
                for (const Element &element : made_from(placeholder.made)) {
                    need(element);
                }
            }
        }
        for (const auto &[name, condition] : p_.conditions) {
            for (const Element &element : in_placeholders(condition.value)) {
                need(element);
            }
        }
        for (auto f = p_.order.rbegin(); f != p_.order.rend(); ++f) {
            for (int element = 0; element < f->outputs(); element++) {
                const bool is_passed = p_.outputs.count({f->name(), element}) && is_read(*f, element);
                if (needed_.count({f->name(), element}) && !is_passed) {
                    for (const Element &read : loads_of(*f)) {
                        need(read);
                    }
                }
            }
        }
    }
    // Outputs that a needed value can be computed back from, even if the backward does not read them.
    void need_results() {
        for (const Function &f : p_.order) {
            const auto applied =
                p_.outputs.count({f.name(), 0}) && p_.tape.has_region(f) ? applied_function(f) : std::nullopt;
            if (applied && needed_.count({applied->x.name(), 0})) {
                need(f, 0);
            }
        }
    }
    void need(const Function &f, int element) {
        if (!input_of(f).defined()) {
            needed_.insert({f.name(), element});
        }
    }
    void need(const Element &element) {
        needed_.insert(element);
    }

    std::set<Element> in_placeholders(const Expr &e) const {
        std::set<Element> result;
        for (const Call *call : calls_in(e)) {
            const auto p = p_.tape.placeholders().find(call->name);
            if (p != p_.tape.placeholders().end() && !p->second.is_made) {
                result.insert({p->second.of.name(), p->second.value_index});
            }
        }
        return result;
    }
    // What a made residual is computed from, through the Funcs of its own.
    std::set<Element> made_from(const MadeResidual &made) const {
        const Func f("recomputed");
        made.define(f);
        return sizes_.forward_loads(f);
    }

    int add(ResidualValue value, const ValueOrigin &source) {
        built_.graph.values.push_back(std::move(value));
        built_.sources.push_back(source);
        return static_cast<int>(built_.sources.size()) - 1;
    }

    void add_values() {
        for (const Function &f : p_.order) {
            for (int element = 0; element < f.outputs(); element++) {
                if (needed_.count({f.name(), element})) {
                    add_forward_value(f, element);
                }
            }
        }
        // Made residuals are asked for backwards through the forward.
        const std::vector<std::string> &order = p_.tape.placeholder_order();
        for (auto name = order.rbegin(); name != order.rend(); ++name) {
            const Placeholder &placeholder = p_.tape.placeholders().at(*name);
            if (placeholder.is_made && read_.count(*name)) {
                add_made_value(*name, placeholder.made, {{}, 0, *name, "", {}});
            }
        }
        for (const auto &[name, condition] : p_.conditions) {
            add_made_value(name, condition.mask, {{}, 0, "", name, {}});
        }
        for (const ResidualValue &value : built_.graph.values) {
            all_ += value.is_read ? value.bytes : 0;
        }
        places_ = sizes_.forward_places(all_);
        for (size_t v = 0; v < built_.sources.size(); v++) {
            built_.graph.values[v].keep_seconds = keep_seconds(v);
        }
        for (ResidualValue &value : built_.graph.values) {
            value.bytes = value.kind == "output" ? 0 : value.bytes;
        }
    }

    Seconds keep_seconds(size_t v) const {
        const ResidualValue &value = built_.graph.values[v];
        const ValueOrigin &source = built_.sources[v];
        if (value.kind == "output") {
            return seconds_to_read(p_.options.machine, value.bytes, all_);
        }
        const bool is_func = source.made.empty() && source.condition.empty();
        return (value.kind == "mask" ? seconds_to_pack(source) : 0) +
               seconds_to_keep(p_.options.machine, value.bytes, all_,
                               is_func ? places_.at(source.of.name()) : ForwardPlace::registers);
    }

    // Bits are packed by a loop of their own, which reads what the condition is on: no nest gathers eight of
    // its points in a byte.
    Seconds seconds_to_pack(const ValueOrigin &source) const {
        Seconds seconds = p_.options.machine.launch_seconds;
        for (const int of : indices(read_by_mask(source))) {
            const ResidualValue &value = built_.graph.values[of];
            const bool is_stored =
                value.kind == "output" || places_.at(built_.sources[of].of.name()) == ForwardPlace::memory;
            seconds += seconds_to_keep(p_.options.machine, value.bytes, all_,
                                       is_stored ? ForwardPlace::memory : ForwardPlace::registers);
        }
        return seconds;
    }
    std::set<Element> read_by_mask(const ValueOrigin &source) const {
        if (!source.condition.empty()) {
            return in_placeholders(p_.conditions.at(source.condition).value);
        }
        const Function &of = p_.tape.placeholders().at(source.made).made.instead_of;
        const bool is_input = !of.get_contents().defined() || input_of(of).defined();
        return is_input ? std::set<Element>() : std::set<Element>{{of.name(), 0}};
    }

    bool is_read(const Function &f, int element) const {
        for (const auto &[name, placeholder] : p_.tape.placeholders()) {
            if (!placeholder.is_made && placeholder.of.name() == f.name() &&
                placeholder.value_index == element && read_.count(name)) {
                return true;
            }
        }
        return false;
    }

    void add_forward_value(const Function &f, int element) {
        ResidualValue value;
        value.name = tensor_name(f) + (f.outputs() > 1 ? "_" + std::to_string(element) : "");
        value.bytes = sizes_.bytes(f, element);
        value.is_read = is_read(f, element);
        if (p_.outputs.count({f.name(), element})) {
            value.kind = "output";
        }
        built_.of_element[{f.name(), element}] = add(value, {f, element, "", "", {}});
    }

    void add_made_value(const std::string &name, const MadeResidual &made, const ValueOrigin &source) {
        ResidualValue value;
        value.name = made.kind;
        value.kind = made.kind;
        value.bytes = sizes_.bytes(made.region, made.type);
        value.is_read = true;
        built_.of_placeholder[name] = add(value, source);
    }

    void add_recipes() {
        for (size_t v = 0; v < built_.sources.size(); v++) {
            const ValueOrigin &source = built_.sources[v];
            ResidualValue &value = built_.graph.values[v];
            if (!source.made.empty()) {
                add_made_recipe(value, source);
            } else if (!source.condition.empty()) {
                add_condition_recipe(value, in_placeholders(p_.conditions.at(source.condition).value));
            } else if (value.kind != "output" || !value.is_read) {  // an output that is read is passed
                add_forward_recipe(value, source);
            }
        }
    }

    std::vector<int> indices(const std::set<Element> &elements) const {
        std::vector<int> result;
        for (const Element &element : elements) {
            result.push_back(built_.of_element.at(element));
        }
        return result;
    }
    std::string computed_from(const std::vector<int> &from) const {
        std::string names;
        for (const int source : from) {
            names += (names.empty() ? "" : ", ") + built_.graph.values[source].name;
        }
        return names.empty() ? "recomputed from inputs" : "recomputed from " + names;
    }

    void add_forward_recipe(ResidualValue &value, const ValueOrigin &source) {
        const Verdict verdict = may_recompute(source.of);
        if (!verdict) {
            value.refused.push_back(verdict.reason());
            return;
        }
        Recipe recipe;
        recipe.from = indices(loads_of(source.of));
        Work work = sizes_.work(source.of);
        work.tensor = value.bytes;
        recipe.seconds = seconds_to_make(p_.options.machine, work, all_);
        recipe.scratch = value.bytes;
        const Evaluations evaluations = sizes_.evaluations(source.of, source.element);
        work.tensor = 0;
        const Seconds written_out =
            seconds_in_loops(p_.options.machine, work, value.bytes, all_, evaluations);
        const bool is_pure =
            source.of.has_pure_definition() && !source.of.has_update_definition() && source.of.outputs() == 1;
        const bool may_write_out = is_pure && (is_cheap_body(source.of) ||
                                               (evaluations.times <= 1.001 && !is_read_in_forward(source)));
        recipe.how = computed_from(recipe.from);
        Recipe in_loop = recipe;
        in_loop.seconds = written_out;
        in_loop.scratch = 0;
        in_loop.in_tiles = sizes_.in_tiles(source.of, evaluations.times);
        in_loop.spares_tensor = written_out > recipe.seconds;
        if (!may_write_out || in_loop.spares_tensor) {
            recipe.seconds = may_write_out ? seconds_in_loops_or_tensor(p_.options.machine, work, value.bytes,
                                                                        all_, evaluations)
                                           : recipe.seconds;
            value.recipes.push_back(recipe);
        }
        if (may_write_out) {
            value.recipes.push_back(in_loop);
        }
        if (!is_decided_by_tensors(source.of)) {
            value.may_keep = false;
            value.why_not_kept = "no tensor decides it";
        }
    }
    // By another value that may be recomputed from it.
    bool is_read_in_forward(const ValueOrigin &source) const {
        for (const ValueOrigin &other : built_.sources) {
            if (other.made.empty() && other.condition.empty() &&
                loads_of(other.of).count({source.of.name(), source.element})) {
                return true;
            }
        }
        return false;
    }

    // Whether the forward compares and packs or the backward compares: the work is the same, and only what is
    // read counts.
    void add_condition_recipe(ResidualValue &value, const std::set<Element> &from) {
        value.recipes.push_back({false, false, indices(from), 0, 0, 0, 0, ""});
        value.recipes.back().how = computed_from(value.recipes.back().from);
    }
    void add_made_recipe(ResidualValue &value, const ValueOrigin &source) {
        const MadeResidual &made = p_.tape.placeholders().at(source.made).made;
        if (made.instead_of.get_contents().defined()) {
            add_condition_recipe(value, read_by_mask(source));
            return;
        }
        const Func f("recomputed");
        made.define(f);
        Work work = sizes_.work_of_made(f, made.region);
        work.tensor = value.bytes;
        value.recipes.push_back({false, false, indices(made_from(made)),
                                 seconds_to_make(p_.options.machine, work, all_), value.bytes, 0, 0, ""});
        value.recipes.back().how = computed_from(value.recipes.back().from);
    }

    void add_inverses() {
        const auto ranges = value_ranges(p_.order, p_.options.ranges);
        for (size_t v = 0; v < built_.sources.size(); v++) {
            const ValueOrigin &source = built_.sources[v];
            const auto applied =
                source.made.empty() && source.condition.empty() ? applied_function(source.of) : std::nullopt;
            const auto x = applied ? built_.of_element.find({applied->x.name(), 0}) : built_.of_element.end();
            if (x == built_.of_element.end() || built_.graph.values[x->second].kind == "output") {
                continue;
            }
            add_inverse(static_cast<int>(v), x->second, *applied, ranges);
        }
    }
    void add_inverse(int y, int x, const AppliedFunction &applied,
                     const std::map<std::pair<std::string, int>, ValueRange> &ranges) {
        ResidualValue &value = built_.graph.values[x];
        const std::string &name = built_.graph.values[y].name;
        const auto known = ranges.find({applied.x.name(), 0});
        const auto range = known == ranges.end() ? std::nullopt : std::optional(known->second);
        const Verdict verdict = may_invert(applied.f, value.name, name, range);
        if (!verdict) {
            value.refused.push_back(verdict.reason());
            return;
        }
        if (built_.sources[x].inverse) {
            return;
        }
        built_.sources[x].inverse = applied.f;
        Work work;
        work.add(summarize(inverse(applied.f, Variable::make(Float(32), "y"))),
                 sizes_.points(p_.tape.region(applied.x)));
        Recipe recipe{true, false, {y}, 0, 0, 0, ulps_of_inverse(applied.f, *range), ""};
        recipe.seconds =
            seconds_to_make(p_.options.machine, work, all_) * sizes_.evaluations(applied.x, 0).times;
        recipe.how = "computed back as " + inverse_text(applied.f, name) + ", off by at most " +
                     ulps_text(recipe.ulps) + " units in the last place";
        value.recipes.push_back(recipe);
    }

    const ResidualProblem &p_;
    const std::vector<Function> backward_;
    Sizes sizes_;
    std::set<std::string> read_;
    std::set<Element> needed_;
    BuiltGraph built_;
    Bytes all_ = 0;  // that the backward reads
    std::map<std::string, ForwardPlace> places_;
};

}  // namespace

BuiltGraph build_residual_graph(const ResidualProblem &problem) {
    return Builder(problem).run();
}

}  // namespace eutectic
