#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace eutectic {

/** What the command line asked for; gives the exit status: 0, or 1 when what was compared differs. UserError
 * and HalideError become one sentence and status 2. */
using Run = std::function<int()>;

// Each adds one subcommand, which sets `run` when it was asked for. A new one: a file, a line here and one in
// main.cpp.
void add_ablate(CLI::App &app, Run &run);
void add_explain(CLI::App &app, Run &run);
void add_compare(CLI::App &app, Run &run);
void add_compile(CLI::App &app, Run &run);
void add_grad(CLI::App &app, Run &run);
void add_profile(CLI::App &app, Run &run);
void add_inspect(CLI::App &app, Run &run);
void add_torch(CLI::App &app, Run &run);
void add_tune(CLI::App &app, Run &run);
void add_calibrate(CLI::App &app, Run &run);
void add_accuracy(CLI::App &app, Run &run);

}  // namespace eutectic
