#include "autodiff/shifts.h"

#include "autodiff/expr_tools.h"
#include "autodiff/rules/match.h"
#include "autodiff/rules/row_softmax.h"

#include <map>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

std::optional<RowSoftmax> independent_of_shift(const Function &f) {
    for (const auto form : {softmax_of, log_softmax_of, softmax_xent_of}) {
        if (auto row = form(f)) {
            return row;
        }
    }
    return std::nullopt;
}

}  // namespace

std::set<std::string> needless_shifts(const std::vector<Function> &order,
                                      const std::set<std::string> &outputs) {
    std::map<std::string, std::vector<Function>> readers;
    std::set<std::string> shifts;
    for (const Function &f : order) {
        for (const auto &[name, callee] : find_direct_calls(f)) {
            if (name != f.name()) {
                readers[name].push_back(f);
            }
        }
        if (const auto row = independent_of_shift(f)) {
            shifts.insert(row->max.name());
        }
    }
    // Does all that reads `name`, which depends on the shift, end in something that does not?
    const std::function<bool(const std::string &, const std::string &)> is_needless =
        [&](const std::string &name, const std::string &shift) {
            if (outputs.count(name)) {
                return false;
            }
            for (const Function &reader : readers[name]) {
                const auto row = independent_of_shift(reader), sum = row_softmax(reader);
                const bool ends = row && row->max.name() == shift;
                const bool goes_on =
                    (sum && sum->max.name() == shift) || is_pure(reader);  // which is part of what it ends in
                if (!ends && (!goes_on || !is_needless(reader.name(), shift))) {
                    return false;
                }
            }
            return true;
        };
    std::set<std::string> result;
    for (const std::string &shift : shifts) {
        if (is_needless(shift, shift)) {
            result.insert(shift);
        }
    }
    return result;
}

}  // namespace eutectic
