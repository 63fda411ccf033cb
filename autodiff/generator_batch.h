#pragma once

// What a generator (generator.h) was told about a batch, by its parameters.

#include "autodiff/differentiate.h"
#include "autodiff/generator.h"

#include <Halide.h>

#include <string>
#include <vector>

namespace eutectic {

/// "a,b" -> {"a", "b"}.
std::vector<std::string> split_names(const std::string &text);

class GeneratorBatch {
public:
    /// Takes batched, batched_over or transforms; false for any other parameter. Throws UserError for a wrong
    /// value.
    bool take(const std::string &name, const std::string &value);

    /// Throws UserError for parameters that do not go together in the generator `name`.
    void check(const std::string &name, GradientPart part) const;

    /// NAME_batched is of a batch in any case: of 8 examples of every buffer, if nothing else was said.
    bool is_asked_for(GradientPart part) const {
        return size_ > 0 || part == GradientPart::batched;
    }
    /// After differentiation?
    bool is_last() const;

    /// `inputs` and `outputs` become those of the batch, as `infos` does.
    void apply(std::vector<Halide::Parameter> &inputs, std::vector<NamedOutput> &outputs,
               std::vector<Halide::Internal::AbstractGenerator::ArgInfo> &infos) const;

private:
    int size_ = 0;  // examples to plan for; 0: no batch
    std::vector<std::string> over_, transforms_;
};

}  // namespace eutectic
