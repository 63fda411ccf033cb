// f(j, i) = x(j, i);  f(j, r) = v(j, r)   →   f(j, i) = select(r's range holds i, v(j, i), x(j, i))
//
// Always made of what was read so. The same values.

#include "graph/read/assigned_region.h"
#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic {

using namespace Halide;

namespace {

class Choice : public MadeRewrite {
public:
    const char *name() const override {
        return assigned_region_rewrite;
    }
    Takes takes() const override {
        return Takes::simplified;
    }
    const char *function() const override {
        return "choose_assigned";
    }
    bool replaces_func() const override {
        return true;
    }
    Func make(const RewriteArguments &a) const override {
        return choose_assigned(a.func);
    }
};

}  // namespace

const MadeRewrite &choice() {
    static const Choice rewrite;
    return rewrite;
}

}  // namespace eutectic
