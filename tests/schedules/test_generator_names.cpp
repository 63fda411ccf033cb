// Decisions follow structure: every generator of the project with all its Funcs renamed, and made in another
// order, gives the same graph, plan and hash. (test_names.cpp also writes small pipelines down in other
// words: variables, inputs, order of definition.)

#include <doctest/doctest.h>

#include <algorithm>

#include "Halide.h"

#include "fusion/rules/rule.h"
#include "report/report.h"
#include "schedules/rewrites/made_rewrite.h"
#include "tests/support/all_cases.h"
#include "tests/support/machines.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

std::vector<Func> pipeline_of(const std::string &generator) {
    const auto made =
        Internal::GeneratorRegistry::create(generator, GeneratorContext(Target("x86-64-linux-avx2-fma")));
    return made->build_pipeline().outputs();
}

/** A copy of the pipeline. Func number n of `count`, in alphabetical order, is called "f" and its number
 * counted from the other end: what came first comes last, wherever names or the order of making decide
 * anything. */
std::vector<Func> backwards(const std::vector<Func> &outputs) {
    std::vector<Internal::Function> functions;
    for (const Func &f : outputs) {
        functions.push_back(f.function());
    }
    const std::map<std::string, Internal::Function> originals = Internal::build_environment(functions);
    std::map<Internal::FunctionPtr, Internal::FunctionPtr> copies;
    size_t number = 1000;
    std::vector<Internal::Function> made;
    for (auto original = originals.rbegin(); original != originals.rend(); ++original) {
        made.emplace_back("f" + std::to_string(number++));
        copies[original->second.get_contents()] = made.back().get_contents();
    }
    size_t next = made.size();
    for (const auto &[name, original] : originals) {
        Internal::Function &copy = made[--next];
        original.deep_copy(copy.name(), copy.get_contents(), copies);
    }
    for (Internal::Function &copy : made) {
        copy.substitute_calls(copies);
    }
    std::vector<Func> result;
    for (const Internal::Function &f : functions) {
        result.emplace_back(Internal::Function(copies.at(f.get_contents())));
    }
    return result;
}

struct Texts {
    std::string named_graph, graph, plan, hash;
};

Texts texts_of(const std::vector<Func> &outputs) {
    const Graph g = graph_of(outputs);
    const Machine m = round_machine();
    const Planned planned = plan_greedy(g, m, cpu_rules(cpu_rewrite_rules()));
    return {to_string(g), to_string(g, false), to_string(planned.plan),
            plan_hash(g, m, planned.plan).whole()};
}

}  // namespace

TEST_CASE("the generators' plans do not depend on names") {
    const std::vector<std::string> generators = Internal::GeneratorRegistry::enumerate();
    CHECK(generators.size() > 20);
    size_t number = 0;
    for (const std::string &generator : generators) {
        if (number++ % 4 > 0 && !all_cases()) {
            continue;
        }
        CAPTURE(generator);
        const Texts first = texts_of(pipeline_of(generator)),
                    other = texts_of(backwards(pipeline_of(generator)));
        CHECK(first.plan.find("group") != std::string::npos);
        CHECK(other.named_graph != first.named_graph);
        CHECK(other.graph == first.graph);
        CHECK(other.plan == first.plan);
        CHECK(other.hash == first.hash);
    }
}
