#include "apps/photo/kernels.h"

#include "photo_loss_residuals.h"
#include "photo_loss_unfused_residuals.h"
#include "photo_restore.h"
#include "photo_restore_unfused.h"

#include <mutex>
#include <stdexcept>
#include <string>

namespace eutectic::photo {

namespace {

struct Fused {
    using Kept = photo_loss_residuals;
    static constexpr auto restore = photo_restore;
};

struct Unfused {
    using Kept = photo_loss_unfused_residuals;
    static constexpr auto restore = photo_restore_unfused;
};

std::mutex last_error_mutex;
std::string last_error;

/// Without it, an error of a kernel ends the process; with it, the kernel returns.
void keep_error(void *, const char *sentence) {
    const std::lock_guard<std::mutex> lock(last_error_mutex);
    last_error = sentence;
}

[[noreturn]] void fail(const std::string &refusal) {
    const std::lock_guard<std::mutex> lock(last_error_mutex);
    throw std::runtime_error(last_error.empty() ? refusal : last_error);
}

template<typename Kind>
class KernelsOf : public Kernels {
public:
    KernelsOf() {
        halide_set_error_handler(keep_error);
    }

    void restore(Floats &in, Parameters &p, Floats &out) override {
        if (Kind::restore(in, p.spread, p.strength, p.sharpen, p.coring, p.tone, out) != 0) {
            fail("");
        }
    }

    float differentiate(Floats &in, Parameters &p, Floats &target, Parameters &g) override {
        auto loss = Floats::make_scalar(), upstream = Floats::make_scalar();
        upstream() = 1;
        if (in.width() != columns_ || in.height() != rows_) {
            require(kept_.allocate({in, p.spread, p.strength, p.sharpen, p.coring, p.tone, target}, {loss}));
            columns_ = in.width(), rows_ = in.height();
        }
        require(kept_.forward({in, p.spread, p.strength, p.sharpen, p.coring, p.tone, target}, {loss}));
        require(kept_.backward({in, p.spread, p.strength, p.sharpen, p.coring, p.tone, target}, {loss},
                               {upstream}, {g.spread, g.strength, g.sharpen, g.coring, g.tone}));
        return loss();
    }

private:
    void require(int code) {
        if (code != 0) {
            fail(kept_.refusal);
        }
    }

    typename Kind::Kept kept_;  // of pictures of this size
    int columns_ = 0, rows_ = 0;
};

}  // namespace

std::unique_ptr<Kernels> fused_kernels() {
    return std::make_unique<KernelsOf<Fused>>();
}

std::unique_ptr<Kernels> unfused_kernels() {
    return std::make_unique<KernelsOf<Unfused>>();
}

void use_threads(int threads) {
    if (threads > 0) {
        halide_set_num_threads(threads);
    }
}

}  // namespace eutectic::photo
