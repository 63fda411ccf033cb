// f, read by r and by others   →   f once more, for r alone
//
// Policies ask for it where r's loops compute f for themselves. The same values.

#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic {

using namespace Halide;

namespace {

class Recomputed : public MadeRewrite {
public:
    const char *name() const override {
        return "recomputed";
    }
    const char *function() const override {
        return "recompute";
    }
    Func make(const RewriteArguments &a) const override {
        return recompute(a.func, a.others.at(0));
    }
};

}  // namespace

const MadeRewrite &recomputed() {
    static const Recomputed rewrite;
    return rewrite;
}

}  // namespace eutectic
