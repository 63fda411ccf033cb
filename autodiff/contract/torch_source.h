#pragma once

// The C++ source that registers a pair with PyTorch, from its report.

#include <string>
#include <vector>

namespace eutectic {

struct TorchSource {
    std::string pair;
    std::string text;                     ///< for src/pytorch/operation.h
    std::vector<std::string> operations;  ///< eutectic::NAME and what it is made of
};

/// Of NAME.report.json, as contract_json() writes it; `path` is where it was, for messages. `name`: what the
/// operation is called in place of the pair's name, if not empty. Throws UserError for
/// what is no report of a pair, has sizes that do not follow from the inputs, or types that PyTorch lacks.
TorchSource torch_source(const std::string &report, const std::string &path, const std::string &name = "");

}  // namespace eutectic
