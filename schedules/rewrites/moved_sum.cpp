// f(i) = e(i);  f(i) += g(r, i)   →   s(i) += g(r, i);  f(i) = e(i) + s(i)
//
// Policies ask for it where an output is written by loops of its own. Exact where e is the operator's neutral
// element, so its grade is the policy's to say.

#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic {

using namespace Halide;

namespace {

class MovedSum : public MadeRewrite {
public:
    const char *name() const override {
        return "moved_sum";
    }
    const char *function() const override {
        return "move_sum";
    }
    Func make(const RewriteArguments &a) const override {
        return move_sum(a.func);
    }
};

}  // namespace

const MadeRewrite &moved_sum() {
    static const MovedSum rewrite;
    return rewrite;
}

}  // namespace eutectic
