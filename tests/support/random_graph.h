#pragma once

#include <cstdint>

#include "graph/data/graph.h"

namespace eutectic::test {

/** A pipeline of up to twelve operations of every kind that a Sketch knows, from `seed` alone: the same on
 * every machine. */
Graph random_graph(uint64_t seed);

/** `graph` under other names. */
Graph renamed(Graph graph);

}  // namespace eutectic::test
