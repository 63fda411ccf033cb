#include "autodiff/contract/contract.h"

#include "autodiff/contract/sizes.h"
#include "autodiff/estimates.h"
#include "autodiff/expr_tools.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// `what` of each dimension of `region`, as people read it.
std::vector<std::string> texts_of(const SymbolicRegion &region, Expr Range::*what) {
    std::vector<std::string> texts;
    for (const Range &dimension : as_min_extent(region)) {
        texts.push_back(size_text(dimension.*what, people()).value_or("?"));
    }
    return texts;
}

std::vector<std::string> extents_of(const SymbolicRegion &region) {
    return texts_of(region, &Range::extent);
}

// The upstream gradient of each output, whether it has one or not: what its sizes are told in.
struct OutputSizes {
    std::string output;
    Parameter sizes;
};
std::vector<OutputSizes> output_sizes(const DifferentiationProblem &problem) {
    std::vector<OutputSizes> sizes;
    for (const NamedOutput &output : problem.outputs) {
        for (int element = 0; element < output.func.outputs(); element++) {
            const std::string name = output_name(output, element);
            sizes.push_back({name, Parameter(output.func.types()[element], true, output.func.dimensions(),
                                             upstream_name(problem, name))});
        }
    }
    return sizes;
}

class ShapeTerms {
public:
    ShapeTerms(const DifferentiationProblem &problem, const Differentiated &result) : problem_(problem) {
        for (const auto &[output, sizes] : output_sizes(problem)) {
            const auto read = result.read.find(output);
            for (int d = 0; read != result.read.end() && d < sizes.dimensions(); d++) {
                find_input(sizes, d, read->second);
            }
        }
    }

    // With what the forward's caller gives in place of upstream gradients: outputs.
    SymbolicRegion in_forward(const SymbolicRegion &region) const {
        return replaced(region, [&](const std::string &upstream, const std::string &what, int d) {
            const Parameter output = output_of(upstream);
            return output.defined() ? size_of(output, what, d) : Expr();
        });
    }

    // With inputs, where one has the size of the output.
    SymbolicRegion in_inputs(const SymbolicRegion &region) const {
        return in_forward(replaced(region, [&](const std::string &upstream, const std::string &what, int d) {
            const auto input = inputs_.find({upstream, d});
            return input == inputs_.end() ? Expr() : size_of(input->second.first, what, input->second.second);
        }));
    }

    // The extents of an output, as people read them: an input's where one has just that size; otherwise the
    // largest of which the forward reads no more than an input has, as of a convolution without a border.
    std::vector<std::string> output_extents(const Parameter &upstream) const {
        std::vector<std::string> texts = extents_of(in_inputs(whole_buffer(upstream)));
        for (int d = 0; d < upstream.dimensions(); d++) {
            const auto largest = largest_.find({upstream.name(), d});
            if (!inputs_.count({upstream.name(), d}) && largest != largest_.end()) {
                texts[d] = largest->second;
            }
        }
        return texts;
    }

private:
    using By = std::function<Expr(const std::string &upstream, const std::string &what, int d)>;

    static SymbolicRegion replaced(const SymbolicRegion &region, const By &by) {
        const auto replace = [&](const Expr &e) {
            return replace_buffer_extents(
                e, [&](const Parameter &p, const std::string &what, int d) { return by(p.name(), what, d); });
        };
        SymbolicRegion result;
        for (const Interval &i : region) {
            result.emplace_back(replace(i.min), replace(i.max));
        }
        return result;
    }

    // The first input of which the forward reads just what one dimension of an output has.
    void find_input(const Parameter &upstream, int d, const std::map<std::string, SymbolicRegion> &read) {
        const Interval all = whole_buffer(upstream)[d];
        for (const Parameter &p : problem_.inputs) {
            const auto region = read.find(p.name());
            for (size_t k = 0; region != read.end() && k < region->second.size(); k++) {
                if (same_interval(region->second[k], all)) {
                    inputs_.emplace(std::make_pair(upstream.name(), d),
                                    std::make_pair(p, static_cast<int>(k)));
                } else if (const auto text =
                               largest(upstream, d, region->second[k], p, static_cast<int>(k))) {
                    largest_.emplace(std::make_pair(upstream.name(), d), *text);
                }
            }
        }
    }

    // The largest extent of dimension `d` of the output for which `read`, of the input's dimension `k`, is
    // there: solves step * extent + more = the input's extent. Nothing where `read` is of another form.
    std::optional<std::string> largest(const Parameter &upstream, int d, const Interval &read,
                                       const Parameter &input, int k) const {
        if (!read.is_bounded()) {
            return std::nullopt;
        }
        const Expr extent = Variable::make(Int(32), "extent");
        const auto at = [&](const Expr &end, const Expr &size) {
            return simplify(
                replace_buffer_extents(end, [&](const Parameter &p, const std::string &what, int i) {
                    return p.name() != upstream.name() || i != d ? Expr() : what == "extent" ? size : Expr(0);
                }));
        };
        const auto step = as_const_int(simplify(at(read.max, extent + 1) - at(read.max, extent)));
        if (!is_const_zero(at(read.min, extent)) || !step || *step <= 0) {
            return std::nullopt;
        }
        const Expr step_of_read = make_const(Int(32), *step);
        const Expr more = simplify(at(read.max, extent) + 1 - step_of_read * extent);
        if (uses_variable(more, "extent") || !only_inputs(more)) {
            return std::nullopt;
        }
        return size_text(simplify((size_of(input, "extent", k) - more) / step_of_read), people());
    }

    // Are the sizes in `e` those of inputs?
    bool only_inputs(const Expr &e) const {
        bool only = true;
        replace_buffer_extents(e, [&](const Parameter &p, const std::string &, int) {
            only = only && std::any_of(problem_.inputs.begin(), problem_.inputs.end(),
                                       [&](const Parameter &input) { return input.name() == p.name(); });
            return Expr();
        });
        return only;
    }

    // The output's own buffer, under the name that callers know.
    Parameter output_of(const std::string &upstream) const {
        for (const NamedOutput &output : problem_.outputs) {
            for (int element = 0; element < output.func.outputs(); element++) {
                const std::string name = output_name(output, element);
                if (upstream_name(problem_, name) == upstream) {
                    return Parameter(output.func.types()[element], true, output.func.dimensions(), name);
                }
            }
        }
        return Parameter();
    }

    const DifferentiationProblem &problem_;
    std::map<std::pair<std::string, int>, std::pair<Parameter, int>> inputs_;
    std::map<std::pair<std::string, int>, std::string> largest_;  // extents as people read them
};

ContractArgument argument_of(const Parameter &p) {
    return {p.name(), p.type(), p.is_buffer() ? p.dimensions() : 0, p.is_buffer(), false};
}

std::string name_of(const NamedOutput &output) {
    return output.name;
}
template<typename Param>
std::string name_of(const Param &p) {
    return p.name();
}

template<typename Named>
bool is_among(const std::string &name, const std::vector<Named> &all) {
    return std::any_of(all.begin(), all.end(), [&](const Named &one) { return name_of(one) == name; });
}

void add_output(const NamedOutput &output, std::vector<ContractArgument> &to) {
    for (int element = 0; element < output.func.outputs(); element++) {
        to.push_back({output_name(output, element), output.func.types()[element], output.func.dimensions(),
                      true, true});
    }
}

}  // namespace

std::vector<std::string> mins_of(const SymbolicRegion &region) {
    return texts_of(region, &Range::min);
}

Contract contract_of(const DifferentiationProblem &problem, const Differentiated &result) {
    Contract contract;
    for (const Parameter &p : problem.inputs) {
        contract.forward.push_back(argument_of(p));
    }
    for (const NamedOutput &output : problem.outputs) {
        add_output(output, contract.forward);
    }
    for (const Parameter &p : problem.inputs) {
        contract.backward.push_back(argument_of(p));
        contract.backward.back().is_read = !p.is_buffer() || is_among(p.name(), result.inputs);
    }
    for (const ImageParam &p : outputs_taken(problem, result)) {
        contract.backward.push_back(argument_of(p.parameter()));
        contract.backward.back().is_read = is_among(p.name(), result.outputs);
    }
    for (const ImageParam &p : result.upstream) {
        contract.backward.push_back(argument_of(p.parameter()));
    }
    for (const NamedOutput &gradient : result.gradients) {
        add_output(gradient, contract.backward);
    }
    contract.accumulates = !result.given.empty();
    const ShapeTerms terms(problem, result);
    for (const ResidualTensor &r : result.residuals) {
        contract.residuals.push_back(
            {r.info, r.backward.type(), r.region, terms.in_forward(r.region), terms.in_inputs(r.region)});
        contract.residuals.back().info.extents = extents_of(contract.residuals.back().in_inputs);
        contract.backward.push_back(argument_of(r.backward.parameter()));
    }
    for (const OutputSizes &of : output_sizes(problem)) {
        const bool differentiated =
            std::any_of(result.upstream.begin(), result.upstream.end(),
                        [&](const ImageParam &p) { return p.name() == of.sizes.name(); });
        contract.outputs.push_back({of.output, terms.output_extents(of.sizes), differentiated});
    }
    return contract;
}

std::vector<size_t> pipeline_arguments(const Contract &contract) {
    std::vector<size_t> read, written;
    for (size_t i = 0; i < contract.backward.size(); i++) {
        (contract.backward[i].is_output ? written : read).push_back(i);
    }
    for (int pass = 0; pass < (contract.accumulates ? 2 : 1); pass++) {
        read.insert(read.end(), written.begin(), written.end());
    }
    return read;
}

std::vector<ImageParam> outputs_taken(const DifferentiationProblem &problem, const Differentiated &result) {
    std::vector<ImageParam> taken;
    for (const NamedOutput &output : problem.outputs) {
        for (int element = 0; element < output.func.outputs(); element++) {
            const std::string name = output_name(output, element);
            const auto read = std::find_if(result.outputs.begin(), result.outputs.end(),
                                           [&](const ImageParam &p) { return p.name() == name; });
            if (read != result.outputs.end()) {
                taken.push_back(*read);
            } else {
                // Of a gradient's own gradient an output may be called as a gradient is.
                std::string other = name;
                for (int number = 2; is_among(other, result.gradients); number++) {
                    other = name + "_" + std::to_string(number);
                }
                taken.emplace_back(output.func.types()[element], output.func.dimensions(), other);
                copy_sizes(output.func, element, taken.back());
            }
        }
    }
    return taken;
}

std::vector<Residual> residual_rows(const Contract &contract) {
    std::vector<Residual> rows;
    for (const ContractResidual &r : contract.residuals) {
        rows.push_back(r.info);
    }
    return rows;
}

}  // namespace eutectic
