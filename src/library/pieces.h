#pragma once

#include <functional>

namespace eutectic {

/** `run` of each of `pieces`: with `tasks` above 1 on Halide's threads (halide_do_par_for), and where no
 * runtime of Halide's is linked, as in a process that compiles just in time, on `tasks` threads of the
 * call's own. Returns 0, or the first error of HalideRuntime.h; memory that is not to be had is one. */
int run_pieces(int pieces, int tasks, const std::function<int(int)> &run);

}  // namespace eutectic
