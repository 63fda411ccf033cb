#pragma once

#include <string>

#include "apps/eutectic/graph_file.h"
#include "schedules/hlpipe/load.h"

namespace eutectic {

/** The pipelines of the nodes, which are generators of `executable`, as one: what is bound to an output is
 * that output's Func, of which nobody needs a buffer. The upstream gradients of nodes with a gradient that
 * nothing says anything of, of single values, are 1. Arguments are called by their own names where these are
 * unique, and NODE_NAME where not; `path`: what the graph is called in sentences. Throws UserError. */
LoadedPipeline compose(const GraphFile &graph, const std::string &path, const std::string &executable,
                       const std::string &target);

}  // namespace eutectic
