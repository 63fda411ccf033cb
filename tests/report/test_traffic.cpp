// The convention of traffic: an operation's result is written once and read once.

#include <doctest/doctest.h>

#include "report/report.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

TrafficSummary greedy_traffic(const Graph &g) {
    return traffic(g, plan_greedy(g, round_machine(), cpu_rules()).plan);
}

void check_sum(const TrafficSummary &t) {
    CHECK(t.unfused_bytes == t.fused_bytes + t.saved_bytes + t.caller_read_bytes);
    CHECK(t.saved_bytes >= 0);
}

}  // namespace

TEST_CASE("a dense layer of 128 x 784 x 256") {
    const TrafficSummary t = greedy_traffic(dense(128, 784, 256));
    CHECK(t.unfused_bytes == 786432);
    CHECK(t.fused_bytes == 131072);
    CHECK(t.saved_bytes == 524288);
    CHECK(t.caller_read_bytes == 131072);
}

TEST_CASE("dense, then dropout, of 1024 x 1024 x 1024") {
    const Bytes MiB = 1024 * 1024;
    const TrafficSummary t = greedy_traffic(dense_dropout(1024, 1024, 1024));
    CHECK(t.unfused_bytes == 32 * MiB);
    CHECK(t.fused_bytes == 4 * MiB);
    CHECK(t.saved_bytes == 24 * MiB);
    CHECK(t.caller_read_bytes == 4 * MiB);
}

TEST_CASE("unfused: nothing is saved") {
    const Graph g = dense(128, 784, 256);
    const TrafficSummary t = traffic(g, plan_unfused(g, round_machine()).plan);
    CHECK(t.saved_bytes == 0);
    CHECK(t.fused_bytes == 786432 - 131072);
    check_sum(t);
}

TEST_CASE("every output counts, with all its tuple elements; inputs do not") {
    Sketch s;
    const FuncId x = s.input("x", {1000});
    const FuncId a = s.pointwise("a", {10}, {{x, {at(0)}}});
    const FuncId b = s.pointwise("b", {20}, {{x, {at(0)}}});
    s.output(a);
    s.output(b);
    s.func(b).bytes_per_point = 12;
    const TrafficSummary t = greedy_traffic(s.graph());
    CHECK(t.unfused_bytes == 2 * (10 * 4 + 20 * 12));
    CHECK(t.fused_bytes == 10 * 4 + 20 * 12);
    CHECK(t.caller_read_bytes == 10 * 4 + 20 * 12);
}

TEST_CASE("unfused = fused + saved + what the caller reads, of any plan of any pipeline") {
    for (uint64_t seed = 0; seed < rounds(60); seed++) {
        INFO(seed);
        const Graph g = random_graph(seed);
        const Planned planned = plan_greedy(g, round_machine(), cpu_rules());
        check_sum(traffic(g, planned.plan));
        check_sum(traffic(g, planned.unfused));
        CHECK(traffic(g, planned.unfused).unfused_bytes == traffic(g, planned.plan).unfused_bytes);
        CHECK(traffic(g, planned.plan).fused_bytes <= traffic(g, planned.unfused).fused_bytes);
    }
}
