// Halide's storage of a Func that a block of threads computes, a few points for each thread, has room for all
// of them. Here each thread gets room for its own.
//
// An access is at base + c0 * l0 + c1 * l1 + ... + d: the base tells threads apart, the loops l inside a
// thread its points. All accesses have to agree on the base; the distances from it that the loops reach are
// then numbered from 0 on, in such a way that the new index is c0' * l0 + c1' * l1 + ... + d'. Where that is
// not so nothing changes.

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

using namespace Halide::Internal;

constexpr int64_t most_turns = 1024;  // of the loops of one thread around an access

/** One loop of a thread around an access. */
struct ThreadLoop {
    std::string name;
    int64_t turns = 1, step = 0;
};

/** Where an access is: scalar, or the first of several neighbours. */
struct Place {
    Expr base;
    int64_t distance = 0;
    std::vector<ThreadLoop> loops;
    int lanes = 1;
};

/** Every distance that `p` reaches. */
std::vector<int64_t> reached(const Place &p) {
    std::vector<int64_t> all = {p.distance};
    for (const ThreadLoop &l : p.loops) {
        std::vector<int64_t> next;
        for (const int64_t d : all) {
            for (int64_t t = 0; t < l.turns; t++) {
                next.push_back(d + t * l.step);
            }
        }
        all = next;
    }
    return all;
}

/** Takes indices apart, below the lets and loops that it has been told of. */
class Indices {
public:
    void let(const std::string &name, const Expr &value) {
        lets_[name] = substitute(lets_, value);
    }

    void loop(const For *op) {
        const Expr most = find_constant_bound(substitute(lets_, op->extent), Direction::Upper);
        const auto turns = most.defined() ? as_const_int(most) : std::nullopt;
        loops_[op->name] = is_const_zero(op->min) && turns ? *turns : 0;
    }

    std::optional<Place> place(const Expr &index) const {
        const Ramp *ramp = index.as<Ramp>();
        if (ramp ? !is_const_one(ramp->stride) : !index.type().is_scalar()) {
            return std::nullopt;
        }
        Place p;
        p.lanes = index.type().lanes();
        p.base = simplify(substitute(lets_, ramp ? ramp->base : index));
        int64_t turns = p.lanes;
        for (const auto &[name, count] : loops_) {
            const Expr at = p.base;
            p.base = simplify(substitute(name, make_zero(Int(32)), at));
            if (equal(p.base, at)) {
                continue;
            }
            const Expr variable = Variable::make(Int(32), name);
            const auto step = as_const_int(simplify(substitute(name, make_one(Int(32)), at) - p.base));
            turns *= count;
            if (!step || count == 0 || turns > most_turns ||
                !is_const_zero(simplify(at - p.base - variable * Expr(static_cast<int32_t>(*step))))) {
                return std::nullopt;
            }
            p.loops.push_back({name, count, *step});
        }
        return p;
    }

private:
    std::map<std::string, Expr> lets_;
    std::map<std::string, int64_t> loops_;  // turns, at most; 0: who knows
};

/** Follows what is around loads and stores of `name`. */
class Accesses : public IRMutator {
public:
    explicit Accesses(std::string name) : name_(std::move(name)) {
    }

protected:
    using IRMutator::visit;

    Indices indices_;

    virtual Expr at(const Expr &index) = 0;

    Expr visit(const Let *op) override {
        const Expr value = mutate(op->value);
        indices_.let(op->name, value);
        return Let::make(op->name, value, mutate(op->body));
    }
    Stmt visit(const LetStmt *op) override {
        const Expr value = mutate(op->value);
        indices_.let(op->name, value);
        return LetStmt::make(op->name, value, mutate(op->body));
    }
    Stmt visit(const For *op) override {
        if (op->for_type != ForType::GPUThread && op->for_type != ForType::GPULane) {
            indices_.loop(op);
        }
        return IRMutator::visit(op);
    }
    Expr visit(const Load *op) override {
        return op->name == name_ ? Load::make(op->type, op->name, at(op->index), op->image, op->param,
                                              mutate(op->predicate), ModulusRemainder())
                                 : IRMutator::visit(op);
    }
    Stmt visit(const Store *op) override {
        return op->name == name_ ? Store::make(op->name, mutate(op->value), at(op->index), op->param,
                                               mutate(op->predicate), ModulusRemainder())
                                 : IRMutator::visit(op);
    }

private:
    std::string name_;
};

/** Finds the distances, and changes nothing. */
class Distances : public Accesses {
public:
    using Accesses::Accesses;

    bool known = true;
    Expr base;
    std::vector<Place> places;
    std::set<int64_t> found;

protected:
    Expr at(const Expr &index) override {
        std::optional<Place> p = known ? indices_.place(index) : std::nullopt;
        known = p.has_value();
        if (known) {
            base = base.defined() ? base : p->base;
            const auto distance = as_const_int(simplify(p->base - base));
            known = distance.has_value();
            p->distance = known ? *distance : 0;
            for (const int64_t d : reached(*p)) {
                for (int l = 0; l < p->lanes; l++) {
                    found.insert(d + l);
                }
            }
            places.push_back(*p);
        }
        return index;
    }
};

/** Numbers the points that a thread reaches. */
class Numbers {
public:
    explicit Numbers(const std::set<int64_t> &distances) {
        for (const int64_t d : distances) {
            number_.emplace(d, static_cast<int64_t>(number_.size()));
        }
    }

    /** `p` in these numbers; nothing where they are not as far apart as the loops need them. */
    std::optional<Place> renumbered(const Place &p) const {
        Place n = p;
        n.distance = number_.at(p.distance);
        for (size_t l = 0; l < p.loops.size(); l++) {
            n.loops[l].step =
                p.loops[l].turns > 1 ? number_.at(p.distance + p.loops[l].step) - n.distance : 0;
        }
        const std::vector<int64_t> from = reached(p), to = reached(n);
        for (size_t i = 0; i < from.size(); i++) {
            for (int l = 0; l < p.lanes; l++) {
                if (number_.at(from[i] + l) != to[i] + l) {
                    return std::nullopt;
                }
            }
        }
        return n;
    }

private:
    std::map<int64_t, int64_t> number_;
};

class Renumber : public Accesses {
public:
    Renumber(const std::string &name, Expr base, const Numbers &numbers)
        : Accesses(name), base_(std::move(base)), numbers_(numbers) {
    }

protected:
    Expr at(const Expr &index) override {
        Place p = *indices_.place(index);
        p.distance = *as_const_int(simplify(p.base - base_));
        const Place n = *numbers_.renumbered(p);
        Expr e = Expr(static_cast<int32_t>(n.distance));
        for (const ThreadLoop &l : n.loops) {
            e = e + Variable::make(Int(32), l.name) * Expr(static_cast<int32_t>(l.step));
        }
        e = simplify(e);
        return n.lanes == 1 ? e : Ramp::make(e, 1, n.lanes);
    }

private:
    Expr base_;
    const Numbers &numbers_;
};

class ThreadsApart : public IRMutator {
protected:
    using IRMutator::visit;

    Stmt visit(const For *op) override {
        const bool outside = in_kernel_;
        in_kernel_ = in_kernel_ || op->for_type == ForType::GPUBlock;
        Stmt s = IRMutator::visit(op);
        in_kernel_ = outside;
        return s;
    }

    Stmt visit(const Allocate *op) override {
        const Stmt body = mutate(op->body);
        const auto with = [&](const std::vector<Expr> &extents, const Stmt &inside) {
            return Allocate::make(op->name, op->type, op->memory_type, extents, op->condition, inside,
                                  op->new_expr, op->free_function, op->padding);
        };
        if (in_kernel_ && op->memory_type == MemoryType::Stack) {
            Distances distances(op->name);
            distances.mutate(body);
            const Numbers numbers(distances.found);
            const bool possible = distances.known && std::all_of(distances.places.begin(),
                                                                 distances.places.end(), [&](const Place &p) {
                                                                     return numbers.renumbered(p).has_value();
                                                                 });
            if (possible && !distances.found.empty()) {
                return with({Expr(static_cast<int32_t>(distances.found.size()))},
                            Renumber(op->name, distances.base, numbers).mutate(body));
            }
        }
        return with(op->extents, body);
    }

private:
    bool in_kernel_ = false;
};

}  // namespace

void keep_threads_apart(Pipeline pipeline) {
    pipeline.add_custom_lowering_pass(new ThreadsApart);  // the pipeline owns it
}

}  // namespace eutectic
