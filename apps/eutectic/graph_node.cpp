#include "apps/eutectic/graph_node.h"

#include <filesystem>

#include "apps/eutectic/generator.h"
#include "apps/eutectic/guard.h"
#include "apps/eutectic/pair.h"
#include "autodiff/batch.h"
#include "autodiff/bounds.h"
#include "autodiff/estimates.h"
#include "autodiff/expr_tools.h"
#include "base/user_error.h"
#include "schedules/hlpipe/strip.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

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
            return by.parameter.defined() ? size_of(by.parameter, what, d)
                   : by.size              ? by.size(what, d)
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

}  // namespace

Node load_node(const GraphNode &told, const std::string &executable, const std::string &target) {
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
    const DifferentiationProblem problem = problem_of(loaded);
    // Named by the node: several of one generator are told apart, by pins and in reports.
    return {told, problem.inputs, copy_funcs(problem.outputs, told.name + "_"), {}};
}

std::function<Expr(const std::string &, int)> sizes_of(const Output &o) {
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
        return size_of(p, what, k);
    };
}

void bind_inputs(const Node &node, const std::map<std::string, Source> &sources) {
    Bind bind(sources, "The input " + node.told.name);
    for (Function f : computing_order(functions_of(node.outputs))) {
        f.mutate(&bind);
    }
}

}  // namespace eutectic
