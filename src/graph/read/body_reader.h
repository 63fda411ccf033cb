#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "Halide.h"

#include "graph/data/graph.h"
#include "graph/read/order.h"
#include "graph/read/product_call.h"

namespace eutectic {

/** Where the variable of each of `dims` is among them. */
std::map<std::string, DimId> positions(const Dims &dims);

/** Reads expressions of definitions into stages: what they compute, and edges to what they load. */
class BodyReader {
public:
    /** Edges go to `graph`; their producers are Functions of `order`. Both outlive this. */
    BodyReader(const Order &order, Graph &graph) : order_(order), graph_(graph) {
    }

    /** The caller passes `f`, an input or an output, as the buffer parameter of that name. */
    void own_buffer(const std::string &parameter, FuncId f) {
        buffer_owner_[parameter] = f;
    }

    /** Where a reduction variable begins; nothing where that is not known. */
    void begin_at(const std::string &reduction_variable, std::optional<int64_t> first) {
        first_value_[reduction_variable] = first;
    }

    /** The Func of that name. */
    FuncId id_of(const std::string &func) const {
        return order_.ids.at(func);
    }

    /** A dimension of a buffer that is owned whose extent `e` is, or is never less than. */
    std::optional<BufferDim> buffer_dim(const Halide::Expr &e) const;

    /** Adds loads and work of `values` to `stage`, whose dims are known; loads of `self` are the accumulator
     * and not edges. */
    void read(const std::vector<Halide::Expr> &values, Stage &stage, const std::string &self);

    /** The coordinates `args` of the stage's own Func, in its dims. */
    Access access(const std::vector<Halide::Expr> &args, const Stage &stage) const;

    /** Has `stage` be what a library's product `f` computes, with edges to its operands. */
    void read_product(const Halide::Internal::Function &f, const ProductCall &call, Stage &stage);

    /** Adds edges to the Funcs that the extern definition of `f` is given: it may read all of each. */
    void read_extern(const Halide::Internal::Function &f, Stage &stage);

    /** summarize(), with functions as the graph has them. */
    ExprSummary work(const Halide::Expr &e, std::set<std::string> *guarding = nullptr) const;

    /** What `values`, over `dims`, compute and load, as no stage of the graph. */
    RewrittenBody rewritten(const std::vector<Halide::Expr> &values, const Dims &dims,
                            const std::string &self);

private:
    const Order &order_;
    Graph &graph_;
    std::map<std::string, FuncId> buffer_owner_;
    std::map<std::string, std::optional<int64_t>> first_value_;

    std::optional<BufferDim> owned(const std::pair<std::string, DimId> &dim_of_parameter) const;
    void add_quotients(const std::vector<Halide::Expr> &values, Stage &stage);
    void add_uses(const Halide::Expr &value, const Stage &stage);
    bool is_view_of_buffer(FuncId f) const;
    void add_edge(const Halide::Internal::Call *load, const std::map<std::string, DimId> &dims, Stage &stage);
    void count_from_first(const std::map<std::string, DimId> &dims, Index &index) const;
};

}  // namespace eutectic
