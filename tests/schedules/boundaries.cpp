#include "boundaries.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "fusion/rules/rules.h"
#include "schedules/rewrites/made_rewrite.h"
#include "tests/support/machines.h"
#include "tests/support/pipelines.h"

using namespace Halide;

namespace eutectic::test {

namespace {

Var x("x"), y("y");

}  // namespace

std::string verdict(const std::vector<Func> &outputs, const std::string &name) {
    const Graph g = graph_of(outputs);
    const Planned planned = plan_greedy(g, round_machine(), cpu_rules(cpu_rewrite_rules()));
    for (const FuncId f : g.funcs.ids()) {
        if (g.funcs[f].name != name || g.funcs[f].input) {
            continue;
        }
        if (planned.plan.placements[f].kind != Placement::Kind::root) {
            return "fused";
        }
        const auto step = std::find_if(planned.weighed.begin(), planned.weighed.end(),
                                       [&](const Step &s) { return s.site.producer == f; });
        return keep_materialized(g, planned.plan.placements, f,
                                 step == planned.weighed.end() ? nullptr : &*step);
    }
    return "no such Func";
}

Program chain(const std::function<void(Func middle, Func out)> &schedule, const std::vector<int> &extents) {
    const ImageParam in = image("in", extents);
    Func before("before"), middle("middle"), after("after"), out("out");
    before(x, y) = in(x, y) + 1;
    middle(x, y) = before(x, y) * 3;
    after(x, y) = middle(x, y) + middle(x, max(y - 1, 0));
    out(x, y) = after(x, y) * 0.5f;
    estimate(out, extents);
    schedule(middle, out);
    return {{in}, {out}, {}};
}

const std::vector<Sizes> chain_sizes = {
    {{{200, 60}}, {{200, 60}}}, {{{7, 3}}, {{7, 3}}}, {{{1, 1}}, {{1, 1}}}};

std::string check_chain(const std::function<Program()> &make) {
    try {
        return check_same_values(make, chain_sizes, 4,
                                 [] { return chain([](const Func &, const Func &) {}); });
    } catch (const Error &e) {
        FAIL(std::string(e.what()));
    }
    return "";
}

std::vector<std::string> directives(const std::string &source, const std::string &name) {
    const std::string declared = "Halide::Func " + name;
    const size_t start = source.find(declared);
    REQUIRE(start != std::string::npos);
    const size_t first = start + std::string("Halide::Func ").size();
    const std::string variable = source.substr(first, source.find(' ', first) - first);
    std::vector<std::string> found;
    for (size_t at = source.find("\n" + variable + "."); at != std::string::npos;
         at = source.find("\n" + variable + ".", at + 1)) {
        const size_t dot = at + 1 + variable.size();
        found.push_back(source.substr(dot, source.find('\n', dot) - dot));
    }
    return found;
}

}  // namespace eutectic::test
