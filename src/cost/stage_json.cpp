#include "cost/stage_json.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "cost/innermost_block.h"
#include "cost/stage_check.h"

namespace eutectic {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/** One letter a dim: does the value depend on it? */
std::string letters(const DimFlags &flags) {
    std::string text;
    for (const bool f : flags) {
        text += f ? '1' : '0';
    }
    return text;
}

DimFlags flags(const std::string &text) {
    DimFlags result;
    for (const char c : text) {
        result.push_back(c == '1');
    }
    return result;
}

ordered_json index_json(const Index &index) {
    ordered_json j = {{"scale", std::vector<double>(index.scale.begin(), index.scale.end())}};
    if (index.halo != 0) {
        j["halo"] = index.halo;
    }
    if (index.rounding != 0) {
        j["rounding"] = index.rounding;
    }
    if (!index.affine) {
        j["affine"] = false;
    }
    if (!index.exact) {
        j["exact"] = false;
    }
    if (index.offset && (!index.exact || *index.offset != 0)) {
        j["offset"] = *index.offset;
    }
    if (index.cut) {
        j["cut"] = true;
    }
    if (index.wraps > 0) {
        j["wraps"] = index.wraps;
    }
    return j;
}

Index read_index(const json &j) {
    Index index;
    index.scale = j.at("scale").get<std::vector<double>>();
    index.halo = j.value("halo", 0.0);
    index.rounding = j.value("rounding", 0.0);
    index.affine = j.value("affine", true);
    index.exact = j.value("exact", true);
    index.cut = j.value("cut", false);
    index.wraps = j.value("wraps", 0.0);
    index.offset = j.contains("offset") ? std::optional<double>(j.at("offset"))
                   : index.exact        ? std::optional<double>(0)
                                        : std::nullopt;
    return index;
}

ordered_json some_json(const std::vector<SomeOf> &iterations) {
    ordered_json all = ordered_json::array();
    for (const SomeOf &of : iterations) {
        all.push_back({static_cast<int>(of.dim), of.share, of.period});
    }
    return all;
}

std::vector<SomeOf> read_some(const json &j) {
    std::vector<SomeOf> iterations;
    for (const json &of : j) {
        iterations.push_back(
            {of.at(0).get<int>(), of.at(1).get<double>(), of.size() > 2 ? of.at(2).get<int64_t>() : 0});
    }
    return iterations;
}

ordered_json load_json(const Load &l) {
    ordered_json indices = ordered_json::array();
    for (const Index &i : l.access.indices) {
        indices.push_back(index_json(i));
    }
    ordered_json load = {{"producer", l.producer},
                         {"bytes", l.bytes_per_point},
                         {"extents", l.extents.elements()},
                         {"indices", indices}};
    if (l.reread) {
        load["reread"] = true;
    }
    if (l.taps != 1) {
        load["taps"] = l.taps;
    }
    if (l.any_pitch) {
        load["any_pitch"] = true;
    }
    if (!l.read_at.empty()) {
        load["read_at"] = some_json(l.read_at);
    }
    if (l.packed) {
        load["packed"] = true;
    }
    if (l.interleaving.inner != 0 || l.interleaving.outer >= 0) {
        const Interleaving &i = l.interleaving;
        load["interleaving"] = {i.inner, i.outer, i.step, i.constant ? 1 : 0};
    }
    return load;
}

Load read_load(const json &j) {
    Load load;
    load.producer = j.at("producer");
    load.bytes_per_point = j.at("bytes");
    for (const json &extent : j.at("extents")) {
        load.extents.push_back(extent);
    }
    load.reread = j.value("reread", false);
    load.taps = j.value("taps", 1.0);
    load.packed = j.value("packed", false);
    load.any_pitch = j.value("any_pitch", false);
    if (const auto some = j.find("read_at"); some != j.end()) {
        load.read_at = read_some(*some);
    }
    if (const auto found = j.find("interleaving"); found != j.end()) {
        load.interleaving = {found->at(0), found->at(1), found->at(2), found->at(3) != 0};
    }
    for (const json &i : j.at("indices")) {
        load.access.indices.push_back(read_index(i));
    }
    return load;
}

ordered_json work_json(const StageWork &w) {
    ordered_json dims = ordered_json::array(), parts = ordered_json::array(), loads = ordered_json::array();
    for (const Dim &d : w.dims) {
        dims.push_back(d.reduction ? -d.extent : d.extent);  // a reduction's extent is negated
    }
    for (const Part &p : w.parts) {
        ordered_json typed = ordered_json::object();
        for (size_t i = 0; i < p.body.typed.size(); i++) {
            if (p.body.typed[i] > 0) {
                typed[info(static_cast<TypedOperation>(i)).key] = p.body.typed[i];
            }
        }
        parts.push_back({{"flops", p.body.flops},
                         {"divisions", p.body.divisions},
                         {"transcendentals", p.body.transcendentals},
                         {"libm", p.body.libm_calls},
                         {"guards", p.body.guards},
                         {"operand_bytes", p.body.operand_bytes},
                         {"typed", typed},
                         {"fused", p.multiply_accumulate},
                         {"depends", letters(p.depends)},
                         {"guarded", letters(p.guarded)}});
    }
    for (const Load &l : w.loads) {
        loads.push_back(load_json(l));
    }
    ordered_json work = {{"func", w.func},
                         {"update", w.update},
                         {"dims", dims},
                         {"parts", parts},
                         {"loads", loads},
                         {"stored_bytes", w.stored_bytes},
                         {"element_bytes", w.element_bytes},
                         {"accumulates", w.accumulates},
                         {"stores", w.stores},
                         {"stores_packed", w.stores_packed}};
    if (!w.scattered_by.empty()) {
        work["scattered_by"] = letters(w.scattered_by);
    }
    if (!w.taken.empty()) {
        work["taken"] = some_json(w.taken);
    }
    if (w.chain) {
        work["chain"] = {w.chain->dim, w.chain->operations, w.chain->integers};
    }
    if (w.written) {
        work["written"] = load_json(*w.written);
    }
    return work;
}

StageWork read_work(const json &j) {
    StageWork w;
    w.func = j.at("func");
    w.update = j.at("update");
    for (const int64_t extent : j.at("dims").get<std::vector<int64_t>>()) {
        w.dims.push_back({"", std::abs(extent), extent < 0, std::nullopt});
    }
    for (const json &p : j.at("parts")) {
        ExprSummary body;
        body.flops = p.at("flops");
        body.divisions = p.at("divisions");
        body.transcendentals = p.at("transcendentals");
        body.libm_calls = p.at("libm");
        body.guards = p.at("guards");
        body.operand_bytes = p.value("operand_bytes", 0.0);
        const json typed = p.value("typed", json::object());
        for (size_t i = 0; i < body.typed.size(); i++) {
            body.typed[i] = typed.value(info(static_cast<TypedOperation>(i)).key, 0.0F);
        }
        w.parts.push_back({body, p.at("fused"), flags(p.at("depends")), flags(p.at("guarded"))});
    }
    for (const json &l : j.at("loads")) {
        w.loads.push_back(read_load(l));
    }
    w.stored_bytes = j.at("stored_bytes");
    w.stores_packed = j.value("stores_packed", false);
    w.element_bytes = j.at("element_bytes");
    w.accumulates = j.at("accumulates");
    w.scattered_by = flags(j.value("scattered_by", ""));
    if (j.value("scatters", false)) {  // rows of before, which do not say by what
        w.scattered_by = DimFlags(w.dims.size(), false);
    }
    w.stores = j.value("stores", 1);
    if (const auto taken = j.find("taken"); taken != j.end()) {
        w.taken = read_some(*taken);
    }
    if (const auto chain = j.find("chain"); chain != j.end()) {
        w.chain = Chain{DimId(chain->at(0).get<int>()), chain->at(1), chain->at(2)};
    }
    if (const auto written = j.find("written"); written != j.end()) {
        w.written = read_load(*written);
    }
    return w;
}

ordered_json stage_json(const NestedStage &s) {
    ordered_json loops = ordered_json::array();
    for (const Loop &l : s.nest.loops) {
        loops.push_back({l.dim, l.size, static_cast<int>(l.kind), l.count});
    }
    const Block block = innermost_block(s);
    StageWork work = s.work;
    for (Part &p : work.parts) {
        p.body = body_in(s, block, p);  // of a choice that the loops decide nothing else is left
    }
    for (Load &l : work.loads) {
        l.taps *= share_in_phases(s, block, l.read_at);
    }
    return {{"work", work_json(work)},
            {"loops", loops},
            {"shared", s.nest.shared},
            {"versions", s.nest.versions},
            {"local", s.local},
            {"stores_locally", s.stores_locally},
            {"stores_apart", s.stores_apart},
            {"stores_stepped", s.stores_stepped},
            {"strides_known", s.strides_known},
            {"in_registers", s.accumulates_in_registers},
            {"in_block", s.in_block},
            {"block_loops", s.block_loops},
            {"block_bytes", s.block_bytes}};
}

NestedStage read_stage(const json &j) {
    NestedStage s;
    s.work = read_work(j.at("work"));
    std::vector<Loop> loops;
    for (const json &l : j.at("loops")) {
        loops.push_back({l.at(0), l.at(1), static_cast<Loop::Kind>(l.at(2).get<int>()), l.at(3)});
    }
    s.nest.loops = Loops::inside(std::move(loops), {});
    s.nest.shared = j.at("shared");
    s.nest.versions = j.value("versions", 1);
    s.local = j.at("local").get<std::vector<FuncId>>();
    s.stores_locally = j.at("stores_locally");
    s.stores_apart = j.value("stores_apart", false);
    s.stores_stepped = j.value("stores_stepped", false);
    s.strides_known = j.value("strides_known", false);
    s.accumulates_in_registers = j.at("in_registers");
    s.in_block = j.at("in_block").get<std::vector<FuncId>>();
    s.block_loops = j.at("block_loops");
    s.block_bytes = j.at("block_bytes");
    require_consistent(s);
    return s;
}

}  // namespace

std::string to_json(const std::vector<PricedNest> &nests) {
    ordered_json all = ordered_json::array();
    for (const PricedNest &n : nests) {
        ordered_json stages = ordered_json::array();
        for (const NestedStage &s : n.stages) {
            stages.push_back(stage_json(s));
        }
        all.push_back({{"stages", stages}, {"allocations", n.allocations}});
    }
    return all.dump();
}

std::vector<PricedNest> priced_nests(const std::string &text) {
    std::vector<PricedNest> nests;
    try {
        for (const json &n : json::parse(text)) {
            nests.push_back({{}, n.at("allocations")});
            for (const json &s : n.at("stages")) {
                nests.back().stages.push_back(read_stage(s));
            }
        }
    } catch (const json::exception &e) {
        throw std::runtime_error(std::string("not the stages of a plan: ") + e.what());
    }
    return nests;
}

}  // namespace eutectic
