#include "tests/support/random_graph.h"

#include "tests/support/graphs.h"
#include "tests/support/random.h"

namespace eutectic::test {

namespace {

class Pipeline {
public:
    explicit Pipeline(uint64_t seed)
        : random_(seed), n_(sizes[random_.below(5)]), m_(sizes[random_.below(5)]) {
    }

    Graph build() {
        square_.push_back(sketch_.input("in0", {n_, m_}));
        square_.push_back(sketch_.input("in1", {n_, m_}));
        rows_.push_back(sketch_.input("in2", {m_}));
        weights_ = sketch_.input("in3", {n_, n_});
        const int64_t operations = 1 + random_.below(12);
        for (int64_t i = 0; i < operations; i++) {
            add("op" + std::to_string(i));
        }
        finish();
        return sketch_.graph();
    }

private:
    static constexpr int64_t sizes[] = {1, 7, 32, 100, 512};
    Sketch sketch_;
    Random random_;
    int64_t n_, m_;
    std::vector<FuncId> square_, rows_;  // what has extents {n, m} and {m}
    FuncId weights_ = -1, last_ = -1;

    FuncId pick(const std::vector<FuncId> &from) {
        // Recent ones are read more often than old ones, so that chains form.
        const int64_t back = random_.below(1 + random_.below(static_cast<int64_t>(from.size())));
        return from[from.size() - 1 - back];
    }

    void add(const std::string &name) {
        switch (random_.below(7)) {
        case 0: square_.push_back(last_ = sketch_.matmul(name, pick(square_), weights_, n_, m_, n_)); return;
        case 1:
            rows_.push_back(last_ = sketch_.reduction(name, {m_}, {n_}, {{pick(square_), {at(1), at(0)}}}));
            return;
        case 2:
            square_.push_back(last_ = sketch_.pointwise(
                                  name, {n_, m_}, {{pick(square_), {at(0), at(1)}}, {pick(rows_), {at(1)}}},
                                  work(1, 0, 1)));
            return;
        case 3:
            square_.push_back(last_ = sketch_.pointwise(name, {n_, m_},
                                                        {{pick(square_), {shifted(0, 2), at(1)}}}, work(3)));
            return;
        case 4: square_.push_back(last_ = sketch_.external(name, {n_, m_}, {pick(square_)})); return;
        default:
            square_.push_back(
                last_ = sketch_.pointwise(
                    name, {n_, m_}, {{pick(square_), {at(0), at(1)}}, {pick(square_), {at(0), at(1)}}}));
        }
    }

    /** What nobody reads is an output; sometimes so is something that is read. */
    void finish() {
        const Graph so_far = sketch_.graph();
        for (const FuncId id : so_far.funcs.ids()) {
            if (so_far.funcs[id].input) {
                continue;
            }
            if (so_far.consumers(id).empty() || random_.below(10) == 0) {
                sketch_.output(id);
            } else if (random_.below(10) == 0) {
                sketch_.user_scheduled(id);
            }
        }
    }
};

}  // namespace

Graph random_graph(uint64_t seed) {
    return Pipeline(seed).build();
}

Graph renamed(Graph graph) {
    const size_t n = graph.funcs.size();
    for (size_t f = 0; f < n; f++) {
        graph.funcs[f].name = "z" + std::to_string(n - f);
    }
    for (Stage &stage : graph.stages) {
        for (const DimId d : stage.dims.ids()) {
            stage.dims[d].name = "loop" + std::to_string(stage.dims.size() - d);
        }
    }
    return graph;
}

}  // namespace eutectic::test
