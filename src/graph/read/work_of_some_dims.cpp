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

/** What a dim changes: its variable, and what the update keeps at each point. */
Contains changed_along(const std::string &variable, const std::string &self) {
    return Contains([=](const Expr &e) {
        const auto *v = e.as<Variable>();
        const auto *load = e.as<Call>();
        return (v && v->name == variable) || (load && load->call_type == Call::Halide && load->name == self);
    });
}

class Split {
public:
    Split(const Stage &stage, const std::string &self, const BodyReader &bodies) : bodies_(bodies) {
        for (const Dim &dim : stage.dims) {
            changed_.push_back(changed_along(dim.name, self));
        }
    }

    /** Adds the largest expressions in `e` that not all dims change. */
    void add(const Expr &e) {
        for_each_node(e, [&](const Expr &node) {
            if (!seen_.insert(node.get()).second) {
                return false;
            }
            std::vector<bool> depends;
            for (Contains &changed : changed_) {
                depends.push_back(changed(node));
            }
            if (std::find(depends.begin(), depends.end(), false) == depends.end()) {
                const auto *load = node.as<Call>();
                return !load || load->call_type != Call::Halide;  // indices are the load's
            }
            largest_.emplace_back(node, depends);
            return false;
        });
    }

    std::vector<HoistedWork> found() const {
        std::set<const IRNode *> inside;  // as alpha is of 1 - alpha: it is counted there
        for (const auto &of : largest_) {
            for_each_node(of.first, [&, &whole = of.first](const Expr &node) {
                return node.same_as(whole) || inside.insert(node.get()).second;
            });
        }
        std::map<std::vector<bool>, ExprSummary> by_dims;
        for (const auto &[e, depends] : largest_) {
            const ExprSummary work = bodies_.work(e);
            if (work.operations() > 0 && inside.count(e.get()) == 0) {
                by_dims[depends] += work;
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
    const BodyReader &bodies_;
    std::vector<Contains> changed_;  ///< by each dim
    std::set<const IRNode *> seen_;
    std::vector<std::pair<Expr, std::vector<bool>>> largest_;
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
