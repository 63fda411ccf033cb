#pragma once

// Without the C++ bindings that MPI 3 has dropped.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace eutectic::distributed {

/// Throws LostRank, with MPI's own words, unless `status` is MPI_SUCCESS. `what` was being done: "the sum of
/// a bucket".
void check_mpi(int status, const char *what);

/// Whether the request is done; MPI moves data while it is asked.
bool is_done(MPI_Request &request, const char *what);

/// Asks until the request is done. Throws LostRank after `patience` seconds.
void finish(MPI_Request &request, const char *what, double patience);

}  // namespace eutectic::distributed
