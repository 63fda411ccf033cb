// Messages over MPI, for eutectic tune.

#include "messages.h"

// Without the C++ bindings that MPI 3 has dropped.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <list>
#include <string>

namespace {

struct Sent {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
};
std::list<Sent> on_their_way;
std::string received;

/// MPI moves messages on while it is called.
void let_go() {
    on_their_way.remove_if([](Sent &sent) {
        int done = 0;
        MPI_Test(&sent.request, &done, MPI_STATUS_IGNORE);
        return done != 0;
    });
}

void send(int to, const char *bytes, int64_t size) {
    let_go();
    Sent &sent = on_their_way.emplace_back();
    sent.bytes.assign(bytes, static_cast<size_t>(size));
    MPI_Isend(sent.bytes.data(), static_cast<int>(size), MPI_CHAR, to, 0, MPI_COMM_WORLD, &sent.request);
}

int64_t receive(int *from, const char **bytes) {
    let_go();
    int there = 0, size = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    if (there == 0) {
        return -1;
    }
    MPI_Get_count(&status, MPI_CHAR, &size);
    received.resize(static_cast<size_t>(size));
    MPI_Recv(received.data(), size, MPI_CHAR, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *from = status.MPI_SOURCE;
    *bytes = received.data();
    return size;
}

void end() {
    for (Sent &sent : on_their_way) {
        MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
    }
    on_their_way.clear();
    MPI_Finalize();
}

EutecticMessages messages = {0, 1, send, receive, end};

}  // namespace

const EutecticMessages *eutectic_messages() {
    if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS) {
        return nullptr;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &messages.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &messages.ranks);
    return &messages;
}
