#include "tests/support/graphs.h"

namespace eutectic::test {

At at(DimId dim) {
    return {dim, 1, 0, true, true};
}

At shifted(DimId dim, double halo) {
    return {dim, 1, halo, true, false};
}

At tap(DimId dim, double offset, double scale) {
    return {dim, scale, 0, true, offset == 0, offset};
}

At scaled(DimId dim, double scale) {
    const bool whole = scale == static_cast<double>(static_cast<int64_t>(scale));
    return {dim, scale, whole ? 0.0 : 1.0, true, whole};
}

At fixed() {
    return {-1, 0, 0, true, true};
}

At unknown() {
    return {-1, 0, 0, false, false};
}

ExprSummary work(double flops, double divisions, double transcendentals) {
    ExprSummary body;
    body.flops = flops;
    body.divisions = divisions;
    body.transcendentals = transcendentals;
    return body;
}

FuncId Sketch::add_func(const std::string &name, const Extents &extents) {
    FuncInfo info;
    info.name = name;
    info.pipeline_index = static_cast<int>(graph_.funcs.size());
    info.extents = extents;
    info.at_least.resize(extents.size());
    graph_.funcs.push_back(info);
    return graph_.funcs.next_id() - 1;
}

std::vector<Edge> edges_of(size_t dims, const std::vector<Read> &reads) {
    std::vector<Edge> edges;
    for (const Read &read : reads) {
        Edge edge;
        edge.producer = read.producer;
        for (const At &a : read.indices) {
            Index index;
            index.scale.assign(dims, 0.0);
            if (a.dim >= 0) {
                index.scale.at(a.dim) = a.scale;
            }
            index.halo = a.halo;
            index.affine = a.affine;
            index.exact = a.exact;
            index.offset = a.offset;
            edge.access.indices.push_back(index);
        }
        edges.push_back(edge);
    }
    return edges;
}

Stage &Sketch::add_stage(FuncId func, int update, const std::vector<int64_t> &over,
                         const std::vector<Read> &reads) {
    const StageId id = graph_.stages.next_id();
    Stage stage;
    stage.func = func;
    stage.update = update;
    for (const int64_t extent : graph_.funcs[func].extents) {
        stage.dims.push_back({"d" + std::to_string(stage.dims.size()), extent, false, std::nullopt});
    }
    for (const int64_t extent : over) {
        stage.dims.push_back({"r" + std::to_string(stage.dims.size()), extent, true, std::nullopt});
    }
    for (Edge &edge : edges_of(stage.dims.size(), reads)) {
        edge.consumer = id;
        stage.edges.push_back(graph_.edges.next_id());
        graph_.edges.push_back(edge);
    }
    graph_.funcs[func].stages.push_back(id);
    graph_.stages.push_back(stage);
    return graph_.stages.back();
}

FuncId Sketch::input(const std::string &name, const Extents &extents) {
    const FuncId f = add_func(name, extents);
    func(f).input = true;
    return f;
}

FuncId Sketch::pointwise(const std::string &name, const Extents &extents, const std::vector<Read> &reads,
                         const ExprSummary &body) {
    const FuncId f = add_func(name, extents);
    Stage &stage = add_stage(f, -1, {}, reads);
    stage.role = Role::pointwise;
    stage.body = body;
    return f;
}

FuncId Sketch::reduction(const std::string &name, const Extents &extents, const std::vector<int64_t> &over,
                         const std::vector<Read> &reads, const ExprSummary &body) {
    const FuncId f = add_func(name, extents);
    add_stage(f, -1, {}, {}).role = Role::pointwise;
    Stage &update = add_stage(f, 0, over, reads);
    update.role = Role::reduction;
    update.body = body;
    update.reassociable = update.starts_neutral = true;
    return f;
}

FuncId Sketch::contraction(const std::string &name, const Extents &extents, const std::vector<int64_t> &over,
                           const std::vector<Read> &reads) {
    const FuncId f = reduction(name, extents, over, reads, work(2));
    Stage &update = graph_.stages.back();
    update.role = Role::contraction;
    update.multiply_accumulate = true;
    return f;
}

FuncId Sketch::matmul(const std::string &name, FuncId a, FuncId b, int64_t n, int64_t m, int64_t k) {
    return contraction(name, {n, m}, {k}, {{a, {at(2), at(1)}}, {b, {at(0), at(2)}}});
}

FuncId Sketch::opaque(const std::string &name, const Extents &extents, const std::vector<Read> &reads,
                      const std::string &why) {
    const FuncId f = add_func(name, extents);
    Stage &stage = add_stage(f, -1, {}, reads);
    stage.role = Role::opaque;
    stage.why_opaque = why;
    return f;
}

FuncId Sketch::external(const std::string &name, const Extents &extents, const std::vector<FuncId> &reads) {
    std::vector<Read> all;
    for (const FuncId f : reads) {
        all.push_back({f, Table<DimId, At>(func(f).extents.size(), unknown())});
    }
    const FuncId f = opaque(name, extents, all, "it is an extern stage");
    graph_.stages.back().external = true;
    return f;
}

void Sketch::output(FuncId f) {
    func(f).output = true;
    for (const DimId d : func(f).extents.ids()) {
        func(f).at_least[d] = BufferDim{f, d};
    }
}

void Sketch::user_scheduled(FuncId f) {
    func(f).user_scheduled = true;
}

FuncInfo &Sketch::func(FuncId f) {
    return graph_.funcs.at(f);
}

Stage &Sketch::stage(FuncId f, int update) {
    return graph_.stages[func(f).stages.at(update + 1)];
}

Graph Sketch::graph() const {
    Graph g = graph_;
    for (const FuncId f : g.funcs.reversed_ids()) {
        FuncInfo &info = g.funcs[f];
        for (const Edge &edge : g.edges) {
            for (DimId d = 0; edge.producer == f && d < info.extents.next_id(); d++) {
                const DimId from = edge.access.indices[d].equals_dim();
                if (from >= 0 && !info.at_least[d]) {
                    info.at_least[d] = g.stages[edge.consumer].dims[from].at_least;
                }
            }
        }
        for (const StageId s : info.stages) {
            for (const DimId d : info.at_least.ids()) {
                g.stages[s].dims[d].at_least = info.at_least[d];
            }
        }
    }
    return g;
}

namespace {

/** matmul, bias and relu; returns relu. */
FuncId add_layer(Sketch &s, int64_t m, int64_t k, int64_t n) {
    const FuncId x = s.input("x", {k, m}), w = s.input("w", {n, k});
    const FuncId mm = s.matmul("matmul", x, w, n, m, k);
    const FuncId b = s.input("b", {n});
    const FuncId z = s.pointwise("z", {n, m}, {{mm, {at(0), at(1)}}, {b, {at(0)}}});
    return s.pointwise("relu", {n, m}, {{z, {at(0), at(1)}}});
}

}  // namespace

Graph dense(int64_t m, int64_t k, int64_t n) {
    Sketch s;
    s.output(add_layer(s, m, k, n));
    return s.graph();
}

Graph dense_dropout(int64_t m, int64_t k, int64_t n) {
    Sketch s;
    const FuncId relu = add_layer(s, m, k, n);
    s.output(s.pointwise("dropped", {n, m}, {{relu, {at(0), at(1)}}}, work(80)));
    return s.graph();
}

Graph softmax(int64_t columns, int64_t rows) {
    Sketch s;
    const FuncId x = s.input("x", {columns, rows});
    const FuncId largest = s.reduction("largest", {rows}, {columns}, {{x, {at(1), at(0)}}});
    const FuncId e =
        s.pointwise("e", {columns, rows}, {{x, {at(0), at(1)}}, {largest, {at(1)}}}, work(1, 0, 1));
    const FuncId sum = s.reduction("sum", {rows}, {columns}, {{e, {at(1), at(0)}}});
    s.output(s.pointwise("y", {columns, rows}, {{e, {at(0), at(1)}}, {sum, {at(1)}}}, work(0, 1)));
    return s.graph();
}

}  // namespace eutectic::test
