#include "schedules/packed_inputs.h"

#include <algorithm>

#include "base/user_error.h"
#include "graph/read/copies.h"

namespace eutectic {

using namespace Halide;

namespace {

/** The argument that `func`, an input of the graph, wraps. */
std::string argument_name(const Graph &graph, const Pipeline &pipeline, FuncId func) {
    const int index = graph.funcs[func].pipeline_index;
    if (index < 0) {
        return "";
    }
    const Internal::Call *load = wrapped_buffer(Pipeline(pipeline).get_func(index).function());
    return load && load->param.defined() ? load->param.name() : "";
}

UserError refusal(const std::string &name, const std::string &why) {
    return UserError("The input " + name + " was asked for in panels (packed=" + name + "), but " + why +
                     ": leave " + name + " out of what is packed.");
}

/** What the policies say that found no loops, or others, for the group that computes `reader`. */
std::string refused_by(const FusionPlan &plan, FuncId reader) {
    std::string says;
    for (const Group &g : plan.groups) {
        if (std::find(g.members.begin(), g.members.end(), reader) != g.members.end()) {
            for (const std::string &sentence : g.refused) {
                says = says.empty() || sentence.rfind("register_tile", 0) == 0 ? sentence : says;
            }
        }
    }
    return says;
}

std::string number(int64_t n) {
    return std::to_string(n);
}

}  // namespace

std::vector<PackedInput> packed_inputs(const Graph &graph, const Pipeline &pipeline,
                                       const std::vector<std::string> &names) {
    std::vector<PackedInput> packed;
    for (const std::string &name : names) {
        FuncId input = no_func;
        std::string known;
        for (const FuncId f : graph.funcs.ids()) {
            const std::string argument =
                graph.funcs[f].input ? argument_name(graph, pipeline, f) : std::string();
            input = argument == name ? f : input;
            known += argument.empty() ? "" : (known.empty() ? "" : ", ") + argument;
        }
        if (input == no_func) {
            throw refusal(name, "the pipeline reads no buffer of that name (it reads " + known + ")");
        }
        const Verdict may = may_read_panels(graph, input);
        if (!may) {
            throw refusal(name, may.reason());
        }
        packed.push_back({input, reader_of_panels(graph, input)});
    }
    return packed;
}

std::vector<PackedArgument> packed_arguments(const Graph &graph, const Pipeline &pipeline,
                                             const FusionPlan &plan, const std::vector<PackedInput> &packed) {
    const std::vector<Panels> panels = panels_of(plan);
    for (const PackedInput &p : packed) {
        const auto is = [&](const Panels &of) { return of.input == p.input; };
        if (std::none_of(panels.begin(), panels.end(), is)) {
            const std::string says = refused_by(plan, p.reader);
            throw refusal(argument_name(graph, pipeline, p.input),
                          "no plan computes " + graph.funcs[p.reader].name +
                              " in tiles of registers along it" + (says.empty() ? "" : " (" + says + ")"));
        }
    }
    std::vector<PackedArgument> all;
    for (const Panels &of : panels) {
        PackedArgument a{argument_name(graph, pipeline, of.input), of, {number(of.columns)}};
        const auto extent = [&](DimId d) { return a.input + ".extent(" + std::to_string(d) + ")"; };
        for (size_t d = 1; d < of.order.size(); d++) {
            a.extents.push_back(extent(of.order[d]));
        }
        const int64_t points = of.columns * of.at_once;
        a.extents.push_back("(" + extent(of.order[0]) + " + " + number(points - 1) + ") / " + number(points) +
                            (of.at_once > 1 ? " * " + number(of.at_once) : ""));
        all.push_back(std::move(a));
    }
    return all;
}

}  // namespace eutectic
