#pragma once

#include "apps/digits/network.h"

#include <cstdint>
#include <string>

namespace eutectic::distributed {

/// What decides every weight but the data: the same settings give the same training, on any number of ranks.
struct Settings {
    uint64_t seed = 1;
    int batch = 128;
    int shards = 8;
    std::string numerics = "fast";  ///< or strict
};

/// Where training stands: `step` updates of `epoch` (from 0) are done.
struct Position {
    int epoch = 0;
    int step = 0;
    double loss = 0;  ///< of the epoch so far: the sum over its samples

    bool operator==(const Position &other) const {
        return epoch == other.epoch && step == other.step && loss == other.loss;
    }
};

/// A file: one line of JSON, which says what it is, then the values and the two moments of every parameter,
/// in float32 of the machine.
struct Checkpoint {
    Settings settings;
    Position position;
    std::string data;  ///< a hash of the training data
};

/// Writes a checkpoint that appears whole or not at all. Throws UserError if it cannot.
void write_checkpoint(const std::string &path, const Checkpoint &checkpoint, const digits::Network &network);

/// The whole file as text. Throws UserError, naming the file, if it cannot be read.
std::string read_checkpoint(const std::string &path);

/// What `text` says of itself. Throws UserError, naming `path`, if it is no checkpoint.
Checkpoint describe_checkpoint(const std::string &path, const std::string &text);

/// Its parameters and moments, and the number of updates, into a network of the same shape. Throws UserError,
/// naming `path`, if the text is damaged or of another network.
void restore_checkpoint(const std::string &path, const std::string &text, digits::Network &network);

}  // namespace eutectic::distributed
