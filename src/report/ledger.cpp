#include <algorithm>
#include <cmath>

#include "base/user_error.h"
#include "fusion/plan/grade.h"
#include "fusion/rewrite.h"
#include "fusion/rules/rules.h"
#include "report/edge_bytes.h"
#include "report/report.h"

namespace eutectic {

namespace {

bool is_of_pin(const Step &step) {
    return step.rule == std::string("pin") || step.rule == std::string("follow_pin");
}

/** Of those that take Funcs out of memory: it, or what it reads into the blocks of a nest that it joins. Of
 * what a pin asks for it is that: a later step can change no more than how it is in those loops. */
const Step *step_about(const std::vector<Step> &steps, FuncId producer) {
    const Step *found = nullptr;
    for (const Step &s : steps) {
        if (is_of_pin(s) && s.site.producer == producer) {
            return &s;
        }
        const bool moves = s.taken && std::find(s.moved.begin(), s.moved.end(), producer) != s.moved.end();
        found = (s.stays ? moves && s.site.producer != producer : s.site.producer == producer || moves)
                    ? &s
                    : found;
    }
    return found;
}

/** The rewrite with something to say that computes `f`, itself perhaps as another's part. */
const RewriteUse *rewrite_of(const Graph &graph, const Placements &placements, FuncId f) {
    const auto use =
        std::find_if(placements.rewrites().begin(), placements.rewrites().end(), [&](const RewriteUse &u) {
            return u.rewrite->computes(graph, u.func, f) && !u.rewrite->explain(graph, u.func).empty();
        });
    return use == placements.rewrites().end() ? nullptr : &*use;
}

/** What it does, and what it saves. */
std::string explained(const Graph &graph, const Planned &planned, const RewriteUse &use) {
    const std::optional<Rule> rule = use.rewrite->rule();
    const auto taken = std::find_if(planned.taken.rbegin(), planned.taken.rend(), [&](const Step &step) {
        return rule && step.site.producer == use.func && step.rule == std::string(rule->name);
    });
    const std::string saves =
        taken != planned.taken.rend()
            ? ", and saves " + format_seconds(taken->before - taken->after) + " of the predicted time"
            : "";
    return use.rewrite->explain(graph, use.func) + saves;
}

/** `about`: whose place is explained, which the step may have moved with its own producer. */
std::string gained(const Graph &graph, const Step &step, FuncId about) {
    const FuncInfo &f = graph.funcs[step.site.producer];
    if (step.rule == std::string("exhaustive")) {
        return "of all legal places of all Funcs together these are the cheapest; together they save " +
               format_seconds(step.before - step.after) + " of the predicted time";
    }
    if (is_of_pin(step)) {
        return std::string(step.rule == std::string("pin") ? "pinned"
                                                           : "it follows what is pinned into these loops") +
               "; that saves " + format_bytes(2 * f.bytes()) + " of traffic and " +
               (step.after > step.before ? "costs " + format_seconds(step.after - step.before)
                                         : format_seconds(step.before - step.after)) +
               " of the predicted time";
    }
    if (step.stays) {
        return std::string(step.rule) + ", for all that reads it in one nest, saves " +
               format_seconds(step.before - step.after) + " of the predicted time";
    }
    const bool back = step.rule == std::string("materialize");
    const std::string traffic =
        step.rule + (step.site.producer == about ? "" : " of " + f.name + ", with which it moves,") +
        (back ? " costs " : " saves ") + format_bytes(2 * f.bytes()) + " of traffic and ";
    if (step.after > step.before) {
        return traffic + "costs " + format_seconds(step.after - step.before) +
               " of the predicted time, which later steps that it makes possible save";
    }
    return traffic + (back ? "saves " : "") + format_seconds(step.before - step.after) +
           " of the predicted time";
}

}  // namespace

TrafficSummary traffic(const Graph &graph, const FusionPlan &plan) {
    TrafficSummary t;
    for (const FuncId f : graph.funcs.ids()) {
        const FuncInfo &info = graph.funcs[f];
        if (info.input) {
            continue;
        }
        t.unfused_bytes += 2 * info.bytes();
        if (info.output) {
            t.fused_bytes += info.bytes();
            t.caller_read_bytes += info.bytes();
        } else if (materialized(plan.placements[f])) {
            t.fused_bytes += 2 * info.bytes();
        } else {
            t.saved_bytes += 2 * info.bytes();
        }
    }
    return t;
}

Bytes added_bytes(const Graph &graph, const Group &group, const Added &added) {
    const TreeFunc *const where = group.tree.find(added.id);
    if (!where || where->computed ||
        (added.kind == Added::Kind::write_tile && graph.funcs.contains(added.of))) {
        return 0;
    }
    if (const TreeStage *const pure = group.tree.find(added.id, -1)) {
        Bytes bytes = graph.funcs[algorithm_func(group, added.id)].bytes_per_point;
        for (const Dim &d : pure->dims) {
            bytes *= d.reduction ? 1 : d.extent;  // what a sum in lanes adds up is its update's to go over
        }
        return bytes;
    }
    const std::vector<NestedStage> stages = priced_stages(group);
    const auto made = std::find_if(stages.begin(), stages.end(), [&](const NestedStage &s) {
        return s.work->func == added.id && s.work->update < 0;
    });
    if (made != stages.end()) {
        return static_cast<Bytes>(made->work->points()) * made->work->stored_bytes;
    }
    return added.bytes;
}

PlanHash plan_hash(const Graph &graph, const Machine &machine, const FusionPlan &plan) {
    return {stable_hash(to_string(graph, false)), stable_hash(to_string(machine)),
            stable_hash(to_string(plan))};
}

std::string drift(const PlanHash &plan, const std::string &expected) {
    const size_t part = plan.decisions.size(), whole = 3 * part + 2;
    bool hash = expected.size() == part || expected.size() == whole;
    for (size_t i = 0; i < expected.size(); i++) {
        const bool between = i % (part + 1) == part;
        hash = hash && (between ? expected[i] == '-'
                                : std::string("0123456789abcdef").find(expected[i]) != std::string::npos);
    }
    if (!hash) {
        throw UserError("The expected hash \"" + expected +
                        "\" is none: give the plan_hash of a report, or its last part, the decisions.");
    }
    const std::string decisions = expected.substr(expected.size() - part);
    if (decisions == plan.decisions) {
        return "";
    }
    std::string why = "what else changed, the whole hash would tell";
    if (expected.size() == whole) {
        const bool pipeline = expected.substr(0, part) != plan.pipeline,
                   machine = expected.substr(part + 1, part) != plan.machine;
        why = pipeline && machine
                  ? "the pipeline (its structure or its estimates) and the machine changed too"
              : pipeline
                  ? "the pipeline changed too, in its structure or its estimates, and the machine did not"
              : machine
                  ? "the machine changed too, and the pipeline did not"
                  : "the pipeline and the machine are the same, so the scheduler or its parameters changed";
    }
    return "The plan has drifted: its decisions are " + plan.decisions + " and were expected to be " +
           decisions + "; " + why + ".";
}

const char *to_string(Placement::Kind kind) {
    switch (kind) {
    case Placement::Kind::inlined: return "inlined";
    case Placement::Kind::at: return "at tile";
    case Placement::Kind::block: return "in block";
    case Placement::Kind::root:
    case Placement::Kind::joint:
    case Placement::Kind::strips:
    case Placement::Kind::one_pass: break;
    }
    return "in memory";
}

namespace {

/** What `sum`, in strips of the rows of a Func that it recomputes, pays and saves; empty when it reads that
 * nowhere. */
std::string recomputation(const Graph &graph, const FusionPlan &plan, FuncId sum) {
    for (const Group &g : plan.groups) {
        for (const Added &a : g.added) {
            if (a.kind == Added::Kind::rewrite && a.others == std::vector<FuncId>{sum} &&
                a.of == plan.placements[sum].consumer) {
                const FuncInfo &of = graph.funcs[a.of];
                return of.name + " is recomputed for " + graph.funcs[sum].name + ", which takes " +
                       format_seconds(std::max(0.0, a.recompute)) +
                       " longer than to read what a strip of its rows has left in cache and saves a pass "
                       "over its " +
                       format_bytes(of.bytes());
            }
        }
    }
    return "";
}

/** The reason's price is that of the step when it was weighed. Where the finished plan would be faster with
 * the runner-up, why it is not taken; else empty. `taken`: the step that moved the Func, if any. */
std::string faster_now(const Graph &graph, const Planned &planned, const Step *taken, const RunnerUp *next) {
    if (!next || !std::isfinite(next->total) || next->total >= next->plan ||
        (taken && taken->rule == std::string("pin"))) {
        return "";
    }
    return "; that was its price when it was weighed: with all else as it is in the finished plan, " +
           place_text(graph, *next) + " is predicted to take " + format_seconds(next->plan - next->total) +
           " less" +
           (planned.compile_weight > 0
                ? ", but the search counted what compiling takes, too (--compile-seconds)"
                : "");
}

}  // namespace

std::string place_text(const std::string &decision, const std::string &of) {
    const bool shared = decision == to_string(Placement::Kind::root);
    return decision + (of.empty() ? "" : (shared ? ", in the nest of " : " of ") + of);
}

std::string place_text(const Graph &graph, const RunnerUp &place) {
    return place_text(to_string(place.kind), place.consumer < 0 ? "" : graph.funcs[place.consumer].name);
}

const RunnerUp *runner_up_of(const std::vector<RunnerUp> &runners_up, FuncId func) {
    const auto found =
        std::find_if(runners_up.begin(), runners_up.end(), [&](const RunnerUp &u) { return u.func == func; });
    return found == runners_up.end() ? nullptr : &*found;
}

std::vector<EdgeDecision> edge_decisions(const Graph &graph, const Planned &planned,
                                         const std::vector<RunnerUp> &runners_up) {
    std::vector<EdgeDecision> result;
    const Placements &placements = planned.plan.placements;
    for (const FuncId f : graph.funcs.ids()) {
        if (graph.funcs[f].input) {
            continue;
        }
        const Step *taken = step_about(planned.taken, f);
        for (const FuncId c : graph.consumer_funcs(f)) {
            EdgeDecision e{f, c, to_string(placements[f].kind), ""};
            e.fusion = fusion_kind(graph, placements, f, c);
            e.grade = grade(graph, planned.plan, f);
            if (const RewriteUse *use = rewrite_of(graph, placements, f)) {
                e.reason = explained(graph, planned, *use);
            } else if (materialized(placements[f])) {
                const std::vector<FuncId> recomputed = sums_that_recompute(graph, placements, f, c);
                e.reason = recomputed.empty()
                               ? keep_materialized(graph, placements, f, step_about(planned.weighed, f))
                               : recomputation(graph, planned.plan, recomputed.front());
            } else {
                e.reason = taken ? gained(graph, *taken, f) : graph.funcs[f].between;
            }
            e.reason += faster_now(graph, planned, taken, runner_up_of(runners_up, f));
            e.unfused_bytes = unfused_bytes(graph, f, c);
            e.fused_bytes = materialized(placements[f]) ? fused_bytes(graph, placements, f, c) : 0;
            e.recomputed_operations = recomputed_operations(graph, planned.plan, f, c);
            result.push_back(e);
        }
    }
    return result;
}

Bytes edges_saved_bytes(const std::vector<EdgeDecision> &edges) {
    Bytes saved = 0;
    for (const EdgeDecision &e : edges) {
        saved += e.unfused_bytes - e.fused_bytes;
    }
    return saved;
}

std::vector<NestDecision> nest_decisions(const Graph &graph, const Planned &planned) {
    const Placements &placements = planned.plan.placements;
    std::vector<NestDecision> result;
    for (const FuncId f : placements.ids()) {
        if (shares_nest(placements[f])) {
            const auto taken = std::find_if(planned.taken.rbegin(), planned.taken.rend(), [&](const Step &s) {
                return s.stays && s.site.consumers.front() != s.site.producer &&
                       std::find(s.moved.begin(), s.moved.end(), f) != s.moved.end();
            });
            const std::string saves =
                taken != planned.taken.rend()
                    ? "; it saves " + format_seconds(taken->before - taken->after) + " of the predicted time"
                    : "";
            const std::string recomputed = recomputation(graph, planned.plan, f);
            result.push_back({f, placements[f].consumer, true,
                              "one nest writes both, and what both read comes from memory once" +
                                  (recomputed.empty() ? "" : "; " + recomputed) + saves});
        }
    }
    for (const Step &s : planned.weighed) {
        const FuncId with = s.stays && !s.site.consumers.empty() ? s.site.consumers.front() : s.site.producer;
        if (with != s.site.producer) {
            const std::string costs =
                std::isfinite(s.after)
                    ? "one nest for both would cost " + format_seconds(s.after - s.before) + " more"
                    : "no policy has loops for one nest of both at these sizes";
            const RewriteUse *use = rewrite_of(graph, placements, s.site.producer);
            if (use && use->func == s.site.producer) {
                result.push_back({s.site.producer, with, true,
                                  "one pass in blocks of what reads them would cost " +
                                      format_seconds(s.after - s.before) + " more"});
                continue;
            }
            result.push_back({s.site.producer, with, false, s.verdict ? costs : s.verdict.reason()});
        }
    }
    return result;
}

const CompiledKernel *compiled_kernel(const Report &report, FuncId root, size_t kernel) {
    const auto found =
        std::find_if(report.compiled.begin(), report.compiled.end(),
                     [&](const CompiledKernel &k) { return k.root == root && k.kernel == kernel; });
    return found == report.compiled.end() ? nullptr : &*found;
}

}  // namespace eutectic
