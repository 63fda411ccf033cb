#pragma once

// The files that one half of a pair writes beside its code, as its parameters ask for (generator.h).

#include "autodiff/contract/contract.h"
#include "autodiff/residuals/choice/residual.h"

#include <string>
#include <vector>

namespace eutectic {

class GeneratorFiles {
public:
    /// Takes residual_report, residual_header, residual_comment, backward_interface, pair_report or
    /// pair_files; false for any other parameter.
    bool take(const std::string &name, const std::string &value);

    /// Writes what was asked for. Throws UserError for a path that cannot be written to, or does not end as
    /// the file's contents ask for.
    void write(const Contract &contract, const ResidualReport &residuals, bool of_forward) const;

private:
    std::string report_, header_, comment_, interface_, pair_report_;
    std::vector<std::string> pair_files_;
};

}  // namespace eutectic
