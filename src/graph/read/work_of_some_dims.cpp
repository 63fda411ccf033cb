#include "graph/read/work_of_some_dims.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/read/read_expr.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

void for_each_operand(const Expr &e, const std::function<void(const Expr &)> &visit) {
    for_each_node(e, [&](const Expr &node) {
        if (node.same_as(e)) {
            return true;
        }
        visit(node);
        return false;
    });
}

class Split {
public:
    Split(const Stage &stage, const std::string &self, const BodyReader &bodies)
        : dims_(positions(stage.dims)), count_(stage.dims.size()), self_(self), bodies_(bodies) {
    }

    /** Adds the largest expressions in `e` that not all dims change. */
    void add(const Expr &e) {
        if (!seen_.insert(e.get()).second) {
            return;
        }
        const DimFlags &depends = changed_by(e);
        if (std::find(depends.begin(), depends.end(), false) == depends.end()) {
            const auto *load = e.as<Call>();
            if (!load || load->call_type != Call::Halide) {  // indices are the load's
                for_each_operand(e, [&](const Expr &operand) { add(operand); });
            }
            return;
        }
        largest_.emplace_back(e, depends);
    }

    std::vector<HoistedWork> found() const {
        std::map<std::vector<bool>, ExprSummary> by_dims;
        for (const auto &[e, depends] : largest_) {
            const ExprSummary work = bodies_.work(e);
            if (work.operations() > 0 && !is_part_of_another(e)) {
                by_dims[std::vector<bool>(depends.begin(), depends.end())] += work;
            }
        }
        std::vector<HoistedWork> result;
        for (const auto &[flags, work] : by_dims) {
            DimFlags depends;
            for (const bool flag : flags) {
                depends.push_back(flag);
            }
            result.push_back({work, depends});
        }
        return result;
    }

private:
    const std::map<std::string, DimId> dims_;
    const size_t count_;
    const std::string &self_;
    const BodyReader &bodies_;
    std::set<const IRNode *> seen_;
    std::map<const IRNode *, DimFlags> changed_by_;
    std::vector<std::pair<Expr, DimFlags>> largest_;

    /** As alpha is of 1 - alpha: it is counted there. */
    bool is_part_of_another(const Expr &e) const {
        return std::any_of(largest_.begin(), largest_.end(), [&](const auto &other) {
            bool inside = false;
            for_each_node(other.first, [&](const Expr &node) {
                inside = inside || (node.same_as(e) && !other.first.same_as(e));
                return !inside;
            });
            return inside;
        });
    }

    const DimFlags &changed_by(const Expr &e) {
        const auto known = changed_by_.find(e.get());
        if (known != changed_by_.end()) {
            return known->second;
        }
        DimFlags flags(count_, false);
        const auto *load = e.as<Call>();
        if (load && load->call_type == Call::Halide && load->name == self_) {
            flags.assign(count_, true);
        } else if (const auto *variable = e.as<Variable>()) {
            const auto dim = dims_.find(variable->name);
            if (dim != dims_.end()) {
                flags[dim->second] = true;
            }
        } else {
            for_each_operand(e, [&](const Expr &operand) {
                const DimFlags &of_operand = changed_by(operand);
                for (const DimId d : flags.ids()) {
                    flags[d] = flags[d] || of_operand[d];
                }
            });
        }
        return changed_by_.emplace(e.get(), flags).first->second;
    }
};

}  // namespace

std::vector<HoistedWork> work_of_some_dims(const std::vector<Expr> &values, const Stage &stage,
                                           const std::string &self, const BodyReader &bodies) {
    Split split(stage, self, bodies);
    for (const Expr &value : values) {
        split.add(without_lets(value));
    }
    return split.found();
}

}  // namespace eutectic
