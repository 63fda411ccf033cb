#include "apps/eutectic/graph.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "apps/eutectic/graph_node.h"
#include "apps/eutectic/pair.h"
#include "autodiff/estimates.h"
#include "base/nearest.h"
#include "base/user_error.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

std::string after_point(const std::string &name) {
    return name.substr(name.rfind('.') + 1);
}

class Composition {
public:
    Composition(const GraphFile &graph, std::string path) : graph_(graph), path_(std::move(path)) {
    }

    LoadedPipeline compose(const std::string &executable, const std::string &target) {
        for (const GraphNode &node : graph_.nodes) {
            nodes_.push_back(load_node(node, executable, target));
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
    std::map<std::string, Source> sources_;      // by "node.input"
    std::map<std::string, std::string> shared_;  // inputs that are other nodes' inputs
    std::vector<Parameter> inputs_;              // of the whole

    [[noreturn]] void refuse(const std::string &what, const std::string &remedy) const {
        throw UserError("The graph " + path_ + " " + what + ": " + remedy + ".");
    }

    /** Of "node" or "node.name", which is known. */
    Node &node(const std::string &name) {
        return *std::find_if(nodes_.begin(), nodes_.end(),
                             [&](const Node &n) { return n.told.name == name.substr(0, name.find('.')); });
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

    void check_known(const std::string &name, const std::string &as,
                     const std::vector<std::string> &known) const {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            refuse("names " + name + ", which is no " + as + " of its nodes",
                   nearest_or(name, known, "give one such as " + known.front()));
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
        return *node(name).input(after_point(name));
    }

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
                node(b.input).reads.push_back(from->node);
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
        copy_constraints(p, buffer);
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
                visit(node(name));
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
        bind_inputs(n, own);
    }

    LoadedPipeline result() {
        const std::vector<std::string> known = all(false);
        std::vector<std::string> names = graph_.outputs;
        if (names.empty()) {
            std::set<std::string> read;
            for (const GraphBinding &b : graph_.bindings) {
                read.insert(b.source);
            }
            for (const std::string &name : known) {
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
            check_known(name, "output", known);
            const Output o = *output(name);
            if (!put_out.insert(o.func.name()).second) {
                continue;  // another element of a Tuple
            }
            funcs.push_back(o.func);
            for (const Output &element : outputs_of(node(o.node))) {
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
