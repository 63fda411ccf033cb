#pragma once

#include "apps/photo/training.h"

#include <string>

namespace eutectic::photo {

struct TrainOptions {
    std::string picture;
    std::string target;  ///< empty: the picture is the target, and what is restored is made of it
    std::string folder = "restored";  ///< of what is written
    std::string format = "png";
    std::string comparison;  ///< a picture of before and after, if not empty
    Schedule schedule = {};
    bool json = false;
};

/// Learns the parameters, writes them and the pictures, and prints what became of it. Throws UserError.
void train(const TrainOptions &options);

/// Restores a picture by parameters from a file. Throws UserError.
void apply(const std::string &picture, const std::string &parameters, const std::string &result);

}  // namespace eutectic::photo
