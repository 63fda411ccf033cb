#include "base/signals.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <initializer_list>

namespace eutectic {

sigset_t ending_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
        struct sigaction now = {};
        sigaction(signal, nullptr, &now);
        if (now.sa_handler != SIG_IGN) {
            sigaddset(&set, signal);
        }
    }
    return set;
}

void end_by(int signal) {
    // Called by handlers, too: nothing here allocates or locks.
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    raise(signal);
    _exit(128 + signal);  // what shells make of it
}

void end_with(pid_t parent, int signal) {
    prctl(PR_SET_PDEATHSIG, signal);
    if (getppid() != parent) {  // it was gone before that
        raise(signal);
    }
}

}  // namespace eutectic
