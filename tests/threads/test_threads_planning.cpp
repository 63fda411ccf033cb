// Eight threads that plan at once make the plans that one makes after the other.

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "fusion/policies/policy.h"
#include "fusion/search/family.h"
#include "fusion/search/plan_beam.h"
#include "fusion/search/plan_sample.h"
#include "machine/processors.h"
#include "machine/terms.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr size_t threads = 8;
constexpr uint64_t random_pipelines = rounds(12);

std::vector<Graph> graphs() {
    std::vector<Graph> all = {dense_dropout(64, 64, 64), softmax(1024, 64)};
    if (!sanitized) {
        all.push_back(dense(128, 784, 256));
    }
    for (uint64_t seed = 0; seed < random_pipelines; seed++) {
        all.push_back(random_graph(seed));
    }
    return all;
}

std::vector<Member> family() {
    const TargetDescription avx2{"x86", 256, true};
    std::vector<Member> members;
    for (const Processor *p : family_of(avx2)) {
        members.push_back({p->name, machine_of(*p, avx2, 2)});
    }
    return members;
}

/** All that one thread does, as text: greedy plans for a family, which starts threads of its own, beams,
 * plans drawn at random, and kernels. The graphs and machines are everybody's. */
std::string plans(const std::vector<Graph> &all, const std::vector<Member> &members, const Machine &cpu,
                  const Machine &gpu, bool with_beam) {
    std::string text;
    for (const Graph &g : all) {
        Planned planned = plan_greedy(g, members.front().machine, cpu_rules());
        hold_on_family(g, members, {}, 60, planned);
        text += to_string(planned.plan);
        text += with_beam ? to_string(plan_beam(g, cpu, cpu_rules()).plan) : "";
        text += to_string(plan_sample(g, cpu, cpu_rules(), 7).plan);
        text += to_string(plan_greedy(g, without_terms(cpu, {"price.memory"}), cpu_rules()).plan);
        text += to_string(plan_greedy(g, gpu, gpu_rules({})).plan);
    }
    return text;
}

}  // namespace

TEST_CASE("eight threads that plan at once make the plans that one makes") {
    const std::vector<Graph> all = graphs();
    const std::vector<Member> members = family();
    const Machine cpu = round_machine(), gpu = round_gpu_machine();
    // The threads first: what is looked up once, by whoever comes first, is looked up by eight.
    std::vector<std::string> texts(threads);
    std::vector<std::thread> at_once;
    const std::vector<std::vector<Graph>> copies(threads, all);
    for (size_t t = 0; t < threads; t++) {
        at_once.emplace_back([&, t] { texts[t] = plans(copies[t], members, cpu, gpu, !sanitized); });
    }
    for (std::thread &thread : at_once) {
        thread.join();
    }
    const std::string alone = plans(all, members, cpu, gpu, !sanitized);
    CHECK(alone.size() > 1000);
    for (const std::string &text : texts) {
        CHECK(text == alone);
    }
}
