#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <optional>
#include <string>

namespace eutectic {

/** What a process does at the moment. */
struct Doing {
    std::string what;   ///< as a sentence begins: "Compiling dense.hlpipe"; empty: nothing to speak of
    double began = 0;   ///< seconds_now()
    double most = 0;    ///< seconds that it may take; 0: any
    unsigned turn = 0;  ///< another one for every step
};

/** Of a clock that all processes have in common. */
double seconds_now();

/** How a process that was watched came to its end. */
struct Watched {
    int status = 0;             ///< as waitpid() has it
    int asked = 0;              ///< the signal by which this process was asked to end meanwhile
    std::optional<Doing> late;  ///< what took longer than it may, for which it was ended
};

/** Waits for `child`, which end_children_first() holds for, and says on standard error what it does when that
 * takes long. `signals`, which are blocked, are SIGCHLD and those that ask this process to end: these are
 * passed on, as SIGTERM is when a step takes longer than it may. What has not ended some seconds after that,
 * or when it is asked again, is killed. `now` gives nothing while the step changes. */
Watched watch(pid_t child, const sigset_t &signals, const std::function<std::optional<Doing>()> &now);

}  // namespace eutectic
