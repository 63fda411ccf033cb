// j / width, j % width   →   products with 1 / width in double precision
//
// Always made of what was read so, on CPUs: their vectors have no integer division, which GPUs have. The same
// values.

#include "graph/read/quotients.h"
#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic {

using namespace Halide;

namespace {

class Quotients : public MadeRewrite {
public:
    const char *name() const override {
        return run_time_quotients_rewrite;
    }
    Takes takes() const override {
        return Takes::simplified;
    }
    bool on_gpus() const override {
        return false;
    }
    const char *function() const override {
        return "multiply_for_quotients";
    }
    Func make(const RewriteArguments &a) const override {
        multiply_for_quotients(a.func);
        return {};
    }
};

}  // namespace

const MadeRewrite &quotients() {
    static const Quotients rewrite;
    return rewrite;
}

}  // namespace eutectic
