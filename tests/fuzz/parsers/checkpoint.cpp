// Checkpoints of apps/distributed: a line of JSON, then floats.

#include "apps/distributed/checkpoint.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    Random random(1);
    digits::Network network({4, 2}, random);
    distributed::describe_checkpoint("checkpoint", input);
    distributed::restore_checkpoint("checkpoint", input, network);
}
