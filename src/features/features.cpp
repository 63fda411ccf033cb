#include "features/features.h"

#include <sstream>

#include "features/work.h"

namespace eutectic {

namespace {

StageFeatures measure_stage(const Graph &graph, const Stage &stage) {
    StageFeatures f;
    f.points = 1;
    for (const Dim &d : stage.dims) {
        f.points *= static_cast<double>(d.extent);
    }
    f.flops = f.points * stage.body.flops;
    f.divisions = f.points * stage.body.divisions;
    f.transcendentals = f.points * (stage.body.transcendentals + stage.body.libm_calls);
    f.stored_bytes = stage.update < 0 ? graph.funcs[stage.func].bytes() : 0;
    return f;
}

EdgeFeatures measure_edge(const Graph &graph, const Edge &edge) {
    const FuncInfo &producer = graph.funcs[edge.producer];
    EdgeFeatures f;
    Extents whole;
    for (const Dim &d : graph.stages[edge.consumer].dims) {
        whole.push_back(d.extent);
    }
    for (const Index &i : edge.access.indices) {
        f.scale.emplace_back(std::vector<double>(i.scale.begin(), i.scale.end()));
        f.halo.push_back(i.halo + i.rounding);
    }
    const Load load{edge.producer, edge.access, producer.bytes_per_point, producer.extents};
    f.loaded_bytes = static_cast<Bytes>(footprint(load, whole)) * producer.bytes_per_point;
    return f;
}

}  // namespace

Features measure(const Graph &graph) {
    Features features;
    for (const Stage &stage : graph.stages) {
        features.stages.push_back(measure_stage(graph, stage));
    }
    for (const Edge &edge : graph.edges) {
        features.edges.push_back(measure_edge(graph, edge));
    }
    return features;
}

namespace {

std::string quoted(const std::string &text) {
    if (text.find_first_of(",\"\n") == std::string::npos) {
        return text;
    }
    std::string result = "\"";
    for (const char c : text) {
        result += c == '"' ? "\"\"" : std::string(1, c);
    }
    return result + "\"";
}

}  // namespace

std::string to_csv(const Graph &graph, const Features &features) {
    std::ostringstream s;
    s.precision(15);  // counts of points are whole numbers
    s << "stage,func,update,role,dims,points,flops,divisions,transcendentals,loaded_bytes,stored_bytes,"
         "element_bytes\n";
    for (const StageId i : graph.stages.ids()) {
        const Stage &stage = graph.stages[i];
        const FuncInfo &func = graph.funcs[stage.func];
        const StageFeatures &f = features.stages[i];
        Bytes loaded = 0;
        for (const EdgeId e : stage.edges) {
            loaded += features.edges[e].loaded_bytes;
        }
        s << i << "," << quoted(func.name) << "," << stage.update << "," << to_string(stage.role) << ",";
        for (const DimId d : stage.dims.ids()) {
            s << (d ? "x" : "") << stage.dims[d].extent << (stage.dims[d].reduction ? "r" : "");
        }
        s << "," << f.points << "," << f.flops << "," << f.divisions << "," << f.transcendentals << ","
          << loaded << "," << f.stored_bytes << "," << func.element_bytes << "\n";
    }
    return s.str();
}

}  // namespace eutectic
