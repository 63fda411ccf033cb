#pragma once

// Sums over ranks by NCCL, where EUTECTIC_NCCL has built it in (nccl_reduction.cpp; otherwise no_nccl.cpp).

#include "apps/distributed/reduction.h"

namespace eutectic::distributed {

/// Throws UserError, with what --reduce nccl lacks, unless it is built in and every rank of this machine has
/// a GPU.
void require_nccl(const World &world);

/// As make_reduction() for fast numerics. Gradients are made on CPUs: a bucket is copied to this rank's GPU,
/// summed there over all ranks, and copied back, all of it while the backward goes on. After require_nccl().
std::unique_ptr<Reduction> make_nccl_reduction(const World &world, std::vector<BucketMemory> &buckets);

}  // namespace eutectic::distributed
