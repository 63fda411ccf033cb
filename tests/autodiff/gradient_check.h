#pragma once

// Gradient checks: the backward of a pipeline against central differences of its forward, both compiled in
// the process with every Func at root.

#include "autodiff/differentiate.h"

#include <Halide.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace eutectic::test {

struct Extent {
    int min, extent;
};
/// By the name of an input or output, innermost first.
using Shapes = std::map<std::string, std::vector<Extent>>;

/// A pipeline to differentiate. `owner` keeps the generator alive that the pipeline came from, if any.
struct Subject {
    std::shared_ptr<Halide::Internal::AbstractGenerator> owner;
    DifferentiationProblem problem;
    /// Funcs of the forward that change where the pipeline has a kink: conditions as integers, or numbers
    /// whose sign decides.
    std::vector<NamedOutput> kinks;
    /// Where to draw an input's values from, by name; (-1, 1) for any other.
    std::map<std::string, std::pair<double, double>> ranges;
    /// What the pipeline calls by name.
    std::map<std::string, Halide::JITExtern> externs;
};

/// A registered generator with its parameters set.
Subject from_generator(const std::string &name, const std::map<std::string, std::string> &parameters);

/// A pipeline written in a test.
Subject by_hand(const std::vector<Halide::ImageParam> &inputs, const std::vector<NamedOutput> &outputs);

/// No Func but those of inputs is written out.
void every_func_at_root(const std::vector<Halide::Func> &outputs);
/// What it reports is thrown by realize(), and what the subject calls is found.
void prepare_to_run(Halide::Pipeline &pipeline, const Subject &subject);
void realize(Halide::Pipeline &pipeline, const std::vector<Halide::Buffer<>> &buffers);

/// The names of an output's elements: its own, or NAME_0, NAME_1, … of a tuple.
std::vector<std::string> element_names(const NamedOutput &output);

template<typename T>
using Tensors = std::map<std::string, Halide::Buffer<T>>;

/// A differentiated subject at one set of shapes, with T elements (double, or float for comparison).
template<typename T>
class Check {
public:
    Check(Subject subject, Shapes shapes, const RuleList *rules = nullptr);

    /// Fills every input from `seed`: floating-point ones in (-1, 1), scalars too, integer ones within [low,
    /// low + count), and the upstream gradients in (-1, 1). A uint32 scalar is a seed and becomes 7.
    void draw(unsigned seed, int low, int count);
    /// The backward's gradients at the current inputs, by input name. Of a problem that is joint: with the
    /// outputs, in one pipeline.
    Tensors<T> gradients();
    /// Central differences of sum(upstream * output) with step 6e-6 max(1, |x|), by input name.
    Tensors<T> differences();
    /// Does a step of ten times that, in any element of an input, change which side of a kink something is
    /// on? A kink shows in the residuals: masks, argmaxes, and the signs of what is saved; and in the
    /// subject's kinks.
    bool near_a_kink();

    Tensors<T> inputs;   // a scalar is a buffer without dimensions
    Tensors<T> outputs;  // those of a floating-point type
    Tensors<int> integers;
    const Differentiated &differentiated() const {
        return result_;
    }
    /// Runs the forward: outputs and residuals.
    void run_forward();
    /// A residual as the forward left it.
    Halide::Buffer<> residual(const std::string &name) const;
    /// Upstream gradients, by the output's name.
    Tensors<T> upstream;

private:
    double objective();
    void set_scalars();
    /// In the shapes that the contract says: what it says is too small is an error of Halide's.
    void allocate_residuals();
    std::vector<unsigned char> sides();
    Halide::Buffer<> make_any(const std::string &name, const Halide::Type &type) const;
    Halide::Buffer<T> make(const std::string &name) const;

    Subject subject_;
    Shapes shapes_;
    Differentiated result_;
    Halide::Pipeline forward_, backward_, kinks_;
    std::vector<Halide::Buffer<>> forward_buffers_, kink_buffers_;  // of all outputs, then residuals
    size_t output_count_ = 0;
};

extern template class Check<double>;
extern template class Check<float>;

/// The largest of ‖g - fd‖∞ / max(1, ‖fd‖∞) over the inputs, with inputs drawn again while they
/// are near a kink.
double gradient_error(const Subject &subject, const Shapes &shapes, unsigned seed, int low_label = 0,
                      int labels = 1, const RuleList *rules = nullptr);
/// The same with what is compiled already.
double gradient_error(Check<double> &check, unsigned seed, int low_label = 0, int labels = 1);

/// What gradient_error must not exceed.
constexpr double gradient_tolerance = 1e-6;

/// rules with the one named `name` made to see the negated upstream gradient: the sign of its formula
/// flipped.
RuleList with_flipped_sign(const RuleList &rules, const std::string &name);
/// rules without the one named `name`.
RuleList without_rule(const RuleList &rules, const std::string &name);

/// Every definition of the Funcs that `func` reaches, as text, inputs left out.
std::string definitions(const Halide::Func &func);

}  // namespace eutectic::test
