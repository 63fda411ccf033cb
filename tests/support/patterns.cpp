#include "tests/support/patterns.h"

#include <memory>
#include <stdexcept>

#include "graph/read/quotients.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic::test {

namespace {

template<class P>
P &add(Stage &stage, const P &pattern) {
    auto added = std::make_shared<P>(pattern);
    stage.patterns.push_back(added);
    return *added;
}

OnlineUpdate &add_online(Stage &update, FuncId maximum, const std::vector<Read> &values) {
    OnlineUpdate &online = add(update, OnlineUpdate());
    online.maximum = maximum;
    online.others = {maximum};
    online.update = {work(9, 0, 1), false, edges_of(update.dims.size(), values)};
    online.merge = work(9, 0, 1);
    return online;
}

}  // namespace

void row_division(Sketch &s, FuncId quotient, const DimFlags &dims) {
    add(s.stage(quotient), RowDivision(dims));
}

LateDivision &late_division(Sketch &s, FuncId sum, FuncId quotient, const std::vector<Read> &numerator,
                            const std::vector<Read> &undivided, const Read &divisor) {
    Stage &update = s.stage(sum, 0);
    LateDivision &late = add(update, LateDivision());
    late.quotient = quotient;
    late.from_zero = true;
    late.undivided = {update.body, true, edges_of(update.dims.size(), undivided)};
    late.division = {work(0, 1), false, edges_of(s.func(sum).extents.size(), {divisor})};
    if (quotient < 0) {
        late.undivided.body.divisions -= 1;
    } else {
        late.others = {quotient};
        late.numerator = {s.stage(quotient).body, false,
                          edges_of(s.func(quotient).extents.size(), numerator)};
        late.numerator.body.divisions -= 1;
    }
    return late;
}

OnlineUpdate &online(Sketch &s, FuncId sum, FuncId maximum, const std::vector<Read> &values) {
    return add_online(s.stage(sum, 0), maximum, values);
}

void line_of_rows(Sketch &s, FuncId func, const BufferDim &columns) {
    Stage &stage = s.stage(func);
    stage.simplified.emplace_back(run_time_quotients_rewrite);
    add(stage, LineOfRows(columns));
}

LateDivision &own_late_division(Graph &graph, FuncId sum) {
    Stage &update = graph.stages[graph.funcs[sum].stages.back()];
    for (std::shared_ptr<const Pattern> &p : update.patterns) {
        if (const auto *late = dynamic_cast<const LateDivision *>(p.get())) {
            auto own = std::make_shared<LateDivision>(*late);
            p = own;
            return *own;
        }
    }
    return add(update, LateDivision());
}

Graph long_softmax(int64_t columns, int64_t rows) {
    constexpr FuncId x = 0, largest = 1, sum = 3;
    Graph g = softmax(columns, rows);
    add_online(g.stages[g.funcs[sum].stages.back()], largest, {{x, {at(1), at(0)}}});
    return g;
}

Rule rewrite_rule_named(const std::string &name) {
    for (const std::vector<Rule> &rules : {cpu_rewrite_rules(), gpu_rewrite_rules()}) {
        for (const Rule &rule : rules) {
            if (rule.name == name) {
                return rule;
            }
        }
    }
    throw std::logic_error("no rewrite has a rule named " + name);
}

}  // namespace eutectic::test
