#include "contract_shapes.h"

#include "autodiff/contract/sizes.h"
#include "autodiff/estimates.h"

#include <sstream>
#include <stdexcept>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic::test {

Buffer<> allocate(const ContractResidual &residual, const std::map<std::string, Buffer<>> &buffers,
                  const std::map<std::string, Expr> &scalars) {
    const auto number = [&](const Expr &e) {
        Expr known = replace_buffer_extents(e, [&](const Parameter &p, const std::string &what, int d) {
            const auto dim = buffers.at(p.name()).dim(d);
            return Expr(what == "min" ? dim.min() : dim.extent());
        });
        known = simplify(substitute(scalars, known));
        const auto value = as_const_int(known);
        if (!value || !size_text(e, code()) || !size_text(e, people())) {
            std::ostringstream message;
            message << "the contract of " << residual.info.name << " says " << e << ", which is " << known;
            throw std::runtime_error(message.str());
        }
        return static_cast<int>(*value);
    };
    std::vector<int> mins, extents;
    for (const Range &dimension : as_min_extent(residual.in_forward)) {
        mins.push_back(number(dimension.min));
        extents.push_back(number(dimension.extent));
    }
    Buffer<> buffer(residual.type, extents);
    buffer.set_min(mins);
    return buffer;
}

}  // namespace eutectic::test
