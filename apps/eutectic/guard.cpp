#include "apps/eutectic/guard.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>

#include "base/user_error.h"

namespace eutectic {

namespace {

/** What the working process tells the one that waits for it. */
struct Shared {
    char sentence[2048];
    char scratch[4][4096];
};
Shared *shared = nullptr;

void copy(const std::string &text, char *to, size_t size) {
    std::strncpy(to, text.c_str(), size - 1);
    to[size - 1] = '\0';
}

std::string with_signal(std::string sentence, int signal) {
    const size_t place = sentence.find("{}");
    return place == std::string::npos ? sentence : sentence.replace(place, 2, strsignal(signal));
}

void ignore(int signal) {
    struct sigaction action = {};
    action.sa_handler = SIG_IGN;
    sigaction(signal, &action, nullptr);
}

}  // namespace

int guarded(const std::function<int()> &work) {
    void *const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    shared = new (memory) Shared();
    set_crash_sentence("The command was ended by a signal ({}).");
    const pid_t child = fork();
    if (child < 0) {
        std::fprintf(stderr, "eutectic: No process can be made: end others first.\n");
        return 2;
    }
    if (child == 0) {
        return work();
    }
    ignore(SIGINT);  // the terminal sends it to the child as well; what is left is removed here
    ignore(SIGTERM);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) {
        return WEXITSTATUS(status);
    }
    for (const char *folder : shared->scratch) {
        if (*folder) {
            std::error_code left;  // nothing more can be done about it
            std::filesystem::remove_all(folder, left);
        }
    }
    const int signal = WTERMSIG(status);
    if (signal == SIGINT || signal == SIGTERM) {
        return 128 + signal;
    }
    std::fprintf(stderr, "eutectic: %s\n", with_signal(shared->sentence, signal).c_str());
    return 2;
}

void set_crash_sentence(const std::string &sentence) {
    copy(sentence, shared->sentence, sizeof shared->sentence);
}

ScratchFolder::ScratchFolder(const std::string &parent) {
    std::string name = parent + "/.eutectic-XXXXXX";
    if (!mkdtemp(name.data())) {
        throw UserError("No folder can be made in " + parent + ": check that it is a folder, is writable and has room.");
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

}  // namespace eutectic
