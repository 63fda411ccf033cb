#include "schedules/emit/loops.h"

#include <algorithm>

#include "schedules/emit/identifiers.h"

namespace eutectic {

namespace {

bool is_thread(Loop::Kind kind) {
    return kind == Loop::Kind::gpu_thread || kind == Loop::Kind::gpu_lane;
}

/** Must its extent be a constant? */
bool needs_constant(Loop::Kind kind) {
    return is_unrolled(kind) || is_thread(kind);
}

class Maker {
public:
    Maker(const StageNest &stage, const Table<DimId, std::string> &common)
        : s_(stage), common_(common), bounded_(stage.dims.size(), false) {
        for (const DimId d : s_.dims.ids()) {
            left_.push_back(original(d));
            // Loops of different stages of a Func have different names, so that compute_at() needs no stage
            // index.
            bounded_[d] = s_.dims[d].constant;
            const VarRef &name = left_.back();
            base_.push_back((name.made.empty() ? identifier(s_.dims[d].name) : name.made) + suffix());
        }
    }

    StageLoops run() {
        for (size_t l = s_.nest.shared; l < s_.nest.loops.size(); l++) {
            out_.vars.push_back(s_.nest.loops[l].dim < 0 ? once(l) : loop(l));
        }
        sort();
        fuse_blocks();
        if (turns_once_) {
            out_.order.clear();  // such loops are outside all others as they are made, and may not be moved
        }
        return out_;
    }

private:
    const StageNest &s_;
    const Table<DimId, std::string> &common_;
    StageLoops out_;
    Table<DimId, VarRef> left_;  ///< what is left of each dim
    Table<DimId, std::string> base_;
    DimFlags bounded_;  ///< is the extent of what is left a constant?
    std::vector<std::pair<VarRef, Loop::Kind>> loops_;
    bool turns_once_ = false;

    std::string suffix() const {
        return s_.update < 0 ? "" : "_u" + std::to_string(s_.update);
    }

    VarRef original(DimId dim) const {
        if (!common_.empty()) {
            return {-1, -1, common_[dim], false};
        }
        const int pure = static_cast<int>(
            std::count_if(s_.dims.begin(), s_.dims.end(), [](const Dim &d) { return !d.reduction; }));
        return dim < pure ? VarRef{dim, -1, "", false} : VarRef{-1, dim - pure, "", true};
    }

    void add(const VarRef &var, Loop::Kind kind) {
        loops_.emplace_back(var, kind);
    }

    /** Splits `size` points off what is left of dim `d`, for loop `l`, and returns the loop over such pieces.
     */
    VarRef cut(size_t l, DimId d, int64_t size) {
        const bool reduction = s_.dims[d].reduction;
        const VarRef outer{-1, -1, base_[d] + "_o", reduction}, inner{-1, -1, base_[d] + "_i", reduction};
        out_.splits.push_back({left_[d], outer, inner, size, l});
        left_[d] = inner;
        base_[d] += "_i";
        return outer;
    }

    VarRef loop(size_t l) {
        const Loop &loop = s_.nest.loops[l];
        const DimId d = loop.dim;
        const bool reduction = s_.dims[d].reduction;
        VarRef var = left_[d];
        if (loop.size > 1) {
            var = cut(l, d, loop.size);
            if (!bounded_[d] && needs_constant(loop.kind)) {
                // The loop over the steps has an extent of its own that must be constant: split it off what
                // encloses it.
                const VarRef outside{-1, -1, var.made + "_o", reduction},
                    inside{-1, -1, var.made + "_i", reduction};
                out_.splits.push_back({var, outside, inside, trips(s_.nest, l, s_.dims), l});
                add(outside, Loop::Kind::serial);
                var = inside;
            }
        } else if (!bounded_[d] && needs_constant(loop.kind)) {
            add(cut(l, d, trips(s_.nest, l, s_.dims)), Loop::Kind::serial);
            var = left_[d];
        }
        bounded_[d] = true;
        add(var, loop.kind);
        return var;
    }

    /** A loop of one turn around everything. */
    VarRef once(size_t l) {
        const VarRef all{-1, -1, "__outermost", false};
        const VarRef var{
            -1, -1, std::string(is_thread(s_.nest.loops[l].kind) ? "one_thread" : "one_block") + suffix(),
            false};
        out_.splits.insert(out_.splits.begin(),
                           {all, all, var, 1, l});  // threads first: what is split off later is outside
        turns_once_ = true;
        add(var, s_.nest.loops[l].kind);
        return var;
    }

    /** Outermost first; a GPU's threads inside its blocks and what these do in steps, and around all that a
     * thread does. */
    void sort() {
        const auto place = [](Loop::Kind k) {
            return k == Loop::Kind::gpu_block ? 0 : k == Loop::Kind::gpu_step ? 1 : is_thread(k) ? 2 : 3;
        };
        if (std::any_of(loops_.begin(), loops_.end(), [&](const auto &l) { return place(l.second) < 3; })) {
            std::stable_sort(loops_.begin(), loops_.end(),
                             [&](const auto &a, const auto &b) { return place(a.second) < place(b.second); });
        }
        for (const auto &[var, kind] : loops_) {
            out_.order.push_back(var);
        }
    }

    void fuse_blocks() {
        for (size_t l = 0; l < out_.vars.size(); l++) {
            if (s_.nest.loops[l + s_.nest.shared].kind == Loop::Kind::gpu_block) {
                out_.blocks.push_back(l);
            }
        }
        // What is left has at most three loops, of which those over the outer dims are fused, and the
        // innermost: only the first dimension of a grid is as long as any buffer. Halide knows what a block
        // needs where a loop is made of two, and takes it for more where it is made of three, so that storage
        // of a fixed size would be too small: loops over five dims are two fused and one.
        std::vector<VarRef> &order = out_.order;
        const size_t n = out_.blocks.size(), left = std::min<size_t>(n == 3 ? 2 : 3, n);
        for (size_t i = 0; i + left < n; i++) {
            const VarRef fused{-1, -1, "gpu_blocks" + std::to_string(i + 1) + suffix(), false};
            const size_t at = i % 2;
            out_.fuses.push_back({order[at], order[at + 1], fused});
            order.erase(order.begin() + static_cast<std::ptrdiff_t>(at));
            order[at] = fused;
        }
        std::reverse(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(left));
        out_.grid.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(left));
        for (const size_t l : out_.blocks) {
            out_.vars[l] = out_.grid.back();
        }
    }
};

}  // namespace

StageLoops make_loops(const StageNest &stage, const Table<DimId, std::string> &common) {
    return Maker(stage, common).run();
}

bool may_be_cut(const Nest &nest, bool whole, const Loop &loop) {
    const auto steps = [&](DimId dim) {  // as chunks and the vectors in them do
        return std::count_if(nest.loops.begin(), nest.loops.end(), [&](const Loop &l) {
            return l.dim == dim && l.size > 1 && !is_unrolled(l.kind);
        });
    };
    const bool small =
        !whole && !nest.whole.empty() && std::none_of(nest.whole.begin(), nest.whole.end(), is_of_any_size);
    const bool long_or_in_kernel = std::any_of(nest.loops.begin(), nest.loops.end(), [&](const Loop &l) {
        return l.kind == Loop::Kind::gpu_block || l.kind == Loop::Kind::gpu_thread || steps(l.dim) > 1;
    });
    return loop.partitioned && (!small || long_or_in_kernel || is_unrolled(loop.kind));
}

}  // namespace eutectic
