#include "autodiff/residuals/halide/mask.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

using Condition = std::function<Expr(const std::vector<Expr> &)>;

// Byte b holds the elements min + 8b … min + 8b + 7 of dimension 0.
void pack(Func mask, const std::vector<std::string> &names, const Interval &innermost,
          const Condition &condition) {
    std::vector<Var> vars(names.begin(), names.end());
    vars[0] = Var("byte");
    std::vector<Expr> args(vars.begin(), vars.end());
    Expr packed;
    for (int bit = 0; bit < 8; bit++) {
        const Expr at = innermost.min + 8 * vars[0] + bit;
        args[0] = clamp(at, innermost.min, innermost.max);
        const Expr value =
            select(condition(args) && at <= innermost.max, make_const(UInt(8), 1 << bit), make_zero(UInt(8)));
        packed = packed.defined() ? packed | value : value;
    }
    mask(vars) = packed;
}

}  // namespace

MadeResidual packed_mask(const std::vector<std::string> &vars, const SymbolicRegion &region,
                         const Condition &condition) {
    const Interval &innermost = region[0];
    MadeResidual mask;
    mask.kind = "mask";
    mask.type = UInt(8);
    mask.region = region;
    mask.region[0] = Interval(0, simplify_index((innermost.max - innermost.min) / 8));
    mask.define = [=](const Func &func) { pack(func, vars, innermost, condition); };
    mask.read = [innermost](const auto &tensor, const std::vector<Expr> &args) {
        std::vector<Expr> at = args;
        const Expr element = simplify_index(args[0] - innermost.min);
        at[0] = element / 8;
        // Not an & with 1 << n: where vectors are 8 elements of one byte, Halide (21) never ends solving that
        // for the loop, when it cuts off the guarded part.
        return ((tensor(at) >> cast(UInt(8), element % 8)) & make_one(UInt(8))) != make_zero(UInt(8));
    };
    return mask;
}

}  // namespace eutectic
