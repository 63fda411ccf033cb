#include "apps/distributed/world.h"

#include "apps/distributed/mpi_call.h"
#include "base/user_error.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

namespace eutectic::distributed {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A wait that lasts is one for something slow: from here on other processes may have the core.
constexpr double busy_seconds = 1e-3;

/// How long a rank sleeps that has nothing to do for long.
constexpr std::chrono::milliseconds nap{1};

/// Rounds of a message there and back: some milliseconds at the latency of Ethernet.
constexpr int message_rounds = 50;

/// In place, on every rank.
void reduce(void *numbers, int count, MPI_Datatype type, MPI_Op operation, double patience) {
    const char *const what = "a comparison of ranks";
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, numbers, count, type, operation, MPI_COMM_WORLD, &request), what);
    finish(request, what, patience);
}

/// The text of one rank, on every rank.
std::string text_of(int rank, std::string text, double patience) {
    const char *const what = "a text of another rank";
    MPI_Request request = MPI_REQUEST_NULL;
    int64_t length = static_cast<int64_t>(text.size());
    check_mpi(MPI_Ibcast(&length, 1, MPI_INT64_T, rank, MPI_COMM_WORLD, &request), what);
    finish(request, what, patience);
    text.resize(static_cast<size_t>(length));
    check_mpi(MPI_Ibcast(text.data(), static_cast<int>(length), MPI_CHAR, rank, MPI_COMM_WORLD, &request),
              what);
    finish(request, what, patience);
    return text;
}

}  // namespace

void check_mpi(int status, const char *what) {
    if (status == MPI_SUCCESS) {
        return;
    }
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(status, words, &length);
    throw LostRank(std::string(what) + " failed: " + words);
}

bool is_done(MPI_Request &request, const char *what) {
    int done = 0;
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
    return done != 0;
}

void finish(MPI_Request &request, const char *what, double patience) {
    const auto start = Clock::now();
    while (!is_done(request, what)) {
        const double waited = seconds_since(start);
        if (waited > patience) {
            throw LostRank(std::string(what) + " has been waited for for " +
                           std::to_string(static_cast<int>(patience)) + " s, and a rank does not answer");
        }
        if (waited > busy_seconds) {
            std::this_thread::yield();
        }
    }
}

World::World(int *argc, char ***argv) {
    if (MPI_Init(argc, argv) != MPI_SUCCESS) {
        throw std::runtime_error("MPI could not be started");
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    MPI_Comm machine;
    check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
              "the count of this machine's ranks");
    MPI_Comm_size(machine, &local_ranks_);
    MPI_Comm_rank(machine, &local_rank_);
    MPI_Comm_free(&machine);
    cores_ = std::max(1u, std::thread::hardware_concurrency());
    has_cores_for_all_ = largest(local_ranks_ > cores_ ? 1 : 0) < 1;
}

World::~World() {
    MPI_Finalize();
}

void World::together(const std::function<void()> &step) const {
    std::string sentence;
    try {
        step();
    } catch (const UserError &error) {
        sentence = error.what();
    }
    int failed = sentence.empty() ? ranks_ : rank_;
    reduce(&failed, 1, MPI_INT, MPI_MIN, patience);
    if (failed == ranks_) {
        return;
    }
    throw UserError(text_of(failed, sentence, patience));
}

std::string World::of_first(const std::string &text) const {
    return text_of(0, text, patience);
}

bool World::same(uint64_t number) const {
    uint64_t ends[2] = {number, ~number};  // the least of both: the least, and the largest's complement
    reduce(ends, 2, MPI_UINT64_T, MPI_MIN, patience);
    return ends[0] == ~ends[1];
}

double World::largest(double number) const {
    reduce(&number, 1, MPI_DOUBLE, MPI_MAX, patience);
    return number;
}

void World::wait_for_all() const {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibarrier(MPI_COMM_WORLD, &request), "a barrier");
    const auto start = Clock::now();
    while (!is_done(request, "a barrier")) {
        if (seconds_since(start) > patience) {
            throw LostRank("a barrier has been waited for for " + std::to_string(static_cast<int>(patience)) +
                           " s, and a rank does not answer");
        }
        std::this_thread::sleep_for(nap);
    }
}

double World::message_seconds(int64_t bytes) const {
    std::vector<char> message(static_cast<size_t>(bytes));
    const int size = static_cast<int>(bytes);
    double least = 1e300;
    for (int round = 0; round < message_rounds && rank_ < 2; round++) {
        const auto start = Clock::now();
        for (int sender : {0, 1}) {
            check_mpi(rank_ == sender ? MPI_Send(message.data(), size, MPI_CHAR, 1 - rank_, 0, MPI_COMM_WORLD)
                                      : MPI_Recv(message.data(), size, MPI_CHAR, 1 - rank_, 0, MPI_COMM_WORLD,
                                                 MPI_STATUS_IGNORE),
                      "a message");
        }
        least = std::min(least, seconds_since(start) / 2);
    }
    wait_for_all();
    return least;
}

double World::add_seconds(int64_t bytes) const {
    std::vector<float> from(static_cast<size_t>(bytes) / sizeof(float)), into(from.size());
    double least = 1e300;
    for (int round = 0; round < message_rounds; round++) {
        const auto start = Clock::now();
        check_mpi(
            MPI_Reduce_local(from.data(), into.data(), static_cast<int>(from.size()), MPI_FLOAT, MPI_SUM),
            "a sum");
        least = std::min(least, seconds_since(start));
    }
    return least;
}

void World::abort(int status) const {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
}

}  // namespace eutectic::distributed
