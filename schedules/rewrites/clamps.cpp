// x(max(min(j, last), 0))   →   x(max(min(likely(j), last), 0))
//
// Always made on CPUs of definitions with such clamps: Halide cuts loops where points begin and cease to lie
// inside, and loads whole vectors between. The same values.

#include "graph/read/clamps.h"
#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic {

using namespace Halide;

namespace {

class Clamps : public MadeRewrite {
public:
    const char *name() const override {
        return bare_clamps_rewrite;
    }
    Takes takes() const override {
        return Takes::simplified;
    }
    bool on_gpus() const override {
        return false;
    }
    const char *function() const override {
        return "mark_likely_clamps";
    }
    Func make(const RewriteArguments &a) const override {
        mark_likely_clamps(a.func);
        return {};
    }
};

}  // namespace

const MadeRewrite &clamps() {
    static const Clamps rewrite;
    return rewrite;
}

}  // namespace eutectic
