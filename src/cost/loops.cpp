#include "cost/loops.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace eutectic {

namespace {

void require(bool holds, const Loop &loop, const char *what) {
    if (!holds) {
        throw std::logic_error("loops: that over d" + std::to_string(loop.dim) + " " + what);
    }
}

}  // namespace

bool is_unrolled(Loop::Kind kind) {
    return kind == Loop::Kind::vector || kind == Loop::Kind::unroll;
}

/** Of the loop at `at` and those around it. */
void Loops::check(size_t at) const {
    const Loop &loop = loops_[at];
    require(loop.size >= 1, loop, "steps by no points");
    require(loop.dim >= 0 || loop.count >= 1, loop, "is over none of the dims and has no number of turns");
    for (size_t l = 0; l < at; l++) {
        const Loop &outer = loops_[l];
        require(outer.kind != Loop::Kind::vector, loop, "is inside the lanes of a vector");
        require(loop.kind != Loop::Kind::parallel || !is_unrolled(outer.kind), loop,
                "is parallel inside unrolled ones");
        require(loop.dim < 0 || outer.dim != loop.dim || outer.count > 0 || loop.count > 0 ||
                    loop.size <= outer.size,
                loop, "has larger steps than the one around it");
    }
}

void Loops::check_from(size_t at) const {
    for (size_t l = at; l < loops_.size(); l++) {
        check(l);
    }
}

Loops::Loops(std::initializer_list<Loop> loops) {
    loops_.reserve(loops.size());
    for (const Loop &loop : loops) {
        nest(loop);
    }
}

Loops &Loops::nest(const Loop &loop) {
    loops_.push_back(loop);
    check(loops_.size() - 1);
    return *this;
}

Loops &Loops::nest(const Loops &inner) {
    loops_.reserve(loops_.size() + inner.size());
    for (const Loop &loop : inner) {
        nest(loop);
    }
    return *this;
}

Loops Loops::inside(std::vector<Loop> enclosing, const Loops &own) {
    Loops all;
    all.loops_ = std::move(enclosing);
    all.loops_.insert(all.loops_.end(), own.begin(), own.end());
    return all;
}

Loops &Loops::split(DimId dim, int64_t size, Loop::Kind kind) {
    return nest(Loop{dim, size, kind});
}

Loops &Loops::repeat(int64_t turns, Loop::Kind kind) {
    return nest(Loop{-1, 1, kind, turns});
}

Loops &Loops::insert(size_t at, const Loop &loop) {
    loops_.insert(loops_.begin() + static_cast<std::ptrdiff_t>(at), loop);
    check_from(at);
    return *this;
}

Loops &Loops::remove(size_t at) {
    loops_.erase(loops_.begin() + static_cast<std::ptrdiff_t>(at));
    return *this;
}

Loops &Loops::split_at(size_t at, int64_t size) {
    Loop outer = loops_.at(at);
    outer.size = size;
    return insert(at, outer);
}

Loops &Loops::reorder(size_t a, size_t b) {
    std::swap(loops_.at(a), loops_.at(b));
    check_from(std::min(a, b));
    return *this;
}

Loops &Loops::run_as(size_t at, Loop::Kind kind) {
    loops_.at(at).kind = kind;
    check_from(at);
    return *this;
}

Loops &Loops::set_tail(size_t at, Loop::Tail tail) {
    loops_.at(at).tail = tail;
    return *this;
}

Loops &Loops::set_partitioned(size_t at, bool partitioned) {
    loops_.at(at).partitioned = partitioned;
    return *this;
}

Loops &Loops::only_in_whole(size_t at) {
    loops_.at(at).only_whole = true;
    return *this;
}

}  // namespace eutectic
