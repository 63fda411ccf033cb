#include "rule_table.h"

#include <doctest/doctest.h>

namespace eutectic::test {

namespace {

FuncId find(const Graph &g, const std::string &name) {
    for (const FuncId f : g.funcs.ids()) {
        if (g.funcs[f].name == name) {
            return f;
        }
    }
    FAIL("no Func " << name);
    return -1;
}

}  // namespace

FuncId add_matmul(Sketch &s) {
    const FuncId a = s.input("a", {24, 16}), b = s.input("b", {32, 24});
    return s.matmul("mm", a, b, 32, 16, 24);
}

std::vector<Site> sites_about(const Rule &rule, const Graph &g, const std::string &producer) {
    std::vector<Site> sites;
    for (const Site &site : rule.match(g, unfused(g))) {
        if (site.producer == find(g, producer)) {
            sites.push_back(site);
        }
    }
    return sites;
}

void check(const Rule &rule, const Row &row) {
    INFO(row.what);
    Sketch s;
    row.make(s);
    const Graph g = s.graph();
    const std::vector<Site> sites = sites_about(rule, g, row.producer);
    REQUIRE(sites.size() == 1);
    const Verdict verdict = rule.legal(g, unfused(g), sites[0]);
    CHECK(static_cast<bool>(verdict) == std::string(row.refusal).empty());
    CHECK(verdict.reason() == row.refusal);
}

}  // namespace eutectic::test
