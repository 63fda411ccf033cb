#include "schedules/cpu/code_feedback.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "base/regex.h"
#include "schedules/directive.h"
#include "schedules/gpu/device_code.h"

namespace eutectic {

using namespace Halide;

namespace {

/** A plan that was compiled. */
struct Attempt {
    Planned planned;
    std::vector<KernelLimit> limits;
    EmittedCode code;
    std::map<std::string, FuncId> ids;  ///< of the Funcs of the plan, by name
    double cycles = 0;                  ///< of the model, of all nests; -1: none
    int faults = 0;  ///< spills of inner loops, and lanes that go one by one, in a turn of each

    bool better_than(const Attempt &other) const {
        return cycles >= 0 && other.cycles >= 0 ? cycles < other.cycles : faults < other.faults;
    }
};

/** "matmul.s1.r$x" is a loop of the update 0 of matmul. */
std::pair<std::string, int> stage_of(const std::string &loop) {
    static const Regex stage("^(.*)\\.s([0-9]+)\\.");
    Groups m;
    return stage.found_in(loop, &m) ? std::pair<std::string, int>(m[1], std::stoi(m[2]) - 1)
                                    : std::pair<std::string, int>();
}

const Group *group_of(const Attempt &a, const EmittedRegion &region) {
    for (const std::string &name : {region.nest, stage_of(region.code.name).first}) {
        const auto id = a.ids.find(name);
        for (const Group &g : id == a.ids.end() ? std::vector<Group>() : a.planned.plan.groups) {
            if (g.tree.find(id->second) || g.root == id->second) {
                return &*std::find_if(a.planned.plan.groups.begin(), a.planned.plan.groups.end(),
                                      [&](const Group &o) { return o.root == g.root; });
            }
        }
    }
    return nullptr;
}

/** What the limits on the group say already. */
void take_over(const std::vector<KernelLimit> &limits, FuncId root, PlannedLoop &planned) {
    for (const KernelLimit &l : limits) {
        if (std::binary_search(l.members.begin(), l.members.end(), root)) {
            planned.registers =
                l.vector_registers >= 0 ? std::min(planned.registers, l.vector_registers) : planned.registers;
            planned.lane_cost *= l.lane_cost;
        }
    }
}

PlannedLoop planned_loop(const Subject &s, const Attempt &a, const Group &g, const std::string &loop) {
    PlannedLoop planned{s.graph.funcs[g.root].name, g.members, false, false, s.machine.vector_registers, 1};
    const auto [name, update] = stage_of(loop);
    const auto id = a.ids.find(name);
    if (const TreeStage *const stage = id == a.ids.end() ? nullptr : g.tree.find(id->second, update)) {
        planned.tile = stage->priced && stage->priced->accumulates_in_registers;
        planned.vectors = std::any_of(stage->loops.begin(), stage->loops.end(),
                                      [](const Loop &l) { return l.kind == Loop::Kind::vector; });
    }
    take_over(a.limits, g.root, planned);
    return planned;
}

Attempt compile(const Subject &s, const CodeReader &reader, const Planned &planned,
                const std::vector<KernelLimit> &limits) {
    Attempt a{planned, limits, {}, {}, 0, 0};
    Pipeline copy = copy_of(s.pipeline);
    for (const auto &[id, func] : apply(emit(s.graph, planned.plan), copy)) {
        a.ids[func.name()] = id;
    }
    a.code = emitted_code(reader, copy, copy.infer_arguments(), s.target, s.cpu);
    for (const EmittedRegion &r : a.code.regions) {
        const double cycles = elapsed_cycles(r, std::max(1, s.machine.cores));
        // Loops of which nobody knows how often they run are left out of all plans.
        a.cycles = r.turns <= 0 || a.cycles < 0 ? a.cycles : cycles < 0 ? -1 : a.cycles + cycles;
    }
    return a;
}

/** What the inner loops of `a` teach, one lesson a nest, added to what it keeps to already; its faults are
 * set. */
std::vector<KernelLimit> learned(const Subject &s, Attempt &a, std::vector<std::string> &sentences) {
    std::map<const Group *, double> cycles;
    for (const EmittedRegion &r : a.code.regions) {
        if (const Group *const g = r.turns == 0 ? nullptr : group_of(a, r)) {
            cycles[g] += std::max(0.0, model_cycles(r));
        }
    }
    std::vector<KernelLimit> limits = a.limits;
    std::map<const Group *, Lesson> lessons;
    for (const EmittedRegion &r : a.code.regions) {
        const Group *const g = r.turns == 0 || !r.code.innermost ? nullptr : group_of(a, r);
        if (!g || (model_cycles(r) >= 0 && model_cycles(r) < least_share_of_nest * cycles[g])) {
            continue;
        }
        const Lesson one = lesson_of_loop(r, planned_loop(s, a, *g, r.code.name));
        if (!one.sentence.empty()) {
            a.faults +=
                r.code.spill_stores + r.code.spill_loads + r.code.scalar_arithmetic + r.code.lane_moves;
            lessons.emplace(g, one);
        }
    }
    for (const auto &[g, one] : lessons) {
        limits.push_back(one.limit);
        sentences.push_back(one.sentence);
    }
    std::sort(sentences.begin(), sentences.end());
    return limits;
}

std::string count(size_t n, const std::string &of) {
    return std::to_string(n) + " " + of + (n == 1 ? "" : "s");
}

std::string millions(double cycles) {
    std::ostringstream s;
    s.precision(3);
    s << cycles / 1e6 << " million cycles";
    return s.str();
}

/** How it ended: `taken` is the plan. */
std::string ending(const Attempt &first, const Attempt &taken, int compiles) {
    const bool counted = taken.cycles >= 0 && first.cycles >= 0,
               fewer = counted && taken.cycles < first.cycles;
    std::string sentence = "feedback: the code was read by LLVM " + taken.code.read.llvm + ", ";
    sentence += taken.faults == 0 ? "no tile spills and no vector goes lane by lane"
                : fewer           ? "some of that stays"
                : compiles > 1    ? "no plan of those tried is better, so the first stays"
                                  : "that stays so";
    if (counted && compiles > 1) {
        sentence += "; " + millions(taken.cycles) + " by the model of " + taken.code.read.model +
                    (fewer ? " instead of " + millions(first.cycles) : "");
    }
    return sentence + " (" + count(compiles, "compile") + ")";
}

const char *const plan_stays = ", so the plan stays as it is";

std::string without_reader(const Subject &s, const CodeReader &reader) {
    if (llvm_triple(s.target).empty()) {
        return "feedback: code for " + s.target.to_string() + " is not read back" + plan_stays;
    }
    return reader.path.empty() ? "feedback: " + reader.absent + plan_stays +
                                     ": install Debian's llvm-19-dev and build Eutectic anew, or name an "
                                     "eutectic-read-code in EUTECTIC_READ_CODE"
                               : "";
}

}  // namespace

Lesson lesson_of_loop(const EmittedRegion &loop, const PlannedLoop &planned) {
    const CodeRegion &r = loop.code;
    Lesson l{{planned.members, planned.members.size(), -1, -1, -1}, ""};
    const std::string where = "feedback: the inner loop of " + planned.nest + ", over " + r.name + ", ";
    const int lanes = r.scalar_arithmetic + r.lane_moves;
    if (planned.tile && r.spill_stores + r.spill_loads > 0) {
        // Each that is missing is stored and loaded, or loaded at least. Addresses are a row's of the tile.
        const int missing = std::max(r.spill_stores, r.spill_loads),
                  fewer = std::max({fewest_registers, planned.registers / 2, planned.registers - missing});
        l.limit.vector_registers = fewer;
        l.sentence = fewer < planned.registers
                         ? where + "stores " + count(r.spill_stores, "register") + " and loads " +
                               std::to_string(r.spill_loads) +
                               " again in a turn, where its tile was to do with " +
                               std::to_string(planned.registers) + " for vectors: planned again with " +
                               std::to_string(fewer)
                         : "";
    } else if (planned.vectors && lanes > 0 && lanes >= lanes_of_loop * r.instructions &&
               planned.lane_cost < dearest_lanes) {
        l.limit.lane_cost = dearer_lanes;
        l.sentence = where + "is in vectors by the plan and has " + std::to_string(lanes) + " of its " +
                     std::to_string(r.instructions) +
                     " instructions for single lanes: planned again with these at twice the price";
    }
    return l;
}

Feedback learn_of_code(const Subject &s, const Planned &first, const Replan &replan) {
    Feedback feedback{first, {}, {}, {}, 0};
    const CodeReader reader = find_code_reader();
    const std::string why_not = without_reader(s, reader);
    if (!why_not.empty()) {
        feedback.sentences = {why_not};
        return feedback;
    }
    Attempt now = compile(s, reader, first, {}), earliest = now, best = now;
    for (feedback.compiles = 1;; feedback.compiles++) {
        if (!now.code.read.failure.empty()) {
            feedback.sentences.push_back("feedback: " + reader.path + " failed (" + now.code.read.failure +
                                         ")" + plan_stays);
            return feedback;
        }
        std::vector<std::string> sentences;
        const std::vector<KernelLimit> limits = learned(s, now, sentences);
        earliest = feedback.compiles == 1 ? now : earliest;
        best = feedback.compiles == 1 || now.better_than(best) ? now : best;
        if (feedback.compiles == most_compiles || !replan || sentences.empty()) {
            break;
        }
        const Planned next = replan(limits);
        feedback.sentences.insert(feedback.sentences.end(), sentences.begin(), sentences.end());
        if (!std::isfinite(next.plan.cost().total()) || to_string(next.plan) == to_string(now.planned.plan)) {
            feedback.sentences.emplace_back("feedback: no other plan keeps to that, so this one stays");
            break;
        }
        now = compile(s, reader, next, limits);
    }
    feedback.sentences.push_back(ending(earliest, best, feedback.compiles));
    feedback.planned = best.planned;
    feedback.limits = best.limits;
    return feedback;
}

}  // namespace eutectic
