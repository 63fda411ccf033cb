#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/data/graph.h"

namespace eutectic::test {

/** One index of a load, before the number of the reader's loops is known. */
struct At {
    DimId dim = -1;  ///< the reader's loop; -1: none
    double scale = 1;
    double halo = 0;
    bool affine = true;
    bool exact = true;
    double offset = 0;  ///< added to it: one of several loads beside each other, as a stencil has them
};

/** The reader's loop `dim` itself. */
At at(DimId dim);
/** Loop `dim` plus an offset; `halo` further points are read beside it. */
At shifted(DimId dim, double halo = 0);
/** `scale` times loop `dim`, plus `offset`: one tap of a stencil. */
At tap(DimId dim, double offset, double scale = 1);
/** `scale` times loop `dim`, rounded if it is a fraction. */
At scaled(DimId dim, double scale);
/** The same element always. */
At fixed();
/** An index that is itself loaded. */
At unknown();

struct Read {
    FuncId producer;
    Table<DimId, At> indices;
};

/** Of a stage with so many dims; their consumer is for the caller to say. */
std::vector<Edge> edges_of(size_t dims, const std::vector<Read> &reads);

ExprSummary work(double flops, double divisions = 0, double transcendentals = 0);

/** Writes pipelines down as the data that src/graph would make of them. Producers first, as there.
 *
 *      Sketch s;
 *      FuncId x = s.input("x", {64, 32});
 *      FuncId y = s.pointwise("y", {64, 32}, {{x, {at(0), at(1)}}}, work(1));
 *      s.output(y);
 *      Graph g = s.graph();
 */
class Sketch {
public:
    FuncId input(const std::string &name, const Extents &extents);
    FuncId pointwise(const std::string &name, const Extents &extents, const std::vector<Read> &reads,
                     const ExprSummary &body = work(1));
    /** f(p) = 0; f(p) += ...: loops of the update are the pure ones, then one of each of `over`. */
    FuncId reduction(const std::string &name, const Extents &extents, const std::vector<int64_t> &over,
                     const std::vector<Read> &reads, const ExprSummary &body = work(1));
    /** f(j, i) += a * b. */
    FuncId contraction(const std::string &name, const Extents &extents, const std::vector<int64_t> &over,
                       const std::vector<Read> &reads);
    /** c(j, i) += a(k, i) * b(j, k) with n columns, m rows and k products each. */
    FuncId matmul(const std::string &name, FuncId a, FuncId b, int64_t n, int64_t m, int64_t k);
    /** A Func that no rule understands; `why` is a sentence's end. */
    FuncId opaque(const std::string &name, const Extents &extents, const std::vector<Read> &reads,
                  const std::string &why);
    /** An extern stage, which may read all of `reads`. */
    FuncId external(const std::string &name, const Extents &extents, const std::vector<FuncId> &reads);

    void output(FuncId func);
    void user_scheduled(FuncId func);
    FuncInfo &func(FuncId func);
    /** Its pure definition (-1) or an update. */
    Stage &stage(FuncId func, int update = -1);
    /** The pipeline, with run-time sizes passed from the outputs to what they read. */
    Graph graph() const;

private:
    Graph graph_;

    FuncId add_func(const std::string &name, const Extents &extents);
    Stage &add_stage(FuncId func, int update, const std::vector<int64_t> &over,
                     const std::vector<Read> &reads);
};

/** y = relu(x w + b) as three operations, as generator `dense` has it: m rows, k, n columns. */
Graph dense(int64_t m, int64_t k, int64_t n);
/** The same with a fourth operation, dropout. */
Graph dense_dropout(int64_t m, int64_t k, int64_t n);
/** Softmax of each row: maximum, exponentials, their sum, the quotient. */
Graph softmax(int64_t columns, int64_t rows);

}  // namespace eutectic::test
