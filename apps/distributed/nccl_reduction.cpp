#include "apps/distributed/nccl_reduction.h"

#include "base/user_error.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <chrono>
#include <thread>

namespace eutectic::distributed {

namespace {

void check(cudaError_t status, const char *what) {
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string(what) + " failed: " + cudaGetErrorString(status));
    }
}

void check(ncclResult_t status, const char *what) {
    if (status != ncclSuccess) {
        throw LostRank(std::string(what) + " failed: " + ncclGetErrorString(status));
    }
}

class NcclSum final : public Reduction {
public:
    NcclSum(const World &world, std::vector<BucketMemory> &buckets) : world_(world), buckets_(buckets) {
        int devices = 0;
        check(cudaGetDeviceCount(&devices), "the count of GPUs");
        check(cudaSetDevice(world.local_rank() % devices), "the choice of a GPU");
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
        ncclUniqueId id = {};
        if (world.rank() == 0) {
            check(ncclGetUniqueId(&id), "NCCL's start");
        }
        const std::string text = world.of_first(std::string(id.internal, sizeof id.internal));
        text.copy(id.internal, sizeof id.internal);
        check(ncclCommInitRank(&ranks_, world.ranks(), id, world.rank()), "NCCL's start");
        for (BucketMemory &bucket : buckets) {
            On on;
            check(cudaMalloc(reinterpret_cast<void **>(&on.gpu), bytes(bucket)), "memory for a bucket");
            // Where the host's memory may move, copies would not be asynchronous.
            check(cudaHostRegister(bucket.sum(), bytes(bucket), cudaHostRegisterDefault),
                  "memory for a bucket");
            check(cudaEventCreateWithFlags(&on.back, cudaEventDisableTiming), "an event");
            on_.push_back(on);
        }
    }

    ~NcclSum() override {
        cudaStreamSynchronize(stream_);
        for (size_t i = 0; i < on_.size(); i++) {
            cudaHostUnregister(buckets_[i].sum());
            cudaFree(on_[i].gpu);
            cudaEventDestroy(on_[i].back);
        }
        ncclCommDestroy(ranks_);
        cudaStreamDestroy(stream_);
    }

    bool needs_all_shards() const override {
        return false;
    }

    void begin(size_t bucket) override {
        BucketMemory &memory = buckets_[bucket];
        const On &on = on_[bucket];
        sum_in_tree(memory.sum(), memory.blocks(), memory.size());
        check(cudaMemcpyAsync(on.gpu, memory.sum(), bytes(memory), cudaMemcpyHostToDevice, stream_),
              "a copy to the GPU");
        check(ncclAllReduce(on.gpu, on.gpu, static_cast<size_t>(memory.size()), ncclFloat, ncclSum, ranks_,
                            stream_),
              "the sum of a bucket");
        check(cudaMemcpyAsync(memory.sum(), on.gpu, bytes(memory), cudaMemcpyDeviceToHost, stream_),
              "a copy from the GPU");
        check(cudaEventRecord(on.back, stream_), "an event");
    }

    /// The GPU goes on by itself.
    void progress() override {
    }

    double finish(size_t bucket) override {
        const auto begun = std::chrono::steady_clock::now();
        const auto waited = [&] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        };
        cudaError_t status;
        while ((status = cudaEventQuery(on_[bucket].back)) == cudaErrorNotReady) {
            ncclResult_t lost = ncclSuccess;
            check(ncclCommGetAsyncError(ranks_, &lost), "the sum of a bucket");
            check(lost, "the sum of a bucket");
            if (waited() > world_.patience) {
                throw LostRank("the sum of a bucket has been waited for for " +
                               std::to_string(static_cast<int>(world_.patience)) +
                               " s, and a rank does not answer");
            }
            std::this_thread::yield();
        }
        check(status, "the sum of a bucket");
        return waited();
    }

    std::string name() const override {
        return "all-reduced by NCCL";
    }

private:
    struct On {
        float *gpu = nullptr;
        cudaEvent_t back = nullptr;
    };

    static size_t bytes(const BucketMemory &bucket) {
        return static_cast<size_t>(bucket.size()) * sizeof(float);
    }

    const World &world_;
    std::vector<BucketMemory> &buckets_;
    std::vector<On> on_;
    cudaStream_t stream_ = nullptr;
    ncclComm_t ranks_ = nullptr;
};

}  // namespace

void require_nccl(const World &world) {
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status != cudaSuccess || devices < world.local_ranks()) {
        throw UserError("--reduce nccl was asked for, and NCCL needs a GPU for each of the " +
                        std::to_string(world.local_ranks()) + " ranks of this machine, which has " +
                        (status == cudaSuccess ? std::to_string(devices)
                                               : std::string("none (") + cudaGetErrorString(status) + ")") +
                        "; start fewer ranks here, or leave the option out.");
    }
}

std::unique_ptr<Reduction> make_nccl_reduction(const World &world, std::vector<BucketMemory> &buckets) {
    return std::make_unique<NcclSum>(world, buckets);
}

}  // namespace eutectic::distributed
