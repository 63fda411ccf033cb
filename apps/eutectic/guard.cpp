#include "apps/eutectic/guard.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

#include "apps/eutectic/watch.h"
#include "base/process.h"
#include "base/said.h"
#include "base/signals.h"
#include "base/user_error.h"

namespace eutectic {

namespace {

/** What the working process tells the one that waits for it. */
struct Shared {
    std::atomic<unsigned> version;  // of what follows: odd while it changes
    char step[2048], ended[4096];
    double began, most;  // as in Doing
    double limit;        // of all steps, in seconds; 0: none
    char scratch[4][4096];
    bool finished;
};
Shared *shared = nullptr;
int kept_errors = -1;  // a file in memory that both have

void copy(const std::string &text, char *to, size_t size) {
    std::strncpy(to, text.c_str(), size - 1);
    to[size - 1] = '\0';
}

/** What is in kept_errors, which is empty afterwards. */
std::string take_errors() {
    std::string text;
    char chunk[4096];
    lseek(kept_errors, 0, SEEK_SET);
    for (ssize_t got = read(kept_errors, chunk, sizeof chunk); got > 0;
         got = read(kept_errors, chunk, sizeof chunk)) {
        text.append(chunk, static_cast<size_t>(got));
    }
    if (ftruncate(kept_errors, 0) == 0) {
        lseek(kept_errors, 0, SEEK_SET);
    }
    return text;
}

std::string ending(int status) {
    const std::string said = last_message(take_errors());
    return !said.empty()         ? said
           : WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                 : "exit status " + std::to_string(WEXITSTATUS(status));
}

std::string filled_in(std::string sentence, const std::string &with) {
    const size_t place = sentence.find("{}");
    return place == std::string::npos ? sentence : sentence.replace(place, 2, with);
}

/** What the worker does; nothing while that changes. */
std::optional<Doing> step_now() {
    const unsigned version = shared->version;
    if (version % 2 != 0) {
        return std::nullopt;
    }
    const Doing step = {shared->step, shared->began, shared->most, version};
    return shared->version == version ? std::optional<Doing>(step) : std::nullopt;
}

/** The worker's folder for temporary files, below that of this process: compilers and Halide's plugins leave
 * theirs where they are killed. Empty where none can be made, which whoever needs one says. */
std::string make_temporary() {
    std::error_code error;
    std::string name = std::filesystem::temp_directory_path(error).string() + "/.eutectic-XXXXXX";
    return error || !mkdtemp(name.data()) ? "" : name;
}

void remove_folder(const std::string &folder) {
    std::error_code left;  // nothing more can be done about it
    if (!folder.empty()) {
        std::filesystem::remove_all(folder, left);
    }
}

/** What `guarded` returns for a worker that ended so, if it returns. */
int ended(const Watched &watched) {
    if (watched.asked) {
        end_by(watched.asked);
    }
    if (WIFEXITED(watched.status) && shared->finished) {
        return WEXITSTATUS(watched.status);
    }
    if (watched.late) {
        std::fprintf(stderr,
                     "eutectic: %s took longer than %.0f s, and was ended: find out what it waits for, or "
                     "give more as --timeout SECONDS.\n",
                     watched.late->what.c_str(), watched.late->most);
        return too_late;
    }
    // Ended by whoever asked, or nobody reads any more (| head): there is nothing to say.
    const int signal = WIFSIGNALED(watched.status) ? WTERMSIG(watched.status) : 0;
    for (const int silent : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) {
        if (signal == silent) {
            end_by(signal);
        }
    }
    std::fprintf(stderr, "eutectic: %s\n", filled_in(shared->ended, ending(watched.status)).c_str());
    return 2;
}

}  // namespace

int guarded(const std::function<int()> &work) {
    void *const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    shared = new (memory) Shared();
    kept_errors = memfd_create("errors", 0);
    begin_step("", "The command was ended ({}).");
    const std::string temporary = make_temporary();
    signal(SIGCHLD, SIG_DFL);  // whoever started this may have ignored it
    sigset_t before, signals = ending_signals();
    const bool may_term = sigismember(&signals, SIGTERM) == 1;
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, &before);
    const pid_t parent = getpid(), child = fork();
    if (child < 0) {
        remove_folder(temporary);
        std::fprintf(stderr, "eutectic: No process can be made: end others first.\n");
        return 2;
    }
    if (child == 0) {
        end_children_first();
        end_with(parent, may_term ? SIGTERM : SIGKILL);
        sigprocmask(SIG_SETMASK, &before, nullptr);
        if (!temporary.empty()) {
            setenv("TMPDIR", temporary.c_str(), 1);
        }
        const int status = work();
        shared->finished = true;
        return status;
    }
    const Watched watched = watch(child, signals, step_now);
    for (const char *folder : shared->scratch) {
        remove_folder(folder);
    }
    remove_folder(temporary);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return ended(watched);
}

void begin_step(const std::string &step, const std::string &ended, double most) {
    shared->version++;
    copy(step, shared->step, sizeof shared->step);
    copy(ended.empty() ? step + " ended with: {}." : ended, shared->ended, sizeof shared->ended);
    shared->began = seconds_now();
    shared->most = shared->limit > 0 ? shared->limit : most;
    shared->version++;
}

void limit_steps(double seconds) {
    shared->limit = seconds;
}

InnerStep::InnerStep(const std::string &step, double most)
    : before_(shared->step), ended_before_(shared->ended) {
    begin_step(step, "", most);
}

InnerStep::~InnerStep() {
    begin_step(before_, ended_before_);
}

ReadingLimits::ReadingLimits() {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit memory = {};
    getrlimit(RLIMIT_AS, &memory);
    memory.rlim_cur =
        std::min(memory.rlim_max, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{2} << 30));
    setrlimit(RLIMIT_AS, &memory);
    alarm(60);
}

ReadingLimits::~ReadingLimits() {
    alarm(0);
    rlimit memory = {};
    getrlimit(RLIMIT_AS, &memory);
    memory.rlim_cur = memory.rlim_max;
    setrlimit(RLIMIT_AS, &memory);
}

ScratchFolder::ScratchFolder(const std::string &parent) {
    std::string name = parent + "/.eutectic-XXXXXX";
    if (!mkdtemp(name.data())) {
        throw UserError("No folder can be made in " + parent +
                        ": check that it is a folder, is writable and has room.");
    }
    path_ = name;
    for (char(&slot)[4096] : shared->scratch) {
        if (!slot[0] && !slot_) {
            slot_ = slot;
            copy(path_, slot, sizeof slot);
        }
    }
}

ScratchFolder::~ScratchFolder() {
    std::error_code left;  // an empty name is all that stays
    std::filesystem::remove_all(path_, left);
    if (slot_) {
        *slot_ = '\0';
    }
}

QuietErrors::QuietErrors() {
    std::fflush(stderr);
    errors_ = dup(STDERR_FILENO);
    dup2(kept_errors, STDERR_FILENO);
}

QuietErrors::~QuietErrors() {
    std::fflush(stderr);
    dup2(errors_, STDERR_FILENO);
    close(errors_);
    std::fprintf(stderr, "%s", take_errors().c_str());
}

}  // namespace eutectic
