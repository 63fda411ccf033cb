#include "apps/distributed/reduction.h"

#include "apps/distributed/mpi_call.h"

#include <chrono>
#include <map>

namespace eutectic::distributed {

namespace {

/// What both have in common: a request a bucket.
class Requests : public Reduction {
public:
    Requests(const World &world, std::vector<BucketMemory> &buckets, int shards)
        : world_(world), buckets_(buckets), shards_(shards) {
    }

    void begin(size_t bucket) override {
        requests_.resize(buckets_.size(), MPI_REQUEST_NULL);
        start(buckets_[bucket], requests_[bucket]);
    }

    void progress() override {
        for (MPI_Request &request : requests_) {
            if (request != MPI_REQUEST_NULL) {
                is_done(request, "the sum of a bucket");
            }
        }
    }

    double finish(size_t bucket) override {
        const auto begun = std::chrono::steady_clock::now();
        distributed::finish(requests_[bucket], "the sum of a bucket", world_.patience);
        const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        arrived(buckets_[bucket]);
        return waited;
    }

protected:
    virtual void start(BucketMemory &bucket, MPI_Request &request) = 0;
    virtual void arrived(BucketMemory &bucket) = 0;

    const World &world_;
    std::vector<BucketMemory> &buckets_;
    const int shards_;

private:
    std::vector<MPI_Request> requests_;
};

class FixedTree final : public Requests {
public:
    using Requests::Requests;

    bool needs_all_shards() const override {
        return true;
    }
    std::string name() const override {
        return "gathered, and summed in one fixed tree";
    }

protected:
    // Each rank's own blocks are where they belong: nothing is copied to be sent.
    void start(BucketMemory &bucket, MPI_Request &request) override {
        const Blocks &blocks = blocks_of(bucket.size());
        check_mpi(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_FLOAT, bucket.sum(), blocks.counts.data(),
                                  blocks.places.data(), MPI_FLOAT, MPI_COMM_WORLD, &request),
                  "the gathering of a bucket");
    }
    void arrived(BucketMemory &bucket) override {
        sum_in_tree(bucket.sum(), shards_, bucket.size());
    }

private:
    /// Floats of each rank, and where they begin. Kept, since MPI reads them until a request is done.
    struct Blocks {
        std::vector<int> counts, places;
    };

    const Blocks &blocks_of(int64_t size) {
        Blocks &blocks = blocks_[size];
        for (int rank = static_cast<int>(blocks.counts.size()); rank < world_.ranks(); rank++) {
            const Owned own = owned_shards(shards_, world_.ranks(), rank);
            blocks.counts.push_back(static_cast<int>(own.count() * size));
            blocks.places.push_back(static_cast<int>(own.first * size));
        }
        return blocks;
    }

    std::map<int64_t, Blocks> blocks_;
};

class AllReduce final : public Requests {
public:
    using Requests::Requests;

    bool needs_all_shards() const override {
        return false;
    }
    std::string name() const override {
        return "all-reduced";
    }

protected:
    void start(BucketMemory &bucket, MPI_Request &request) override {
        sum_in_tree(bucket.sum(), bucket.blocks(), bucket.size());
        check_mpi(MPI_Iallreduce(MPI_IN_PLACE, bucket.sum(), static_cast<int>(bucket.size()), MPI_FLOAT,
                                 MPI_SUM, MPI_COMM_WORLD, &request),
                  "the sum of a bucket");
    }
    void arrived(BucketMemory &) override {
    }
};

class Lone final : public Reduction {
public:
    explicit Lone(std::vector<BucketMemory> &buckets) : buckets_(buckets) {
    }
    bool needs_all_shards() const override {
        return true;
    }
    void begin(size_t) override {
    }
    void progress() override {
    }
    double finish(size_t bucket) override {
        BucketMemory &memory = buckets_[bucket];
        sum_in_tree(memory.sum(), memory.blocks(), memory.size());
        return 0;
    }
    std::string name() const override {
        return "summed";
    }

private:
    std::vector<BucketMemory> &buckets_;
};

}  // namespace

BucketMemory::BucketMemory(int64_t size, int shards, Owned own, bool all_shards)
    : size_(size),
      first_(all_shards ? 0 : own.first),
      floats_(static_cast<size_t>(size * (all_shards ? shards : own.count()))) {
}

std::unique_ptr<Reduction> make_reduction(const std::string &numerics, const World &world,
                                          std::vector<BucketMemory> &buckets, int shards) {
    if (numerics == "strict") {
        return std::make_unique<FixedTree>(world, buckets, shards);
    }
    return std::make_unique<AllReduce>(world, buckets, shards);
}

std::unique_ptr<Reduction> make_lone_reduction(std::vector<BucketMemory> &buckets) {
    return std::make_unique<Lone>(buckets);
}

}  // namespace eutectic::distributed
