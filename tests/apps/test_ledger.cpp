// What the ledger says of memory is what happens: bytes of every buffer in memory, stores to it, and what
// pointwise groups load, counted by Halide's tracing while the plan runs, for every generator.

#include "small_generators.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "Halide.h"

#include "graph/read/assigned_region.h"
#include "schedules/autoschedule.h"
#include "schedules/hlpipe/load.h"
#include "schedules/hlpipe/messages.h"
#include "schedules/rewrites/patterns.h"
#include "tests/apps/counted_run.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

/** Are the points that it reads exactly those of its loops, scaled and shifted? Not what is clamped or
 * divided, and of tuples the ledger counts all elements. */
bool affine(const Graph &graph, const Load &load) {
    const bool tuple = graph.funcs.contains(load.producer) && graph.funcs[load.producer].tuple_size > 1;
    const auto whole = [](const Index &i) {
        return std::all_of(i.scale.begin(), i.scale.end(),
                           [](double scale) { return scale == std::floor(scale); });
    };
    return !tuple && std::all_of(load.access.indices.begin(), load.access.indices.end(), [&](const Index &i) {
        return i.affine && !i.cut && i.clamped_dim < 0 && i.wraps == 0 && whole(i);
    });
}

/** All of the group are pure, and read what they read at all their points: none chooses between two sides. */
bool pointwise(const Graph &graph, const Group &group) {
    const bool members = std::all_of(group.members.begin(), group.members.end(), [&](FuncId f) {
        const eutectic::Stage &s = graph.last_stage(f);
        const bool chooses = pattern_of<TwoSidesOfRows>(s) || s.is_simplified_by(assigned_region_rewrite);
        return (s.role == Role::pointwise || s.role == Role::view) && !chooses;
    });
    const std::vector<NestedStage> stages = priced_stages(group);
    return members && std::all_of(stages.begin(), stages.end(), [&](const NestedStage &n) {
               return std::all_of(n.work->loads.begin(), n.work->loads.end(),
                                  [&](const Load &l) { return affine(graph, l); });
           });
}

/** Is it written at coordinates that are loaded? Then its size does not follow from loops. */
bool scattered(const Graph &graph, FuncId f) {
    const std::vector<StageId> &stages = graph.funcs[f].stages;
    return std::any_of(stages.begin(), stages.end(),
                       [&](StageId s) { return graph.stages[s].role == Role::scatter; });
}

struct Predicted {
    int64_t bytes, stores;
    bool own;  ///< the memory of a Func of the algorithm, not of one that the plan adds
};

/** The plan of one pipeline, as it is predicted and as it ran. */
class Ledger {
public:
    Ledger(const std::string &generator, const Settings &more, bool unfused) : target_(get_host_target()) {
        LoadedPipeline loaded = load(generator, more, target_);
        Parameters how;
        how.parallelism = 4;
        how.unfused = unfused;
        scheduled_ = schedule(loaded.pipeline, target_, how, false);
        report_ = to_json(scheduled_.report());
        const std::vector<Group> &groups = scheduled_.planned.plan.groups;
        for (const std::string &name : funcs_in_memory(loaded.pipeline)) {
            const FuncId f = algorithm_func_of(name);
            const auto group = std::find_if(groups.begin(), groups.end(),
                                            [&](const Group &g) { return computes(g, f, name); });
            CAPTURE(name);
            CHECK(group != groups.end());
            names_[name] = static_cast<int>(group - groups.begin());
        }
        // With a trace at each load of a contraction's unrolled loops LLVM takes minutes.
        loads_ = std::none_of(scheduled_.graph.stages.begin(), scheduled_.graph.stages.end(),
                              [](const eutectic::Stage &s) { return s.role == Role::contraction; }) &&
                 std::any_of(groups.begin(), groups.end(),
                             [&](const Group &g) { return pointwise(scheduled_.graph, g); });
        counted_ = counted_run(loaded, target_, names_, loads_);
    }

    /** Buffers, and stores to them. */
    int check_buffers() {
        std::map<FuncId, std::vector<Counted>> found;
        for (const auto &[name, group] : names_) {
            found[algorithm_func_of(name)].push_back(counted_.at(name));
        }
        int buffers = 0;
        for (const FuncId i : scheduled_.graph.funcs.ids()) {
            const FuncId f = i;
            CAPTURE(scheduled_.graph.funcs[i].name);
            std::vector<Predicted> predicted = predict(f);
            std::vector<Counted> &counted = found[f];
            const bool in_memory =
                !scheduled_.graph.funcs[i].input && materialized(scheduled_.planned.plan.placements[i]);
            CHECK(std::count_if(predicted.begin(), predicted.end(),
                                [](const Predicted &p) { return p.own; }) == (in_memory ? 1 : 0));
            CHECK(counted.size() == predicted.size());
            std::sort(predicted.begin(), predicted.end(), [](const Predicted &a, const Predicted &b) {
                return std::pair(a.bytes, a.stores) < std::pair(b.bytes, b.stores);
            });
            std::sort(counted.begin(), counted.end(), [](const Counted &a, const Counted &b) {
                return std::pair(a.realized_bytes, a.stored_bytes) <
                       std::pair(b.realized_bytes, b.stored_bytes);
            });
            for (size_t k = 0;
                 k < std::min(counted.size(), predicted.size()) && !scattered(scheduled_.graph, f); k++) {
                CHECK(counted[k].realizations == 1);
                CHECK(counted[k].realized_bytes == predicted[k].bytes);
                CHECK(counted[k].stored_once_bytes == predicted[k].bytes);
                CHECK(counted[k].stored_bytes == predicted[k].stores);
                buffers++;
            }
        }
        return buffers;
    }

    /** What the groups' lines in the report say, stores of all and loads of pointwise ones. */
    int check_groups() {
        int checked = 0;
        for (size_t g = 0; g < scheduled_.planned.plan.groups.size(); g++) {
            const Group &group = scheduled_.planned.plan.groups[g];
            const auto &line = report_.at("groups").at(g);
            CAPTURE(line.at("root").get<std::string>());
            int64_t stored = 0, loaded = 0;
            for (const auto &[name, c] : counted_) {
                const auto own = names_.find(name);
                const bool ours = own != names_.end() && own->second == static_cast<int>(g);
                const auto by = c.loaded_once_bytes.find(static_cast<int>(g));
                stored += ours ? c.stored_once_bytes : 0;
                loaded += ours || !(own != names_.end() || is_input(name)) || by == c.loaded_once_bytes.end()
                              ? 0
                              : by->second;
            }
            if (std::none_of(group.members.begin(), group.members.end(),
                             [&](FuncId f) { return scattered(scheduled_.graph, f); })) {
                CHECK(stored == line.at("stores_bytes").get<int64_t>());
            }
            if (loads_ && pointwise(scheduled_.graph, group)) {
                CHECK(loaded == line.at("loads_bytes").get<int64_t>());
                checked++;
            }
        }
        return checked;
    }

private:
    Target target_;
    Scheduled scheduled_;
    nlohmann::ordered_json report_;
    std::map<std::string, int> names_;  // of what is in memory, with the number of its group
    bool loads_ = false;
    std::map<std::string, Counted> counted_;

    bool is_input(const std::string &buffer) const {
        return std::any_of(
            scheduled_.graph.funcs.begin(), scheduled_.graph.funcs.end(),
            [&](const FuncInfo &f) { return f.input && (f.name == buffer || f.name == buffer + "_im"); });
    }

    /** The Func of the algorithm that a Func of the schedule stands for: itself, or what it was made of (in()
     * and rfactor() call it after that). */
    FuncId algorithm_func_of(const std::string &name) const {
        FuncId best = -1;
        size_t longest = 0;
        for (const FuncId f : scheduled_.graph.funcs.ids()) {
            const std::string &known = scheduled_.graph.funcs[f].name;  // an input's is its wrapper's
            const bool made = name.rfind(known, 0) == 0 &&
                              (name.size() == known.size() ||
                               std::string("_$.").find(name[known.size()]) != std::string::npos);
            if (made && known.size() > longest) {
                best = f;
                longest = known.size();
            }
        }
        return best;
    }

    /** Is that Func of the schedule, which is `f` or was made of it, computed by this group? Several may pack
     * one operand, each for a reader of its own. */
    bool computes(const Group &g, FuncId f, const std::string &name) const {
        const bool packs = std::any_of(g.added.begin(), g.added.end(), [&](const Added &a) {
            const auto of_name = [&](FuncId reader) {
                return scheduled_.graph.funcs.contains(reader) &&
                       name.find("_in_" + scheduled_.graph.funcs[reader].name + "$") != std::string::npos;
            };
            return a.kind == Added::Kind::pack && a.of == f &&
                   std::any_of(a.read_by.begin(), a.read_by.end(), of_name);
        });
        return packs || std::find(g.members.begin(), g.members.end(), f) != g.members.end();
    }

    /** Points along `d` that its loops go through: steps that begin earlier at the end, so that they are
     * whole, go through some twice. */
    static int64_t points_along(const TreeStage &s, DimId d) {
        int64_t steps = 1, points = s.dims[d].extent;
        for (const Loop &l : s.loops) {
            const bool shifted = l.tail == Loop::Tail::fitted ||
                                 (l.tail == Loop::Tail::by_version && !s.whole.empty() && s.update < 0);
            if (l.dim == d && l.size > 1 && shifted) {
                steps *= (points + l.size - 1) / l.size;
                points = l.size;
            }
        }
        return steps * points;
    }

    /** One for each point of the loops of each of its stages, as the plan has them; 0 where it says no loops,
     * as of what is computed once. */
    Bytes stores(const Group &g, FuncId id, Bytes bytes_per_point) const {
        Bytes points = 0;
        for (const TreeStage &s : g.tree.at(id).stages) {
            Bytes all = 1;
            for (const DimId d : s.dims.ids()) {  // a sum in lanes starts at one point a lane
                all *= s.update < 0 && s.dims[d].reduction ? 1 : points_along(s, d);
            }
            points += all;
        }
        return points * bytes_per_point;
    }

    /** What the plan has in memory as a whole of a Func of the algorithm, and of what it made of that. */
    std::vector<Predicted> predict(FuncId f) const {
        std::vector<Predicted> result;
        const FuncInfo &info = scheduled_.graph.funcs[f];
        for (const Group &g : scheduled_.planned.plan.groups) {
            for (const TreeFunc &c : g.tree.funcs()) {
                const auto added = std::find_if(g.added.begin(), g.added.end(),
                                                [&](const Added &a) { return a.id == c.func; });
                if (c.computed ||
                    (scheduled_.graph.funcs.contains(c.func) ? c.func : algorithm_func(g, c.func)) != f) {
                    continue;
                } else if (added == g.added.end() || added_bytes(scheduled_.graph, g, *added) == 0) {
                    const Bytes stored = stores(g, c.func, info.bytes_per_point);
                    result.push_back({info.bytes(), stored > 0 ? stored : info.bytes(), true});
                } else {
                    const Bytes bytes = added_bytes(scheduled_.graph, g, *added);
                    const Bytes stored = stores(g, c.func, info.bytes_per_point);
                    result.push_back({bytes, stored > 0 ? stored : bytes, false});
                }
            }
        }
        return result;
    }
};

void check_generators(int every) {
    listen_to_halide();
    int buffers = 0, loads = 0, number = 0;
    for (const std::string &generator : Internal::GeneratorRegistry::enumerate()) {
        if (number++ % every > 0) {
            continue;
        }
        const bool gradient = generator.find("_forward") != std::string::npos ||
                              generator.find("_backward") != std::string::npos ||
                              generator.find("_gradient") != std::string::npos;
        std::vector<Settings> variants = {{}};
        if (generator.rfind("views", 0) == 0) {
            variants = {{{"view", "flatten"}},
                        {{"view", "concatenate"}},
                        {{"view", "slice"}},
                        {{"view", "assign"}},
                        {{"view", "transpose"}}};
        }
        for (const Settings &variant : variants) {
            for (const bool unfused : gradient ? std::vector<bool>{false} : std::vector<bool>{false, true}) {
                const std::string view = variant.empty() ? "" : variant.front().second;
                CAPTURE(generator);
                CAPTURE(view);
                CAPTURE(unfused);
                Ledger ledger(generator, variant, unfused);
                buffers += ledger.check_buffers();
                loads += ledger.check_groups();
            }
        }
    }
    MESSAGE(buffers, " buffers, loads of ", loads, " groups");
    CHECK(buffers > 200 / every);
    CHECK(loads > 30 / every);
}

}  // namespace

TEST_CASE("some: buffers, stores and loads are as the ledger predicts them") {
    check_generators(23);  // of a generator's four pipelines another of each
}

TEST_CASE("all: buffers, stores and loads are as the ledger predicts them") {
    check_generators(1);
}
