#pragma once

#include <map>
#include <string>
#include <utility>

#include "fusion/plan/made_ids.h"
#include "fusion/plan/pins.h"
#include "fusion/search/found_inside.h"

namespace eutectic {

/** Turns placements into groups and remembers them: a group depends only on its root, on what is computed in
 * its tile and on which Funcs below it are inlined, so a planner that changes one placement pays for the
 * groups that see it. */
class Completer {
public:
    /** What is pinned into a loop is only given groups that have it there; the placements are the planner's
     * to keep to the pins. */
    Completer(const Graph &graph, const Machine &machine, Pins pins = {});
    /** It refers to both: neither may be a temporary. */
    Completer(const Graph &, Machine &&, Pins = {}) = delete;
    Completer(Graph &&, const Machine &, Pins = {}) = delete;

    const Pins &pins() const {
        return pins_;
    }

    /** Seconds of the whole plan; infinite when a group admits no policy. `changed`, if it is given, gets the
     * roots, before or after, of the groups that differ from those of compare_with()'s placements. */
    Seconds total(const Placements &placements, std::vector<FuncId> *changed = nullptr);

    /** The same without what compiling counts as. */
    Seconds run(const Placements &placements);

    /** From now on total() looks only at groups that differ from those of `placements`. It returns the same
     * either way. */
    void compare_with(const Placements &placements);

    /** The Funcs that are made in it are counted on from those of the graph, group by group: whatever was
     * searched before, the same placements are the same plan. */
    FusionPlan plan(const Placements &placements);

    /** The plan, and for each of its groups others that policies looked at, where they tell: the same
     * placements in other loops. Of a completer that has searched nothing. */
    FusionPlan plan(const Placements &placements, std::vector<std::vector<Group>> &others);

    /** Are buffers, from now on, to be priced as if the allocator gave nothing back? Plans never are. */
    void overlook_trimming(bool overlook) {
        overlook_trimming_ = overlook;
    }

    /** Did the allocator give back anything in what was priced so far? */
    bool met_trimming() const {
        return met_trimming_;
    }

    /** How many groups were searched for loops so far: the work that is not remembered. */
    size_t searches() const {
        return groups_.size();
    }

    /** The same in Funcs: what is computed or inlined in those groups, each time that one is searched. */
    size_t searched_members() const {
        return searched_members_;
    }

private:
    const Graph &graph_;
    const Machine &machine_;
    Pins pins_;
    bool overlook_trimming_ = false, met_trimming_ = false;
    std::map<std::string, Group> groups_;
    bool keeps_others_ = false;
    std::map<FuncId, std::vector<Group>> others_;  // by the root of the group
    MadeIds made_;
    FoundInside inside_blocks_;
    size_t searched_members_ = 0;
    Placements base_;
    /** Of a group; nothing for Funcs that are no group's root. */
    struct OfRoot {
        Seconds run = 0;
        Seconds compiling = 0;
        std::vector<Bytes> scratch = {};
    };
    Table<FuncId, OfRoot> base_of_roots_;

    /** What is not the policies': rewrites that its members take part in, and buffers. */
    void add_to(Group &group, const Placements &placements, const std::vector<FuncId> &sharing_nest);

    /** Of a run, and of what compiling counts as, where that is asked for. */
    Seconds sum(const Placements &placements, bool compiling, std::vector<FuncId> *changed = nullptr);
    /** What the allocator gives back after each run and has to map again in the next, of the buffers that
     * live at once: Funcs are computed in the graph's order, and their buffers freed after the last nest that
     * reads them. */
    Seconds trimming(const Placements &placements, const Table<FuncId, OfRoot> &of_roots) const;
    const Group &group(FuncId root, const Placements &placements, const Table<FuncId, bool> &inlined);
    Table<FuncId, OfRoot> by_root(const Placements &placements, std::vector<FuncId> *differing = nullptr);
    void mark_groups(const Placements &placements, FuncId func, Table<FuncId, bool> &marked,
                     Table<FuncId, bool> &seen) const;
};

/** Counts the Funcs that are made in `plan` on from those of the graph, in the order of its groups. */
void number_made(const Graph &graph, FusionPlan &plan);

}  // namespace eutectic
