// The greedy planner goes down twice where the allocator gives memory back, the second time at first as if it
// did not: never for the worse, and steps have real prices.

#include <doctest/doctest.h>

#include "Halide.h"

#include "fusion/search/descend.h"
#include "schedules/rewrites/made_rewrite.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Graph graph_of_generator(const std::string &name) {
    return graph_of(
        Internal::GeneratorRegistry::create(name, GeneratorContext(Target("x86-64-linux-avx2-fma")))
            ->build_pipeline()
            .outputs());
}

}  // namespace

TEST_CASE("a second way down is never worse; some pipelines have no other to their plan") {
    TargetDescription wide;
    wide.vector_bits = 512;
    wide.fused_multiply_add = true;
    wide.processor = "sapphire_rapids";
    const struct {
        const char *generator;
        int cores;
        bool better;
    } table[] = {{"adam_gradient", 2, false},      {"bottleneck", 2, false},     {"attention", 4, true},
                 {"layernorm_backward", 2, false}, {"dense_gradient", 2, false}, {"softmax", 2, false}};
    for (const auto &row : table) {
        INFO(std::string(row.generator));
        const Machine m = machine_from_target(wide, row.cores);
        const Graph g = graph_of_generator(row.generator);
        Completer completer(g, m);
        const std::vector<Rule> rules = cpu_rules(cpu_rewrite_rules());
        Planned once, twice;
        const Seconds first = completer.total(descend(g, rules, completer, unfused(g), once));
        const Placements end = descend_twice(g, rules, completer, unfused(g), twice);
        INFO((completer.total(end) / first));
        CHECK(completer.total(end) <= first);
        CHECK((completer.total(end) < 0.95 * first) == row.better);
        Seconds now = completer.total(unfused(g));
        for (const Step &s : twice.taken) {
            CHECK(s.before == doctest::Approx(now));
            now = s.after;
        }
        CHECK(now == doctest::Approx(completer.total(end)));
    }
}
