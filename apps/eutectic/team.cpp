#include "apps/eutectic/team.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "apps/eutectic/mpi/messages.h"
#include "base/process.h"
#include "base/user_error.h"

namespace eutectic {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::chrono::milliseconds nap{5};

/** As Open MPI's mpirun tells, or another's. */
int started_ranks() {
    for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
        if (const char *const ranks = std::getenv(name)) {
            return static_cast<int>(std::strtol(ranks, nullptr, 10));
        }
    }
    return 1;
}

/** Beside this program, as the plugin. */
std::string library() {
    const fs::path root = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
    for (const char *folder : {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"}) {
        const fs::path path = root / folder / "libeutectic_mpi.so";
        if (fs::exists(path)) {
            return path.string();
        }
    }
    return "";
}

}  // namespace

int Team::rank() const {
    return messages_.rank;
}

int Team::ranks() const {
    return messages_.ranks;
}

void Team::send(int to, const json &message) const {
    const std::string text = message.dump();
    messages_.send(to, text.data(), static_cast<int64_t>(text.size()));
}

std::optional<Team::Message> Team::receive() const {
    int from = 0;
    const char *bytes = nullptr;
    const int64_t size = messages_.receive(&from, &bytes);
    return size < 0 ? std::nullopt : std::optional<Message>({from, json::parse(bytes, bytes + size)});
}

std::optional<Team::Message> Team::wait() const {
    while (!interrupted()) {
        if (std::optional<Message> message = receive()) {
            return message;
        }
        std::this_thread::sleep_for(nap);
    }
    return std::nullopt;
}

void Team::end() const {
    messages_.end();
}

std::unique_ptr<Team> join_team(const char *command) {
    const int ranks = started_ranks();
    if (ranks <= 1) {
        return nullptr;
    }
    const std::string asked =
        std::string(command) + " was started on " + std::to_string(ranks) + " ranks by mpirun, and ";
    const std::string path = library();
    if (path.empty()) {
        throw UserError(asked +
                        "this eutectic was built without MPI: install Debian's libopenmpi-dev and build "
                        "anew, or start it without mpirun.");
    }
    // Global: Open MPI opens libraries of its own, which look for its symbols there.
    void *const opened = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    using Join = const EutecticMessages *();
    Join *const join = opened ? reinterpret_cast<Join *>(dlsym(opened, "eutectic_messages")) : nullptr;
    const EutecticMessages *const messages = join ? join() : nullptr;
    if (!messages) {
        const char *const why = opened ? nullptr : dlerror();
        throw UserError(asked + "MPI cannot be used (" + (why ? why : "it does not start") +
                        "): use the mpirun of the MPI that eutectic was built with.");
    }
    return std::make_unique<Team>(*messages);
}

}  // namespace eutectic
