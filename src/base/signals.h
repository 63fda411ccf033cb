#pragma once

#include <sys/types.h>

#include <csignal>

namespace eutectic {

/// The signals by which users end a process: SIGHUP, SIGINT and SIGTERM, but for those that this process was
/// started to ignore (nohup).
sigset_t ending_signals();

/// Ends this process as `signal` ends one that does not handle it, so that whoever waits for it can tell.
[[noreturn]] void end_by(int signal);

/// In a child that `parent` has forked: `signal` comes when the parent is gone, however it ended, and at once
/// if it is gone already.
void end_with(pid_t parent, int signal);

}  // namespace eutectic
