// f, read by r and by others   →   f once more, for r alone
//
// Policies ask for it where r's loops compute f for themselves. The same values.

#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic {

using namespace Halide;

namespace {

class Again : public MadeRewrite {
public:
    const char *name() const override {
        return "again";
    }
    bool makes_several() const override {
        return true;
    }
    const char *function() const override {
        return "compute_again";
    }
    Func make(const RewriteArguments &a) const override {
        return compute_again(a.func, a.others.at(0));
    }
};

}  // namespace

const MadeRewrite &again() {
    static const Again rewrite;
    return rewrite;
}

}  // namespace eutectic
