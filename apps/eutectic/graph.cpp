#include "apps/eutectic/graph.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "apps/eutectic/generator.h"
#include "apps/eutectic/guard.h"
#include "apps/eutectic/pair.h"
#include "autodiff/batch.h"
#include "autodiff/bounds.h"
#include "autodiff/estimates.h"
#include "autodiff/expr_tools.h"
#include "base/nearest.h"
#include "base/user_error.h"
#include "schedules/hlpipe/strip.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** A node's pipeline, whose Funcs have names that no other has. */
struct Node {
    GraphNode told;
    std::vector<Parameter> inputs;
    std::vector<NamedOutput> outputs;
    std::vector<std::string> reads;  ///< nodes that it is bound to outputs of

    const Parameter *input(const std::string &name) const {
        const auto found =
            std::find_if(inputs.begin(), inputs.end(), [&](const Parameter &p) { return p.name() == name; });
        return found == inputs.end() ? nullptr : &*found;
    }
};

/** One element of an output. */
struct Output {
    std::string node, name;
    Func func;
    int element = 0;
};

/** What stands in an input's place. */
struct Source {
    std::optional<double> number;
    std::optional<Output> output;
    Parameter parameter;  ///< of the whole
    /** Of each dimension of an output, what its minimum and extent are. */
    std::function<Expr(const std::string &what, int d)> size = nullptr;
};

/** Reads sources instead of inputs. */
class Bind : public IRGraphMutator {
public:
    Bind(const std::map<std::string, Source> &sources, std::string subject)
        : sources_(sources), subject_(std::move(subject)) {
    }

private:
    using IRGraphMutator::visit;

    Expr visit(const Variable *op) override {
        const auto source = op->param.defined() ? sources_.find(op->param.name()) : sources_.end();
        if (source == sources_.end()) {
            return op;
        }
        const Source &by = source->second;
        if (!op->param.is_buffer()) {
            return by.number ? make_const(op->type, *by.number)
                             : Variable::make(op->type, by.parameter.name(), by.parameter);
        }
        const Expr size = replace_buffer_extents(op, [&](const Parameter &, const std::string &what, int d) {
            return by.parameter.defined()
                       ? Variable::make(Int(32), by.parameter.name() + "." + what + "." + std::to_string(d),
                                        by.parameter)
                   : by.size ? by.size(what, d)
                             : Expr();
        });
        if (size.same_as(op)) {
            throw UserError(subject_ + "." + op->param.name() +
                            " is bound to what has no buffer, and its size (" + op->name +
                            ") is asked for, which does not follow from inputs: make it an output of its own "
                            "and an input of another kernel.");
        }
        return size;
    }

    Expr visit(const Call *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const Call *call = e.as<Call>();
        const auto source = call->call_type == Call::Image && call->param.defined()
                                ? sources_.find(call->param.name())
                                : sources_.end();
        if (source == sources_.end()) {
            return e;
        }
        const Source &by = source->second;
        return by.number   ? make_const(call->type, *by.number)
               : by.output ? Call::make(Func(by.output->func).function(), call->args, by.output->element)
                           : Call::make(by.parameter, call->args);
    }

    const std::map<std::string, Source> &sources_;
    const std::string subject_;
};

std::vector<Function> functions_of(const std::vector<NamedOutput> &outputs) {
    std::vector<Function> functions;
    for (const NamedOutput &output : outputs) {
        functions.push_back(output.func.function());
    }
    return functions;
}

std::string after_point(const std::string &name) {
    return name.substr(name.rfind('.') + 1);
}

class Composition {
public:
    Composition(const GraphFile &graph, std::string path) : graph_(graph), path_(std::move(path)) {
    }

    LoadedPipeline compose(const std::string &executable, const std::string &target) {
        for (const GraphNode &node : graph_.nodes) {
            nodes_.push_back(load(node, executable, target));
        }
        bind();
        set_upstream();
        make_inputs();
        for (Node *node : producers_first()) {
            connect(*node);
        }
        return result();
    }

private:
    const GraphFile &graph_;
    const std::string path_;
    std::vector<Node> nodes_;
    std::map<std::string, Source> sources_;  // by "node.input"
    std::vector<Parameter> inputs_;          // of the whole

    [[noreturn]] void refuse(const std::string &what, const std::string &remedy) const {
        throw UserError("The graph " + path_ + " " + what + ": " + remedy + ".");
    }

    static Node load(const GraphNode &told, const std::string &executable, const std::string &target) {
        const ScratchFolder folder(std::filesystem::temp_directory_path().string());
        GeneratorCall call{executable, told.generator + (told.gradient.empty() ? "" : "_gradient"),
                           told.parameters};
        std::string by;
        for (const std::string &input : told.gradient) {
            by += (by.empty() ? "" : ",") + input;
        }
        if (!by.empty()) {
            call.parameters.push_back("gradient_wrt=" + by);
        }
        const std::string file = folder.file("node.hlpipe");
        save_generator(call, target, file);
        const LoadedPipeline loaded = PipelineFile(file, {}).load();
        strip(loaded.pipeline);
        DifferentiationProblem problem = problem_of(loaded);
        // Batches are made of new Funcs; of nothing that is read, of the same ones under names of their own.
        const Parameter nothing(Float(32), false, 0, unique_name("nothing"));
        problem.inputs.push_back(nothing);
        Batched renamed = batch(problem.inputs, problem.outputs, {nothing.name()}, 1);
        renamed.inputs.pop_back();
        return {told, renamed.inputs, renamed.outputs, {}};
    }

    Node *node(const std::string &name) {
        const auto found =
            std::find_if(nodes_.begin(), nodes_.end(), [&](const Node &n) { return n.told.name == name; });
        return found == nodes_.end() ? nullptr : &*found;
    }

    std::vector<Output> outputs_of(const Node &of) const {
        std::vector<Output> all;
        for (const NamedOutput &output : of.outputs) {
            for (int element = 0; element < Func(output.func).outputs(); element++) {
                all.push_back({of.told.name, output_name(output, element), output.func, element});
            }
        }
        return all;
    }

    /** All inputs, or all outputs, as "node.name". */
    std::vector<std::string> all(bool of_inputs) const {
        std::vector<std::string> names;
        for (const Node &n : nodes_) {
            for (const Parameter &p : of_inputs ? n.inputs : std::vector<Parameter>()) {
                names.push_back(n.told.name + "." + p.name());
            }
            for (const Output &o : of_inputs ? std::vector<Output>() : outputs_of(n)) {
                names.push_back(o.node + "." + o.name);
            }
        }
        return names;
    }

    void check_known(const std::string &name, const std::string &as, std::vector<std::string> known) const {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            const std::string near = nearest(name, known);
            refuse("names " + name + ", which is no " + as + " of its nodes",
                   near.empty() ? "give one such as " + known.front() : "the nearest is " + near);
        }
    }

    std::optional<Output> output(const std::string &name) const {
        for (const Node &n : nodes_) {
            for (const Output &o : outputs_of(n)) {
                if (o.node + "." + o.name == name) {
                    return o;
                }
            }
        }
        return std::nullopt;
    }

    const Parameter &input(const std::string &name) {
        return *node(name.substr(0, name.find('.')))->input(after_point(name));
    }

    std::map<std::string, std::string> shared_;  // inputs that are other nodes' inputs

    void bind() {
        const std::vector<std::string> inputs = all(true);
        std::vector<std::string> ends = all(false);
        ends.insert(ends.end(), inputs.begin(), inputs.end());
        for (const GraphBinding &b : graph_.bindings) {
            check_known(b.input, "input", inputs);
            if (b.number) {
                sources_[b.input].number = b.number;
                continue;
            }
            check_known(b.source, "output or input", ends);
            const std::optional<Output> from = output(b.source);
            const Parameter &to = input(b.input);
            const Type type = from ? Func(from->func).types()[from->element] : input(b.source).type();
            const int dimensions = from                          ? Func(from->func).dimensions()
                                   : input(b.source).is_buffer() ? input(b.source).dimensions()
                                                                 : 0;
            if (type != to.type() || dimensions != (to.is_buffer() ? to.dimensions() : 0) ||
                (from && !to.is_buffer())) {
                refuse("binds " + b.input + " to " + b.source + ", which is of another type or has " +
                           std::to_string(dimensions) + " dimensions",
                       "bind what is alike");
            }
            if (from) {
                sources_[b.input].output = from;
                node(b.input.substr(0, b.input.find('.')))->reads.push_back(from->node);
            } else {
                shared_[b.input] = b.source;
            }
        }
    }

    /** d_y is 1 where y is a single value and nobody says anything else. */
    void set_upstream() {
        for (const Node &n : nodes_) {
            for (const Output &o : n.told.gradient.empty() ? std::vector<Output>() : outputs_of(n)) {
                const std::string upstream = n.told.name + ".d_" + o.name;
                const bool is_told = sources_.count(upstream) || shared_.count(upstream) ||
                                     std::count(graph_.inputs.begin(), graph_.inputs.end(), upstream);
                const Parameter *p = n.input("d_" + o.name);
                if (p && p->dimensions() == 0 && !is_told) {
                    sources_[upstream].number = 1;
                }
            }
        }
    }

    std::string root(std::string name) const {
        for (std::set<std::string> seen; shared_.count(name); name = shared_.at(name)) {
            if (!seen.insert(name).second) {
                refuse("binds " + name + " to itself", "bind it to another input, or to an output");
            }
        }
        return name;
    }

    /** The arguments of the whole, and every other input that is one of them. */
    void make_inputs() {
        std::vector<std::string> left;
        for (const std::string &name : all(true)) {
            if (!sources_.count(name) && !shared_.count(name)) {
                left.push_back(name);
            }
        }
        for (const std::string &name : graph_.inputs) {
            check_known(name, "input that is bound to nothing", left);
        }
        for (const std::string &name : graph_.inputs.empty() ? std::vector<std::string>() : left) {
            if (std::find(graph_.inputs.begin(), graph_.inputs.end(), name) == graph_.inputs.end()) {
                refuse("has the input " + name + ", which is neither bound nor among its \"inputs\"",
                       "bind it, or name it there");
            }
        }
        const std::vector<std::string> order = graph_.inputs.empty() ? left : graph_.inputs;
        for (const std::string &name : order) {
            const Parameter made = renamed(input(name), argument_name(name, order));
            inputs_.push_back(made);
            sources_[name].parameter = made;
        }
        for (const auto &[name, of] : shared_) {
            sources_[name] = sources_.at(root(name));
        }
    }

    static std::string argument_name(const std::string &name, const std::vector<std::string> &others) {
        const auto same = std::count_if(others.begin(), others.end(), [&](const std::string &other) {
            return after_point(other) == after_point(name);
        });
        std::string text = name;
        std::replace(text.begin(), text.end(), '.', '_');
        return same == 1 ? after_point(name) : text;
    }

    static Parameter renamed(const Parameter &p, const std::string &name) {
        if (!p.is_buffer()) {
            Parameter scalar(p.type(), false, 0, name);
            if (p.estimate().defined()) {
                scalar.set_estimate(p.estimate());
            }
            return scalar;
        }
        Parameter buffer(p.type(), true, p.dimensions(), name);
        for (int d = 0; d < p.dimensions(); d++) {
            buffer.set_min_constraint(d, p.min_constraint(d));
            buffer.set_extent_constraint(d, p.extent_constraint(d));
            buffer.set_min_constraint_estimate(d, p.min_constraint_estimate(d));
            buffer.set_extent_constraint_estimate(d, p.extent_constraint_estimate(d));
        }
        return buffer;
    }

    std::vector<Node *> producers_first() {
        std::vector<Node *> order;
        std::map<std::string, bool> done;  // false: begun
        const std::function<void(Node &)> visit = [&](Node &n) {
            const auto [it, fresh] = done.emplace(n.told.name, false);
            if (!fresh) {
                if (!it->second) {
                    refuse("goes round in a circle at " + n.told.name,
                           "let no node be bound to what depends on it");
                }
                return;
            }
            for (const std::string &name : n.reads) {
                visit(*node(name));
            }
            done[n.told.name] = true;
            order.push_back(&n);
        };
        std::for_each(nodes_.begin(), nodes_.end(), visit);
        return order;
    }

    /** Its inputs become what they are bound to. Producers are connected already, so that their sizes are
     * those of the whole's inputs. */
    void connect(Node &n) {
        std::map<std::string, Source> own;
        for (const Parameter &p : n.inputs) {
            Source source = sources_.at(n.told.name + "." + p.name());
            if (source.output) {
                source.size = sizes_of(*source.output);
            }
            own.emplace(p.name(), source);
        }
        Bind bind(own, "The input " + n.told.name);
        for (Function f : computing_order(functions_of(n.outputs))) {
            f.mutate(&bind);
        }
    }

    /** An output has the size of the first input of which it reads just what one of its dimensions has. */
    std::function<Expr(const std::string &, int)> sizes_of(const Output &o) const {
        const Function f = Func(o.func).function();
        const Parameter whole(f.output_types()[o.element], true, f.dimensions(), unique_name("size"));
        const std::vector<Function> order = computing_order({f});
        const std::map<std::string, SymbolicRegion> regions =
            needed_regions(order, {{f.name(), whole_buffer(whole)}});
        std::map<int, std::pair<Parameter, int>> known;
        for (const Function &g : order) {
            const Parameter p = input_of(g);
            const auto region = p.defined() && p.is_buffer() ? regions.find(g.name()) : regions.end();
            for (size_t k = 0; region != regions.end() && k < region->second.size(); k++) {
                for (int d = 0; d < f.dimensions(); d++) {
                    if (same_interval(region->second[k], whole_buffer(whole)[d])) {
                        known.emplace(d, std::make_pair(p, static_cast<int>(k)));
                    }
                }
            }
        }
        return [known](const std::string &what, int d) -> Expr {
            const auto found = known.find(d);
            if (found == known.end()) {
                return Expr();
            }
            const auto &[p, k] = found->second;
            return Variable::make(Int(32), p.name() + "." + what + "." + std::to_string(k), p);
        };
    }

    LoadedPipeline result() {
        std::vector<std::string> names = graph_.outputs;
        if (names.empty()) {
            std::set<std::string> read;
            for (const GraphBinding &b : graph_.bindings) {
                read.insert(b.source);
            }
            for (const std::string &name : all(false)) {
                if (!read.count(name)) {
                    names.push_back(name);
                }
            }
        }
        LoadedPipeline loaded;
        loaded.function = std::filesystem::path(path_).stem().string();
        loaded.ordered = true;
        std::vector<Func> funcs;
        std::set<std::string> put_out;
        for (const std::string &name : names) {
            check_known(name, "output", all(false));
            const Output o = *output(name);
            if (!put_out.insert(o.func.name()).second) {
                continue;  // another element of a Tuple
            }
            funcs.push_back(o.func);
            for (const Output &element : outputs_of(*node(o.node))) {
                if (element.func.name() == o.func.name()) {
                    const std::string own = Func(o.func).output_buffers()[element.element].name();
                    loaded.renamed.emplace_back(own, argument_name(element.node + "." + element.name, names));
                }
            }
        }
        loaded.pipeline = Pipeline(funcs);
        for (const Parameter &p : inputs_) {
            loaded.inputs.push_back(p.is_buffer() ? buffer_argument(p)
                                                  : Argument(p.name(), Argument::InputScalar, p.type(), 0,
                                                             p.get_argument_estimates()));
            loaded.parameters[p.name()] = p;
        }
        return loaded;
    }
};

}  // namespace

LoadedPipeline compose(const GraphFile &graph, const std::string &path, const std::string &executable,
                       const std::string &target) {
    return Composition(graph, path).compose(executable, target);
}

}  // namespace eutectic
