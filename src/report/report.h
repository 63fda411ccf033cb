#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "features/features.h"
#include "fusion/plan/panels.h"
#include "fusion/rules/rule.h"
#include "fusion/search/family.h"
#include "fusion/search/runner_up.h"
#include "report/fusion_kind.h"

namespace eutectic {

/** Bytes that the operations of a pipeline move through memory. An operation is one Func of the algorithm
 * that has a definition, its updates included; inputs do not count. Each result is written once and read
 * once: unfused = 2 * sum of sizes;  saved = 2 * sum of sizes of eliminated intermediates;  fused = outputs +
 * 2 * intermediates that stay; caller_read = outputs (whoever called reads them);  unfused = fused + saved +
 * caller_read. */
struct TrafficSummary {
    Bytes unfused_bytes = 0, fused_bytes = 0, saved_bytes = 0, caller_read_bytes = 0;
};
TrafficSummary traffic(const Graph &graph, const FusionPlan &plan);

/** Memory for all its values that a Func which the plan adds has, besides that of the algorithm's: a
 * reciprocal that no outer loop changes, an operand that is packed as a whole, lanes of a single sum, a line
 * of rows, the accumulators of an output that is a sum itself. 0 for what is computed in a loop of another
 * Func, and for the copies of tiles that are the memory of one of the algorithm's. */
Bytes added_bytes(const Graph &graph, const Group &group, const Added &added);

/** Names a plan: `pipeline` changes with the structure or the estimates, `machine` with any number of the
 * machine, `decisions` with the plan. Func names have no say. */
struct PlanHash {
    std::string pipeline, machine, decisions;
    std::string whole() const {
        return pipeline + "-" + machine + "-" + decisions;
    }
};
PlanHash plan_hash(const Graph &graph, const Machine &machine, const FusionPlan &plan);

/** Has the plan other decisions than `expected` names, a whole hash or its last part? Then a sentence that
 * says what else changed; empty if not. Throws UserError for a text that is no hash. */
std::string drift(const PlanHash &plan, const std::string &expected);

/** What a compiler made of a kernel of the plan; of several versions of one (whole tiles and others), the
 * most that any needs. */
struct CompiledKernel {
    FuncId root = -1;   ///< of its group
    size_t kernel = 0;  ///< of the group's
    KernelResources resources;
    Bytes spill_bytes = 0;  ///< what a thread stores and loads because it has no register for it
    Occupancy occupancy;
};

/** An argument that callers hand over in panels. */
struct PackedArgument {
    std::string input;  ///< its name
    Panels panels;
    std::vector<std::string> extents;  ///< of the buffer in panels, in terms of the input's: "w.extent(1)"
};

/** Everything that a report tells. */
struct Report {
    const Graph &graph;
    const Features &features;
    const Machine &machine;
    const Planned &planned;
    std::string target;    ///< as Halide writes it
    std::string schedule;  ///< the schedule as C++
    std::vector<std::pair<std::string, Seconds>>
        steps;                 ///< of the straight line, with the time that each took
    Seconds plan_seconds = 0;  ///< of all steps together
    std::string residuals;     ///< JSON of what a forward keeps for its backward; empty for other pipelines
    std::vector<RunnerUp> runners_up = {};  ///< of runners_up(), for the Funcs that have one
    std::vector<CompiledKernel> compiled =
        {};  ///< of the plan's kernels, those that were compiled; the others are estimated
    std::vector<std::string> learned = {};   ///< sentences on what compiling told, beside notes()
    std::vector<MemberSeconds> family = {};  ///< what the plan takes on each processor that the target runs
                                             ///< on; empty where it is made for one
    std::vector<PackedArgument> packed = {};
};

/** "inlined" | "at tile" | "in block" | "in memory". */
const char *to_string(Placement::Kind kind);

/** Such a place with the Func, if any, that it is of: "at tile of y"; "in memory, in the nest of y". */
std::string place_text(const std::string &decision, const std::string &of);
std::string place_text(const Graph &graph, const RunnerUp &place);

/** That of `func`; null where there is none. */
const RunnerUp *runner_up_of(const std::vector<RunnerUp> &runners_up, FuncId func);

/** One decision about one producer and one Func that reads it.
 *
 *  Bytes are those of memory: what the consumer reads of the producer, each byte once a nest, and its share
 * of writing that (the producer's size over the number of its consumers). A consumer that is inlined reads
 * wherever it is computed. In the plan they are 0 unless the producer is in memory; of what a sum beside the
 *  producer's rows recomputes it reads nothing. */
struct EdgeDecision {
    FuncId producer, consumer;
    std::string decision, reason;
    FusionKind fusion = FusionKind::none;
    Grade grade = Grade::exact;
    Bytes unfused_bytes = 0, fused_bytes = 0;
    double recomputed_operations =
        0;  ///< arithmetic operations of the producer beyond once a point, for this consumer
};
std::vector<EdgeDecision> edge_decisions(const Graph &graph, const Planned &planned,
                                         const std::vector<RunnerUp> &runners_up = {});

/** Of all edges together. A Func with several readers counts once for each, and what is read in part in part:
 * TrafficSummary::saved_bytes counts one whole read of each result. */
Bytes edges_saved_bytes(const std::vector<EdgeDecision> &edges);

/** One decision about which Funcs one nest writes: `func`, and the Func `with` in whose loops it is or might
 * be written. */
struct NestDecision {
    FuncId func, with;
    bool one_nest = false;
    std::string reason;
};
std::vector<NestDecision> nest_decisions(const Graph &graph, const Planned &planned);

/** The compiled kernel number `kernel` of the group of `root`; null when that is estimated. */
const CompiledKernel *compiled_kernel(const Report &report, FuncId root, size_t kernel);

/** What a reader should know beside the decisions, a sentence each: reductions that come in two steps, as
 * rfactor() leaves them; what runs on one core, as it is defined, for longer than starting the others takes.
 */
std::vector<std::string> notes(const Graph &graph, const FusionPlan &plan, const Machine &machine);

/** report.schema.json describes every key, with its unit. Some are there for some plans only: kernels for a
 * GPU's, residuals for a forward's or a backward's, packed, library and family where these were asked for. */
nlohmann::ordered_json to_json(const Report &report);

/** The same for people: groups, then edges and nests, then totals, then the schedule as C++. */
std::string to_text(const Report &report);

}  // namespace eutectic
