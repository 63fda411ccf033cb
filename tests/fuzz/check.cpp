#include "tests/fuzz/check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <sstream>

#include "fusion/plan/grade.h"
#include "schedules/autoschedule.h"
#include "schedules/rewrites/made_rewrite.h"
#include "schedules/target.h"
#include "tests/support/pipelines.h"

namespace eutectic::test {

using namespace Halide;

namespace {

constexpr int parallelism = 4;

/** The planned size, odd and tiny ones; of images also none, others than planned, and elsewhere. */
std::vector<Sizes> sizes_to_try(const Recipe &r) {
    if (r.images) {
        std::vector<Sizes> sizes = {sizes_of(r, r.columns, r.rows), sizes_of(r, r.columns + 3, 7),
                                    sizes_of(r, 5, r.rows - 1),     sizes_of(r, 1, 1),
                                    sizes_of(r, 0, r.rows),         sizes_of(r, r.columns, 0),
                                    sizes_of(r, r.columns, r.rows)};
        sizes[2].mins = {-3, -70};
        sizes[6].mins = {-5, 2};
        if (r.opencl) {  // of buffers without points, Halide's runtime (21) makes none on a device
            sizes.erase(sizes.begin() + 4, sizes.begin() + 6);
        }
        return sizes;
    }
    return {sizes_of(r, r.columns, r.rows), sizes_of(r, r.columns + 3, 7), sizes_of(r, 5, r.rows - 1),
            sizes_of(r, 1, 1)};
}

/** What differs between two runs by more than `rounding`, or nothing. */
std::string difference(const std::vector<Buffer<>> &got, const std::vector<Buffer<>> &expected, bool exact,
                       double rounding) {
    for (size_t b = 0; b < expected.size(); b++) {
        const std::vector<double> g = values(got[b]), e = values(expected[b]);
        double largest = 1e-3;
        for (const double v : e) {
            largest = std::max(largest, std::abs(v));
        }
        for (size_t i = 0; i < e.size(); i++) {
            const bool both_nan = std::isnan(g[i]) && std::isnan(e[i]);
            const bool same = exact ? std::memcmp(&g[i], &e[i], sizeof(double)) == 0
                                    : std::abs(g[i] - e[i]) <= 1e-4 * largest + rounding;
            if (!same && !both_nan) {
                std::ostringstream s;
                s.precision(9);
                s << "output " << b << ", element " << i << ": " << g[i] << " instead of " << e[i];
                return s.str();
            }
        }
    }
    return "";
}

/** What the recipe is compiled for: the host, or less of it; and a device. */
Target target_of(const Recipe &recipe) {
    Target target = get_host_target();
    if (recipe.opencl) {
        return target.with_feature(Target::OpenCL).with_feature(Target::CLDoubles);
    }
    if (recipe.images && target.arch == Target::X86 && recipe.bits < 512) {
        Target narrow(target.os, target.arch, target.bits);
        narrow.set_feature(Target::SSE41);
        if (recipe.bits == 256 && target.has_feature(Target::AVX2)) {
            narrow.set_features({Target::AVX, Target::AVX2, Target::FMA, Target::F16C});
        }
        target = narrow;
    }
    return recipe.mode == Mode::strict ? target.with_feature(Target::StrictFloat) : target;
}

/** Does anything read neighbours that are one point beyond an edge? (See grade.h.) */
bool clamps(const Graph &graph) {
    return std::any_of(graph.edges.begin(), graph.edges.end(), [](const Edge &e) {
        const Table<DimId, Index> &indices = e.access.indices;
        return std::any_of(indices.begin(), indices.end(), [](const Index &i) { return i.held; });
    });
}

/** Does a step of a loop compute from the one before? (See grade.h.) */
bool scans(const Graph &graph) {
    return std::any_of(graph.stages.begin(), graph.stages.end(),
                       [](const Stage &s) { return s.role == Role::scan; });
}

bool plan_is_exact(const Recipe &recipe, const Target &target) {
    const Graph graph = graph_of(make_program(recipe).outputs);
    const Planned planned = plan_greedy(graph, machine_from_target(describe(target), parallelism),
                                        cpu_rules(cpu_rewrite_rules()));
    return !clamps(graph) && !scans(graph) && grade(graph, planned.plan) == Grade::exact;
}

struct Plan {
    const char *name;
    Effort effort;
    std::optional<uint64_t> sample;
};

/** What differs, or Halide's error. */
std::string compare_at(const Sizes &sizes, Compiled &scheduled, Compiled &plain, bool exact,
                       double rounding) {
    try {
        return difference(scheduled.run(sizes), plain.run(sizes), exact, rounding);
    } catch (const Error &e) {
        return std::string("Halide: ") + e.what();
    }
}

using Tell = std::function<void(const Outcome &)>;

/** Keeps what Halide warns of while it compiles. */
class Warnings : public CompileTimeErrorReporter {
public:
    std::string of_failing_code;  ///< that is sure to fail when it runs

    void warning(const char *text) override {
        if (std::strstr(text, "guaranteed to fail")) {
            of_failing_code = text;
        }
    }
    void error(const char *text) override {
        throw CompileError(text);
    }
};

void compare_with(const Recipe &recipe, const Target &target, const Plan &plan, Compiled &plain,
                  Outcome &outcome, const Tell &tell) {
    Compiled scheduled(make_program(recipe), target);
    Parameters parameters;
    parameters.parallelism = parallelism;
    parameters.effort = plan.effort;
    parameters.sample = plan.sample;
    outcome.schedule = autoschedule(scheduled.pipeline(), target, parameters);
    if (tell) {
        Outcome died = outcome;
        died.failure = plan.name;
        tell(died);
    }
    outcome.together += outcome.schedule.find(".compute_with(") != std::string::npos ? 1 : 0;
    const bool greedy = plan.effort == Effort::fast && !plan.sample;
    // A device's compiler contracts what strict_float keeps apart.
    const bool exact = recipe.opencl ? recipe.mode == Mode::integer && !recipe.images
                                     : recipe.mode != Mode::fast || (greedy && outcome.exact);
    for (const Sizes &sizes : sizes_to_try(recipe)) {
        // What a device contracts may round to the next integer of an image.
        const double rounding = recipe.opencl && recipe.images ? 1 : 0;
        const std::string wrong = compare_at(sizes, scheduled, plain, exact, rounding);
        if (!wrong.empty()) {
            std::ostringstream s;
            s << plan.name << ", " << sizes.outputs[0][0] << " x " << sizes.outputs[0][1]
              << (exact ? ", bit for bit: " : ": ") << wrong;
            outcome.failure = s.str();
            return;
        }
    }
}

}  // namespace

Outcome check_recipe(const Recipe &recipe, const Tell &tell) {
    Outcome outcome;
    static Warnings warnings;
    set_custom_compile_time_error_reporter(&warnings);
    try {
        const Target target = target_of(recipe);
        const Program reference = make_program(recipe);
        compute_all_at_root(reference);
        Compiled plain(reference, recipe.opencl ? get_host_target() : target);
        outcome.exact = !recipe.opencl && recipe.mode == Mode::fast && plan_is_exact(recipe, target);
        // Whatever plan is legal is right, good or bad: one drawn at random, from a seed that follows from
        // the recipe.
        const uint64_t seed = recipe.operations.size() + static_cast<uint64_t>(recipe.columns) * 16;
        for (const Plan &plan : {Plan{"greedy", Effort::fast, {}}, Plan{"beam", Effort::best, {}},
                                 Plan{"drawn", Effort::fast, seed}}) {
            compare_with(recipe, target, plan, plain, outcome, tell);
            if (outcome.failure.empty() && !warnings.of_failing_code.empty()) {
                outcome.failure = std::string(plan.name) + ", Halide warns: " + warnings.of_failing_code;
            }
            if (!outcome.failure.empty()) {
                return outcome;
            }
        }
        outcome.schedule.clear();
    } catch (const Error &e) {
        outcome.failure = std::string("Halide: ") + e.what();
    } catch (const std::exception &e) {
        outcome.failure = e.what();
    }
    return outcome;
}

}  // namespace eutectic::test
