// s(i) += e(k, i);  l(i) = f(s(i));  y(j, i) = g(e(j, i), s(i))   →   one nest over i writes l and y, in
// blocks: s and e are computed for one block at a time, for both. y(j, i) = f(x(j, i));  m(b, i) = bits(y(8 b
// … 8 b + 7, i))   →   one nest over i writes a row of y, and the same row of m: x comes from memory
// once, and y is recomputed for m.
//
// Neither could have s in blocks of its own, since the other reads it too. l has the dims of y, or the outer
// ones alone, or, as m, an innermost one whose points are runs of the points of y (run_length()); then
// nothing is in blocks, and what is pure there is inlined. Legal when 1. l and y may share a nest once the
// blocks are there (write_together.cpp), 2. each Func in the blocks may be there (tile_producer.cpp), and a
// row needs no other rows of it than its own, which would be recomputed for each, 3. at least one of them
// is read by both, through whatever is in the blocks or inlined; for m, that it reads y or what y reads.
//
// What is in tiles of y stays there, and m apart. (By hand, relu(x w + b) of 128 x 784 x 256 and its mask on
// one AVX-512 core: 343 us with both written from each tile, which needs a buffer of its own and y as a copy
// of that, against 322 us apart; 331 us in strips of 16 rows, against 286 us in the same run. The mask's own
// pass takes 1 % of the time.)

#include <algorithm>

#include "fusion/plan/shared_rows.h"
#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

using Kind = Placement::Kind;

bool is_rows(const Graph &graph, FuncId f) {
    const FuncInfo &info = graph.funcs[f];
    return !info.input && info.stages.size() == 1 && !info.extents.empty();
}

/** Are `rows` the outer dims of `all`, or all of them? */
bool are_outer(const Extents &rows, const Extents &all) {
    return rows.size() <= all.size() &&
           std::equal(rows.elements().rbegin(), rows.elements().rend(), all.elements().rbegin());
}

/** The dim of `f` that goes over the rows of the nest, where every reader's own row is all that it needs; -1:
 * it is not so. `rows`: that of each Func computed there. */
DimId row_dim(const Graph &graph, const Placements &placements, FuncId f, const Table<FuncId, DimId> &rows) {
    DimId dim = -1;
    for (const Reader &reader : readers(graph, placements, f)) {
        const DimId row = rows[reader.func];
        DimId own = -1;
        for (DimId i = 0; i < reader.access.indices.next_id() && row >= 0; i++) {
            const Index &index = reader.access.indices[i];
            if (index.affine && index.equals_dim() == row) {
                own = i;
            } else if (!index.affine || index.scale[row] != 0) {
                return -1;
            }
        }
        if (own < 0 || (dim >= 0 && dim != own)) {
            return -1;
        }
        dim = own;
    }
    return dim;
}

/** `placements` with `func` written with `root`, and nothing else moved. */
Placements joined(const Placements &placements, FuncId func, FuncId root) {
    Placements next = placements;
    Placement &p = next[func];
    p = {Kind::joint, root};
    return next;
}

/** `placements` with `func` written with `root`, and everything that only the two of them need in blocks of
 * their loops. */
Placements together(const Graph &graph, const Placements &placements, FuncId func, FuncId root) {
    Placements next = joined(placements, func, root);
    Table<FuncId, bool> there(next.size(), false);  // computed nowhere but in that nest
    Table<FuncId, DimId> rows(next.size(), -1);
    for (const FuncId f : next.reversed_ids()) {
        const std::vector<FuncId> &readers = graph.consumer_funcs(f);
        const bool only_there = !readers.empty() && std::all_of(readers.begin(), readers.end(),
                                                                [&](FuncId r) { return there[r] || r == f; });
        if (f == func || f == root || (shares_nest(next[f]) && next[f].consumer == root)) {
            there[f] = true;
            rows[f] = graph.funcs[f].extents.next_id() - 1;
        } else if (only_there && next[f].kind == Kind::root && !graph.funcs[f].input) {
            rows[f] = row_dim(graph, next, f, rows);
            if (rows[f] >= 0 && may_compute_in_block(graph, next, f, root)) {
                next[f] = {Kind::block, root};
                there[f] = true;
            }
        } else {
            there[f] = only_there && next[f].kind != Kind::root && !graph.funcs[f].input;
        }
    }
    return next;
}

/** For each Func: does `reader` read it, through what is inlined or in blocks of `root`? */
Table<FuncId, bool> read_by(const Graph &graph, const Placements &placements, FuncId reader, FuncId root) {
    Table<FuncId, bool> read(graph.funcs.size(), false);
    const FuncId recomputed = recomputed_for(graph, placements, reader);
    for (const FuncId f : graph.funcs.reversed_ids()) {
        const Placement &p = placements[f];
        const bool passes_on =
            p.kind == Kind::inlined || (p.kind == Kind::block && p.consumer == root) || f == recomputed;
        if (f != reader && !(read[f] && passes_on)) {
            continue;
        }
        for (const StageId s : graph.funcs[f].stages) {
            for (const EdgeId e : graph.stages[s].edges) {
                read[graph.edges[e].producer] = true;
            }
        }
    }
    return read;
}

/** Is there something in the blocks of `root` that it reads, and `func` too? */
bool blocks_serve_both(const Graph &graph, const Placements &placements, FuncId func, FuncId root) {
    const Table<FuncId, bool> a = read_by(graph, placements, func, root),
                              b = read_by(graph, placements, root, root);
    for (const FuncId f : placements.ids()) {
        if (placements[f].kind == Kind::block && placements[f].consumer == root && a[f] && b[f]) {
            return true;
        }
    }
    return false;
}

/** `placements` with what is pure in blocks of `root` computed where it is read instead. */
Placements without_blocks(const Graph &graph, const Placements &placements, FuncId root) {
    Placements next = placements;
    for (const FuncId f : next.ids()) {
        const Placement &p = next[f];
        if (p.kind == Kind::block && p.consumer == root &&
            may_inline(graph, next, {f, graph.consumer_funcs(f)})) {
            next = inline_producer(graph, next, f);
        }
    }
    return next;
}

/** The ways to write `func` with `root`. */
std::vector<Placements> ways(const Graph &graph, const Placements &placements, FuncId func, FuncId root) {
    std::vector<Placements> all;
    if (placements[func].kind != Kind::joint && run_length(graph, placements, func, root) > 1) {
        all.push_back(joined(without_blocks(graph, placements, root), func, root));
    }
    const Placements blocks = together(graph, placements, func, root);
    if (blocks_serve_both(graph, blocks, func, root)) {
        all.push_back(blocks);
    }
    return all;
}

/** Each pair that reads the same Func in memory, which could then be in blocks, or of which one has runs of
 * the points of the other. */
std::vector<Site> match(const Graph &graph, const Placements &placements) {
    std::vector<Site> sites;
    const auto is_nest = [&](FuncId f) { return is_rows(graph, f) && placements[f].kind == Kind::root; };
    const auto add = [&](FuncId func, FuncId root) {
        const Placement &p = placements[func];
        const bool may_move =
            is_nest(func) || (is_rows(graph, func) && p.kind == Kind::joint && p.consumer == root);
        const bool known = std::any_of(sites.begin(), sites.end(), [&](const Site &s) {
            return s.producer == func && s.consumers.front() == root;
        });
        if (func != root && !known && is_nest(root) && may_move &&
            !ways(graph, placements, func, root).empty()) {
            sites.push_back({func, {root}});
        }
    };
    const auto extents = [&](FuncId f) -> const Extents & { return graph.funcs[f].extents; };
    for (const FuncId shared : placements.ids()) {
        const FuncInfo &info = graph.funcs[shared];
        if (info.input || info.output || placements[shared].kind != Kind::root) {
            continue;
        }
        const std::vector<FuncId> roots = roots_of_readers(graph, placements, shared);
        for (const FuncId root : roots) {
            for (const FuncId func : roots) {
                if (are_outer(extents(func), extents(root)) &&
                    (extents(func).size() < extents(root).size() || func < root)) {
                    add(func, root);
                }
            }
        }
    }
    for (const FuncId root : placements.ids()) {
        for (const FuncId func : placements.ids()) {
            if (is_nest(root) && is_nest(func) && extents(func)[0] < extents(root)[0] &&
                run_length(graph, placements, func, root) > 1) {
                add(func, root);
            }
        }
    }
    return sites;
}

Verdict legal(const Graph &graph, const Placements &placements, const Site &site) {
    Verdict verdict = Verdict::allow();
    for (const Placements &way : ways(graph, placements, site.producer, site.consumers.front())) {
        verdict = may_write_with(graph, way, site.producer, site.consumers.front());
        if (verdict) {
            break;
        }
    }
    return verdict;
}

std::vector<Placements> candidates(const Graph &graph, const Placements &placements, const Site &site) {
    std::vector<Placements> all;
    for (Placements next : ways(graph, placements, site.producer, site.consumers.front())) {
        if (may_write_with(graph, next, site.producer, site.consumers.front())) {
            settle(graph, placements, next);
            all.push_back(next);
        }
    }
    return all;
}

}  // namespace

Rule write_rows_together() {
    return {"write_rows_together", match, legal, candidates, true};
}

}  // namespace eutectic
