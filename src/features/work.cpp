#include "features/work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "graph/data/access.h"
#include "graph/patterns/taps.h"

namespace eutectic {

namespace {

/** The index that `inner` (over a Func's dims) becomes when that Func is read through `outer`. */
Index compose(const Index &inner, const Access &outer, size_t consumer_dims) {
    Index result;
    result.scale.assign(consumer_dims, 0.0);
    result.affine = inner.affine;
    result.exact = inner.exact;
    result.cut = inner.cut;
    result.halo = inner.halo;
    result.rounding = inner.rounding;
    result.wraps = inner.wraps;
    result.offset = inner.offset;
    for (const DimId f : inner.consumer_dims()) {
        if (inner.scale[f] == 0) {
            continue;
        }
        const Index &o = outer.indices[f];
        result.affine = result.affine && o.affine;
        result.exact = result.exact && o.exact;
        result.cut = result.cut || o.cut;
        result.wraps = std::max(result.wraps, std::abs(inner.scale[f]) * o.wraps);
        result.halo += std::abs(inner.scale[f]) * o.halo;
        result.rounding += std::abs(inner.scale[f]) * o.rounding;
        const double first = inner.scale[f] * (o.offset.value_or(0) + (inner.scale[f] < 0 ? o.halo : 0));
        result.offset =
            result.offset && o.offset ? std::optional<double>(*result.offset + first) : std::nullopt;
        for (const DimId d : result.consumer_dims()) {
            result.scale[d] += inner.scale[f] * o.scale[d];
        }
    }
    return result;
}

class Merge {
public:
    Merge(const Graph &graph, const Table<FuncId, bool> &inlined, StageWork &work)
        : graph_(graph), inlined_(inlined), work_(work) {
    }

    /** Adds what `edges` read; `through` maps the reader's dims to the stage's (null at the stage itself),
     * whose iteration asks for the reader at so many `places`. `chosen`: the reader's own value may be left
     * aside. `asked`: the iterations that ask for the reader. `value`: of its cases, where that is known. */
    void add_loads(const Stage &reader, const Access *through, double places, bool chosen,
                   const std::vector<SomeOf> &asked, std::optional<size_t> value = std::nullopt) {
        chosen =
            chosen || std::find(reader.guarded.begin(), reader.guarded.end(), true) != reader.guarded.end();
        for (const EdgeId e : reader.edges) {
            const Edge &edge = graph_.edges[e];
            const Access access = through ? compose(edge.access, *through, work_.dims.size()) : edge.access;
            const FuncInfo &producer = graph_.funcs[edge.producer];
            const int each = value && !edge.taps_at.empty() ? edge.taps_at[*value] : edge.taps;
            if (each == 0) {
                continue;
            }
            const double taps = different_taps(access, places * each);
            const std::vector<SomeOf> read_at =
                in_phases(value ? asked : in_cases(asked, reader, edge, through), edge.in_phases, through);
            if (inlined_[edge.producer]) {
                add_inlined(edge.producer, {access, taps}, chosen, read_at);
            } else {
                add_load({edge.producer, access, producer.bytes_per_point, producer.extents, false,
                          producer.input, chosen, false, producer.interleaving, taps, read_at});
            }
        }
    }

private:
    const Graph &graph_;
    const Table<FuncId, bool> &inlined_;
    StageWork &work_;

    void add_load(const Load &load) {
        for (Load &old : work_.loads) {
            if (old.producer != load.producer) {
                continue;
            }
            const auto read_by_both = [&] {
                if (old.read_at != load.read_at) {
                    old.read_at.clear();
                }
            };
            if (same_points(old.access, load.access)) {
                old.chosen = old.chosen && load.chosen;
                read_by_both();
                return;
            }
            if (const auto both = old.chosen == load.chosen && !old.access.indices.empty()
                                      ? joined({old.access, old.taps}, {load.access, load.taps})
                                      : std::nullopt) {
                old.access = both->span;
                old.taps = both->count;
                read_by_both();
                return;
            }
        }
        work_.loads.push_back(load);
    }

    /** Dims of the stage that change what `flags` names in the Func that `access` reads. */
    static DimFlags through(const DimFlags &flags, const Access &access, size_t dims) {
        DimFlags result(flags.empty() ? 0 : dims);
        for (const DimId f : flags.ids()) {
            for (DimId d = 0; d < result.next_id() && flags[f]; d++) {
                result[d] = result[d] || access.indices[f].scale[d] != 0;
            }
        }
        return result;
    }

    /** An inlined Func and where it is asked for: a compiler computes each place once, whoever in the
     * expression asks for it. */
    struct Inlined {
        FuncId func;
        Taps places;
        bool chosen;
    };
    std::vector<Inlined> known_;
    std::map<FuncId, double> evaluated_;  // how often, over the whole stage

    /** Remembers that `func` is asked for at `places`: those that are new. */
    double new_places(FuncId func, const Taps &places, bool chosen) {
        for (Inlined &k : known_) {
            const auto all =
                k.func == func && (chosen || !k.chosen) ? joined(k.places, places) : std::nullopt;
            if (all) {
                const double more = all->count - k.places.count;
                k.places = *all;
                return more;
            }
        }
        known_.push_back({func, places, chosen});
        return places.count;
    }

    void add_inlined(FuncId func, const Taps &places, bool chosen, const std::vector<SomeOf> &asked) {
        const double more = new_places(func, places, chosen);
        if (more <= 0) {
            return;
        }
        const Access &access = places.span;
        const Stage &stage = graph_.pure_stage(func);
        const std::optional<size_t> value = known_value(stage, access);
        Part part;
        part.body = value ? stage.cases->bodies[*value] : stage.body;
        part.body *= more;
        if (stage.cases && !value) {
            part.chosen_by = only_dim(access.indices[stage.cases->dim]);
            part.decided = stage.cases->mean();
            part.decided *= more;
        }
        for (const DimId d : work_.dims.ids()) {
            part.depends.push_back(access.depends_on(d));
        }
        part.guarded = through(stage.guarded, access, work_.dims.size());
        std::copy_if(asked.begin(), asked.end(), std::back_inserter(part.phases),
                     [](const SomeOf &of) { return of.period > 0; });
        part.phases = in_phases(std::move(part.phases), stage.phases, &access);
        double evaluations = more;
        for (const Dim &d : work_.dims) {
            evaluations *= static_cast<double>(d.extent);
        }
        const double once = static_cast<double>(graph_.funcs[func].points());
        double &all = evaluated_[func];
        work_.recomputed += std::max(0.0, all + evaluations - once) - std::max(0.0, all - once);
        all += evaluations;
        work_.parts.push_back(part);
        add_loads(stage, &access, places.count, chosen, asked, value);
    }

    /** Of the iterations that ask for `reader`, those that read `edge`: some of its cases may not. */
    static std::vector<SomeOf> in_cases(std::vector<SomeOf> asked, const Stage &reader, const Edge &edge,
                                        const Access *through) {
        if (!reader.cases || edge.taps_at.empty()) {
            return asked;
        }
        const DimId dim = through ? only_dim(through->indices[reader.cases->dim]) : reader.cases->dim;
        if (dim >= 0) {
            const auto left =
                std::count_if(edge.taps_at.begin(), edge.taps_at.end(), [](int taps) { return taps > 0; });
            asked.push_back({dim, static_cast<double>(left) / static_cast<double>(edge.taps_at.size())});
        }
        return asked;
    }

    /** `asked`, and of those only `phases` of a Func that is read through `through`. (As y / 2 is read, each
     * of its phases would be two of the reader's: they are left out.) */
    static std::vector<SomeOf> in_phases(std::vector<SomeOf> asked, const std::vector<SomeOf> &phases,
                                         const Access *through) {
        for (const SomeOf &of : phases) {
            const DimId dim = through ? only_dim(through->indices[of.dim]) : of.dim;
            const bool same =
                dim >= 0 &&
                (!through || (through->indices[of.dim].affine && through->indices[of.dim].scale[dim] == 1));
            if (same) {
                asked.push_back({dim, of.share, of.period});
            }
        }
        return asked;
    }

    /** Which of its cases it is wherever it is read at `access`, if that is one. */
    static std::optional<size_t> known_value(const Stage &stage, const Access &access) {
        if (!stage.cases) {
            return std::nullopt;
        }
        const Index &index = access.indices[stage.cases->dim];
        const bool moves =
            std::any_of(index.scale.begin(), index.scale.end(), [](double scale) { return scale != 0; });
        const bool constant = index.affine && index.offset && index.halo == 0 && !moves;
        const std::optional<int64_t> &first = stage.dims[stage.cases->dim].first;
        const double at = constant && first ? *index.offset - static_cast<double>(*first) : -1;
        return at >= 0 && at < static_cast<double>(stage.cases->bodies.size())
                   ? std::optional<size_t>(static_cast<size_t>(at))
                   : std::nullopt;
    }

    /** The dim of the reader that alone decides an index; -1: there is none. */
    static DimId only_dim(const Index &index) {
        DimId only = -1;
        for (const DimId d : index.consumer_dims()) {
            if (index.scale[d] != 0) {
                if (only >= 0) {
                    return -1;
                }
                only = d;
            }
        }
        return index.affine && index.halo == 0 ? only : DimId(-1);
    }
};

}  // namespace

StageWork written_together(const std::vector<StageWork> &stages) {
    StageWork all = stages.back();
    for (auto stage = stages.begin(); stage + 1 != stages.end(); ++stage) {
        all.parts.insert(all.parts.end(), stage->parts.begin(), stage->parts.end());
        for (Load load : stage->loads) {
            load.reread = std::any_of(all.loads.begin(), all.loads.end(),
                                      [&](const Load &l) { return same_points(l, load); });
            all.loads.push_back(load);
        }
        all.stored_bytes += stage->stored_bytes;
        all.stores += stage->stores;
        all.element_bytes = std::max(all.element_bytes, stage->element_bytes);
        all.recomputed += stage->recomputed;
    }
    return all;
}

Access compose(const Access &inner, const Access &outer, size_t stage_dims) {
    Access access = inner;
    for (Index &i : access.indices) {
        i = compose(i, outer, stage_dims);
    }
    return access;
}

double StageWork::points() const {
    double n = 1;
    for (const Dim &d : dims) {
        n *= static_cast<double>(d.extent);
    }
    return n;
}

StageWork stage_work(const Graph &graph, StageId id, const Table<FuncId, bool> &inlined) {
    const Stage &stage = graph.stages[id];
    const FuncInfo &func = graph.funcs[stage.func];
    StageWork work;
    work.func = stage.func;
    work.update = stage.update;
    work.dims = stage.dims;
    work.stored_bytes = func.bytes_per_point;
    work.stores = func.tuple_size;
    work.element_bytes = func.element_bytes;
    work.accumulates = stage.update >= 0;
    work.library = stage.library;
    work.scattered_by = stage.role == Role::scatter ? stage.scattered_by : DimFlags();
    if (!stage.written.indices.empty()) {
        work.written = Load{stage.func, stage.written, work.stored_bytes, func.extents};
        work.written->read_at = stage.taken;
    }
    Part own;
    own.body = stage.body;
    own.multiply_accumulate = stage.multiply_accumulate;
    own.depends.assign(stage.dims.size(), true);
    own.guarded = stage.guarded;
    if (stage.cases) {
        own.chosen_by = stage.cases->dim;
        own.decided = stage.cases->mean();
    }
    own.phases = stage.phases;
    work.taken = stage.taken;
    work.chain = stage.chain;
    work.parts.push_back(own);
    for (const HoistedWork &hoisted : stage.hoisted) {
        work.parts.push_back({hoisted.body, false, hoisted.depends});
    }
    Merge(graph, inlined, work).add_loads(stage, nullptr, 1, false, stage.taken);
    return work;
}

Access identity_access(size_t dims, size_t stage_dims) {
    Access access;
    access.indices.resize(dims);
    for (const DimId d : access.indices.ids()) {
        Index &index = access.indices[d];
        index.scale.assign(stage_dims, 0.0);
        index.scale[d] = 1;
    }
    return access;
}

StageWork copy_work(FuncId made, const Load &from) {
    StageWork work;
    work.func = made;
    for (const DimId d : from.extents.ids()) {
        work.dims.push_back({"d" + std::to_string(d), from.extents[d], false, std::nullopt});
    }
    work.stored_bytes = work.element_bytes = from.bytes_per_point;
    work.loads.push_back({from.producer, identity_access(from.extents.size(), from.extents.size()),
                          from.bytes_per_point, from.extents});
    work.parts.push_back({ExprSummary(), false, DimFlags(from.extents.size(), true)});
    return work;
}

StageWork split_reduction(const StageWork &whole, DimId pure_dims, DimId dim, int64_t factor,
                          bool keep_outer) {
    StageWork work = whole;
    const DimId old = dim, left = old + 1;  // where what stays a reduction ends up
    const int64_t chunks = (work.dims[old].extent + factor - 1) / factor;
    work.dims.insert(work.dims.begin() + pure_dims,
                     Dim{"u", keep_outer ? chunks : factor, false, std::nullopt, !keep_outer});
    work.dims[left].extent = keep_outer ? factor : chunks;
    work.taken.clear();
    for (Load &load : work.loads) {
        load.read_at.clear();
        for (Index &i : load.access.indices) {
            const double scale = i.scale[old], step = scale * static_cast<double>(factor);
            i.scale[old] = keep_outer ? scale : step;
            i.scale.insert(i.scale.begin() + pure_dims, keep_outer ? step : scale);
        }
    }
    if (!work.scattered_by.empty()) {
        work.scattered_by.insert(work.scattered_by.begin() + pure_dims, work.scattered_by[old]);
    }
    for (Part &part : work.parts) {
        const bool depends = part.depends[old];
        part.depends.insert(part.depends.begin() + pure_dims, depends);
        part.chosen_by = -1;  // no policy that splits them unrolls all that is left
        part.phases.clear();
        if (!part.guarded.empty()) {
            part.guarded.insert(part.guarded.begin() + pure_dims, part.guarded[old]);
        }
    }
    return work;
}

StageWork keep_apart(const StageWork &whole, DimId pure_dims, DimId dim) {
    StageWork work = whole;
    const auto move = [&](auto &of_dims) {  // or of none
        if (!of_dims.empty()) {
            std::rotate(of_dims.begin() + pure_dims, of_dims.begin() + dim, of_dims.begin() + dim + 1);
        }
    };
    move(work.dims);
    work.dims[pure_dims].reduction = false;
    work.taken.clear();
    for (Load &load : work.loads) {
        load.read_at.clear();
        for (Index &i : load.access.indices) {
            move(i.scale);
        }
    }
    move(work.scattered_by);
    for (Part &part : work.parts) {
        part.chosen_by = -1;
        part.phases.clear();
        move(part.depends);
        move(part.guarded);
    }
    return work;
}

}  // namespace eutectic
