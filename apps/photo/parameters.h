#pragma once

#include "apps/photo/planes.h"

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <utility>

namespace eutectic::photo {

/// What is learned, by the names that the generators' inputs have (restoration.h), or gradients of it.
struct Parameters {
    Floats spread{2}, strength{3}, sharpen{2}, coring{2}, tone{9, 3};

    /// Those that leave a photograph as it is.
    static Parameters identity();

    /// A copy of the numbers, which a copy of the struct shares.
    Parameters copied() const;

    std::array<std::pair<const char *, Floats *>, 5> named() {
        return {{{"spread", &spread},
                 {"strength", &strength},
                 {"sharpen", &sharpen},
                 {"coring", &coring},
                 {"tone", &tone}}};
    }
};

/// {"spread": […], …, "tone": [[…], […], […]]}. Read back it is the same bits.
nlohmann::ordered_json to_json(const Parameters &parameters);

/// A file of that. Throws UserError, one sentence, for anything else: keys that are missing or unknown, lists
/// of another length, numbers that are no finite floats.
Parameters read_parameters(const std::string &path);

}  // namespace eutectic::photo
