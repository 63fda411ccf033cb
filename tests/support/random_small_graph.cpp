#include "tests/support/random_small_graph.h"

#include <array>
#include <string>

#include "tests/support/graphs.h"
#include "tests/support/patterns.h"
#include "tests/support/random.h"

namespace eutectic::test {

namespace {

/** What has the same extents: images at full size and halved, a value for each column, and for each row. */
enum Shape { full, half, columns, rows, shapes };

class Operations {
public:
    Operations(uint64_t seed, int most)
        : random_(seed), most_(most), n_(sizes[random_.below(6)]), m_(sizes[random_.below(6)]) {
    }

    Graph build() {
        const FuncId image = sketch_.input("in0", {n_, m_});
        add(full, image);
        add(columns, sketch_.input("in1", {n_}));
        add(rows, sketch_.input("in2", {m_}));
        weights_ = sketch_.input("in3", {n_, n_});
        const int64_t operations = most_ - random_.below(1 + random_.below(most_ - 1));  // rather many
        for (int64_t i = 0; i < operations; i++) {
            add_operation("op" + std::to_string(i));
        }
        finish();
        return sketch_.graph();
    }

private:
    static constexpr int64_t sizes[] = {24, 64, 100, 256, 1000, 2048};
    Sketch sketch_;
    Random random_;
    const int64_t most_, n_, m_;
    std::array<std::vector<FuncId>, shapes> of_shape_;
    FuncId weights_ = -1;
    FuncId quotient_ = -1, numerator_ = -1, divisor_ = -1;  // the last quotient of whole rows

    void add(Shape shape, FuncId func) {
        of_shape_[shape].push_back(func);
    }

    Extents extents(Shape shape) const {
        const Extents of[] = {{n_, m_}, {n_ / 2, m_ / 2}, {n_}, {m_}};
        return of[shape];
    }

    /** The latest more often than those before, so that chains form. */
    FuncId pick(Shape shape) {
        const std::vector<FuncId> &all = of_shape_[shape];
        const int64_t back = random_.below(1 + random_.below(static_cast<int64_t>(all.size())));
        return all[all.size() - 1 - back];
    }

    /** An image, of half the size if there is such a one and the dice say so. */
    Shape image() {
        return !of_shape_[half].empty() && random_.below(2) == 0 ? half : full;
    }

    ExprSummary body() {
        const int64_t kind = random_.below(8);
        return kind == 0   ? work(1, 0, 1)
               : kind == 1 ? work(20)
                           : work(static_cast<double>(1 + random_.below(4)));
    }

    static Read points(FuncId func) {
        return {func, {at(0), at(1)}};
    }

    void add_operation(const std::string &name) {
        switch (random_.below(12)) {
        case 0:
        case 1: return add_stencil(name);
        case 2: return add_resampled(name);
        case 3: return add_broadcast(name);
        case 4: return add_sum(name);
        case 5: return add_product(name);
        case 6: return add_quotient(name);
        case 7: {  // of values of each row or column alone
            const Shape shape = random_.below(2) == 0 ? rows : columns;
            return add(shape, sketch_.pointwise(name, extents(shape), {{pick(shape), {at(0)}}}, body()));
        }
        default: return add_points(name);
        }
    }

    void add_points(const std::string &name) {
        const Shape shape = image();
        std::vector<Read> reads = {points(pick(shape))};
        if (const FuncId other = pick(shape); random_.below(2) == 0 && other != reads.front().producer) {
            reads.push_back(points(other));
        }
        add(shape, sketch_.pointwise(name, extents(shape), reads, body()));
    }

    /** Three or five loads in a row, a column, or both. */
    void add_stencil(const std::string &name) {
        const Shape shape = image();
        const FuncId from = pick(shape);
        const int64_t reach = 1 + random_.below(2), direction = random_.below(3);
        std::vector<Read> reads;
        for (int64_t dy = direction == 0 ? 0 : -reach; dy <= (direction == 0 ? 0 : reach); dy++) {
            for (int64_t dx = direction == 1 ? 0 : -reach; dx <= (direction == 1 ? 0 : reach); dx++) {
                reads.push_back({from, {tap(0, static_cast<double>(dx)), tap(1, static_cast<double>(dy))}});
            }
        }
        const double flops = 2 * static_cast<double>(reads.size());
        add(shape, sketch_.pointwise(name, extents(shape), reads, work(flops)));
    }

    /** Four points as one, or one as four. */
    void add_resampled(const std::string &name) {
        if (of_shape_[half].empty() || random_.below(2) == 0) {
            const FuncId from = pick(full);
            std::vector<Read> reads;
            for (const double dy : {0, 1}) {
                for (const double dx : {0, 1}) {
                    reads.push_back({from, {tap(0, dx, 2), tap(1, dy, 2)}});
                }
            }
            add(half, sketch_.pointwise(name, extents(half), reads, work(4)));
        } else {
            const Read nearest{pick(half), {scaled(0, 0.5), scaled(1, 0.5)}};
            add(full, sketch_.pointwise(name, extents(full), {nearest}, work(1)));
        }
    }

    void add_broadcast(const std::string &name) {
        const bool each_row = random_.below(2) == 0;
        const Read shared{pick(each_row ? rows : columns), {at(each_row ? 1 : 0)}};
        add(full, sketch_.pointwise(name, extents(full), {points(pick(full)), shared}, body()));
    }

    void add_sum(const std::string &name) {
        const FuncId from = pick(full);
        if (random_.below(3) > 0) {
            add(rows, sketch_.reduction(name, {m_}, {n_}, {{from, {at(1), at(0)}}}));
        } else {
            add(columns, sketch_.reduction(name, {n_}, {m_}, {{from, {at(0), at(1)}}}));
        }
    }

    void add_product(const std::string &name) {
        const FuncId from = random_.below(2) == 0 && quotient_ >= 0 ? quotient_ : pick(full);
        const FuncId product = sketch_.matmul(name, from, weights_, n_, m_, n_);
        if (from == quotient_) {
            const Read weights{weights_, {at(0), at(2)}};
            const Read undivided{numerator_, {at(2), at(1)}};
            const Read divisor{divisor_, {at(1)}};
            late_division(sketch_, product, quotient_, {points(numerator_)}, {undivided, weights}, divisor);
        }
        add(full, product);
    }

    void add_quotient(const std::string &name) {
        numerator_ = pick(full);
        divisor_ = pick(rows);
        const Read divisor{divisor_, {at(1)}};
        quotient_ = sketch_.pointwise(name, extents(full), {points(numerator_), divisor}, work(0, 1));
        row_division(sketch_, quotient_, {false, true});
        add(full, quotient_);
    }

    /** What nobody reads is an output; sometimes so is something that is read. */
    void finish() {
        const Graph so_far = sketch_.graph();
        for (const FuncId id : so_far.funcs.ids()) {
            if (!so_far.funcs[id].input && (so_far.consumers(id).empty() || random_.below(8) == 0)) {
                sketch_.output(id);
            }
        }
    }
};

}  // namespace

Graph random_small_graph(uint64_t seed, int most) {
    return Operations(seed, most).build();
}

}  // namespace eutectic::test
