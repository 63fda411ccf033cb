#pragma once

// What lib/libeutectic_mpi.so is asked for. The command eutectic does not need MPI to start: it opens this
// library only where mpirun has started it.

#include <cstdint>

extern "C" {

struct EutecticMessages {
    int rank, ranks;

    /// Sends `size` bytes, which are copied, to a rank. Returns at once.
    void (*send)(int to, const char *bytes, int64_t size);

    /// Takes the next message that has arrived: its size, and whose it is; −1 if there is none. `bytes` stay
    /// until the next call.
    int64_t (*receive)(int *from, const char **bytes);

    /// After the last message: waits until all ranks are here.
    void (*end)();
};

/// Joins the ranks that mpirun has started. nullptr if MPI cannot be.
const EutecticMessages *eutectic_messages();
}
