#include "apps/distributed/nccl_reduction.h"

#include "base/user_error.h"

namespace eutectic::distributed {

void require_nccl(const World &) {
    throw UserError("--reduce nccl was asked for, and this distributed was built without NCCL; build it with "
                    "-DEUTECTIC_NCCL=ON where CUDA and NCCL are, or leave the option out.");
}

std::unique_ptr<Reduction> make_nccl_reduction(const World &world, std::vector<BucketMemory> &) {
    require_nccl(world);
    return nullptr;
}

}  // namespace eutectic::distributed
