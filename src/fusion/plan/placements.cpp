#include <algorithm>
#include <cstring>

#include "fusion/plan/plan.h"
#include "fusion/rewrite.h"

namespace eutectic {

/** What rewrites look at besides the uses themselves is where the Funcs of these are. */
struct Placements::Rewritten {
    const Graph *algorithm = nullptr;
    std::vector<RewriteUse> uses;
    std::vector<Placement> places;
    Graph graph;
};

namespace {

/** Takes out the edges that rewrites have left behind. */
void keep_edges_of_stages(Graph &graph) {
    Table<EdgeId, Edge> edges;
    for (Stage &stage : graph.stages) {
        for (EdgeId &e : stage.edges) {
            edges.push_back(std::move(graph.edges[e]));
            e = edges.next_id() - 1;
        }
    }
    graph.edges = std::move(edges);
}

}  // namespace

bool Placements::uses(const Rewrite &rewrite, FuncId func) const {
    return std::find(rewrites_.begin(), rewrites_.end(), RewriteUse{&rewrite, func}) != rewrites_.end();
}

void Placements::use(const Rewrite &rewrite, FuncId func) {
    const RewriteUse use{&rewrite, func};
    const auto before = [](const RewriteUse &a, const RewriteUse &b) {
        return a.func != b.func ? a.func < b.func : std::strcmp(a.rewrite->name(), b.rewrite->name()) < 0;
    };
    const auto place = std::lower_bound(rewrites_.begin(), rewrites_.end(), use, before);
    if (place == rewrites_.end() || !(*place == use)) {
        rewrites_.insert(place, use);
    }
}

void Placements::drop(const Rewrite &rewrite, FuncId func) {
    rewrites_.erase(std::remove(rewrites_.begin(), rewrites_.end(), RewriteUse{&rewrite, func}),
                    rewrites_.end());
}

bool Placements::agree(const Placements &other, FuncId func) const {
    if (!((*this)[func] == other[func]) || rewrites_ == other.rewrites_) {
        return (*this)[func] == other[func];
    }
    const auto uses_in = [&](const std::vector<RewriteUse> &all) {
        std::vector<RewriteUse> uses;
        std::copy_if(all.begin(), all.end(), std::back_inserter(uses),
                     [&](const RewriteUse &u) { return u.func == func; });
        return uses;
    };
    return uses_in(rewrites_) == uses_in(other.rewrites_);
}

bool Placements::change_reads() const {
    return std::any_of(rewrites_.begin(), rewrites_.end(),
                       [](const RewriteUse &u) { return u.rewrite->changes_reads(); });
}

const Graph &Placements::rewritten(const Graph &algorithm) const {
    if (rewrites_.empty()) {
        return algorithm;  // NOLINT(bugprone-return-const-ref-from-parameter): graphs outlive their
                           // placements
    }
    std::vector<Placement> places;
    for (const RewriteUse &u : rewrites_) {
        places.push_back((*this)[u.func]);
    }
    if (!rewritten_ || rewritten_->algorithm != &algorithm || rewritten_->uses != rewrites_ ||
        rewritten_->places != places) {
        auto made = std::make_shared<Rewritten>();
        made->algorithm = &algorithm;
        made->uses = rewrites_;
        made->places = places;
        made->graph = algorithm;
        made->graph.forget_consumers();
        for (const RewriteUse &u : rewrites_) {
            u.rewrite->rewrite(made->graph, algorithm, *this, u.func);
        }
        keep_edges_of_stages(made->graph);
        made->graph.forget_consumers();
        rewritten_ = std::move(made);
    }
    return rewritten_->graph;
}

Placements Placements::places() const {
    Placements alone = *this;
    alone.rewrites_.clear();
    alone.rewritten_.reset();
    return alone;
}

Verdict rewrites_allow(const Graph &algorithm, const Placements &placements, FuncId func, NestSharing sharing,
                       FuncId other) {
    for (const RewriteUse &u : placements.rewrites()) {
        if (u.func == func) {
            if (const Verdict verdict = u.rewrite->allows(algorithm, placements, func, sharing, other);
                !verdict) {
                return verdict;
            }
        }
    }
    return Verdict::allow();
}

namespace {

/** The rewrites whose patterns `func`, or what is inlined into it, has. */
void collect(const Graph &graph, const Table<FuncId, bool> &inlined, FuncId func, Table<FuncId, bool> &seen,
             std::vector<const Rewrite *> &found) {
    seen[func] = true;
    const Stage &stage = graph.pure_stage(func);
    for (const std::shared_ptr<const Pattern> &p : stage.patterns) {
        if (std::find(found.begin(), found.end(), p->rewrite) == found.end()) {
            found.push_back(p->rewrite);
        }
    }
    for (const EdgeId e : stage.edges) {
        const FuncId producer = graph.edges[e].producer;
        if (inlined[producer] && !seen[producer]) {
            collect(graph, inlined, producer, seen, found);
        }
    }
}

}  // namespace

std::vector<PassRewrite> rewrites_of_pass(const Graph &graph, const Table<FuncId, bool> &inlined,
                                          FuncId root) {
    Table<FuncId, bool> seen(graph.funcs.size(), false);
    std::vector<const Rewrite *> found;
    collect(graph, inlined, root, seen, found);
    std::vector<PassRewrite> passes;
    for (const Rewrite *r : found) {
        if (std::optional<PassRewrite> pass = r->of_pass(graph, inlined, root)) {
            passes.push_back(std::move(*pass));
        }
    }
    return passes;
}

std::optional<RewriteUse> also_changed_by(const Graph &algorithm, const Placements &placements, FuncId func) {
    for (const RewriteUse &u : placements.rewrites()) {
        const std::vector<FuncId> changed = u.rewrite->also_changed(algorithm, u.func);
        if (std::find(changed.begin(), changed.end(), func) != changed.end()) {
            return u;
        }
    }
    return std::nullopt;
}

bool computed_by_rewrite(const Graph &algorithm, const Placements &placements, FuncId func, FuncId by) {
    return std::any_of(placements.rewrites().begin(), placements.rewrites().end(), [&](const RewriteUse &u) {
        return u.func == by && by != func && u.rewrite->computes(algorithm, by, func);
    });
}

void keep_rewrites(const Graph &algorithm, Placements &placements) {
    const std::vector<RewriteUse> uses = placements.rewrites();
    for (const RewriteUse &u : uses) {
        if (!u.rewrite->holds(algorithm, placements, u.func)) {
            placements.drop(*u.rewrite, u.func);
        }
    }
}

void replace_body(Graph &graph, StageId id, const RewrittenBody &body) {
    Stage &stage = graph.stages[id];
    stage.body = body.body;
    stage.cases.reset();  // they were of the definition as written
    stage.phases.clear();
    stage.multiply_accumulate = body.multiply_accumulate;
    stage.edges.clear();
    for (Edge e : body.edges) {
        e.consumer = id;
        stage.edges.push_back(graph.edges.next_id());
        graph.edges.push_back(std::move(e));
    }
}

}  // namespace eutectic
