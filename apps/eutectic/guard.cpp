#include "apps/eutectic/guard.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

#include "base/user_error.h"

namespace eutectic {

namespace {

/** What the working process tells the one that waits for it. */
struct Shared {
    char sentence[2048];
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

std::string last_line(const std::string &text) {
    const size_t end = text.find_last_not_of("\n ") + 1;
    return text.substr(0, end).substr(text.substr(0, end).rfind('\n') + 1);
}

std::string ending(int status) {
    const std::string said = last_line(take_errors());
    return !said.empty()         ? said
           : WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                 : "exit status " + std::to_string(WEXITSTATUS(status));
}

std::string filled_in(std::string sentence, const std::string &with) {
    const size_t place = sentence.find("{}");
    return place == std::string::npos ? sentence : sentence.replace(place, 2, with);
}

void ignore(int signal) {
    struct sigaction action = {};
    action.sa_handler = SIG_IGN;
    sigaction(signal, &action, nullptr);
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
    set_crash_sentence("The command was ended ({}).");
    const pid_t child = fork();
    if (child < 0) {
        std::fprintf(stderr, "eutectic: No process can be made: end others first.\n");
        return 2;
    }
    if (child == 0) {
        const int status = work();
        shared->finished = true;
        return status;
    }
    ignore(SIGINT);  // the terminal sends it to the child as well; what is left is removed here
    ignore(SIGTERM);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && shared->finished) {
        return WEXITSTATUS(status);
    }
    for (const char *folder : shared->scratch) {
        if (*folder) {
            std::error_code left;  // nothing more can be done about it
            std::filesystem::remove_all(folder, left);
        }
    }
    // Ended by whoever asked, or nobody reads any more (| head): there is nothing to say.
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (signal == SIGINT || signal == SIGTERM || signal == SIGPIPE) {
        return 128 + signal;
    }
    std::fprintf(stderr, "eutectic: %s\n", filled_in(shared->sentence, ending(status)).c_str());
    return 2;
}

void set_crash_sentence(const std::string &sentence) {
    copy(sentence, shared->sentence, sizeof shared->sentence);
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
