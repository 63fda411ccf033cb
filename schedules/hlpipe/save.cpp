#include "schedules/hlpipe/save.h"

#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "base/user_error.h"
#include "base/write_whole.h"
#include "schedules/hlpipe/terms.h"
#include "schedules/hlpipe/values.h"

namespace eutectic {

using namespace Halide;
using nlohmann::json;

namespace {

json term_json(const Expr &e, const std::string &what) {
    if (!e.defined()) {
        return json();
    }
    const auto number = Internal::as_const_int(Internal::simplify(e));
    return number ? json(*number) : json(term_text(e, what));
}

ArgumentRecord describe_parameter(const Parameter &p) {
    ArgumentRecord a;
    a.name = p.name();
    a.type = type_name(p.type());
    a.buffer = p.is_buffer();
    if (!a.buffer) {
        a.estimate = constant_json(p.estimate(), "The estimate of " + a.name);
        a.default_value = constant_json(p.default_value(), "The default of " + a.name);
        a.min = constant_json(p.min_value(), "The smallest value of " + a.name);
        a.max = constant_json(p.max_value(), "The largest value of " + a.name);
        return a;
    }
    a.host_alignment = p.host_alignment() == p.type().bytes() ? 0 : p.host_alignment();
    for (int d = 0; d < p.dimensions(); d++) {
        const std::string of = " of dimension " + std::to_string(d) + " of " + a.name;
        DimensionRecord r;
        r.min_estimate = constant_json(p.min_constraint_estimate(d), "The estimated min" + of);
        r.extent_estimate = constant_json(p.extent_constraint_estimate(d), "The estimated extent" + of);
        r.min = term_json(p.min_constraint(d), "The min" + of);
        r.extent = term_json(p.extent_constraint(d), "The extent" + of);
        const Expr stride = p.stride_constraint(d);
        if (d == 0 || stride.defined()) {
            r.stride = term_json(stride, "The stride" + of);
        }
        a.dimensions.push_back(r);
    }
    return a;
}

}  // namespace

Sidecar describe_arguments(const Pipeline &pipeline) {
    Sidecar sidecar;
    std::vector<uint8_t> unused;
    std::map<std::string, Parameter> parameters;
    serialize_pipeline(pipeline, unused, parameters);
    std::set<std::string> outputs;
    for (const Func &f : pipeline.outputs()) {
        for (const Parameter &p : f.function().output_buffers()) {
            sidecar.outputs.push_back(describe_parameter(p));
            outputs.insert(p.name());
        }
    }
    for (const auto &[name, p] : parameters) {
        if (!outputs.count(name) && name != user_context_name) {
            sidecar.inputs.push_back(describe_parameter(p));
        }
    }
    return sidecar;
}

namespace {

void write(const Pipeline &pipeline, const Sidecar &sidecar, const std::string &path) {
    std::vector<uint8_t> data;
    serialize_pipeline(pipeline, data);
    write_whole("pipeline", path, std::string(data.begin(), data.end()));
    write_whole("arguments file", sidecar_path(path), to_json(sidecar));
}

/** What nothing reads is not in the pipeline. */
ArgumentRecord record_of(const Argument &a, const std::vector<ArgumentRecord> &read) {
    for (const ArgumentRecord &r : read) {
        if (r.name == a.name) {
            return r;
        }
    }
    ArgumentRecord unread;
    unread.name = a.name;
    unread.type = type_name(a.type);
    unread.buffer = a.is_buffer();
    unread.dimensions.resize(a.is_buffer() ? a.dimensions : 0);
    return unread;
}

}  // namespace

void save_pipeline(const Pipeline &pipeline, const std::string &path, const std::string &residuals) {
    Sidecar sidecar = describe_arguments(pipeline);
    sidecar.residuals = residuals.empty() ? json() : json::parse(residuals);
    write(pipeline, sidecar, path);
}

void save_pipeline(const LoadedPipeline &loaded, const std::string &path) {
    Sidecar sidecar = describe_arguments(loaded.pipeline);
    sidecar.function = loaded.function;
    sidecar.residuals = loaded.residuals.empty() ? json() : json::parse(loaded.residuals);
    std::vector<ArgumentRecord> inputs;
    for (const Argument &a : loaded.inputs) {
        inputs.push_back(record_of(a, sidecar.inputs));
    }
    sidecar.inputs = inputs;
    sidecar.ordered = loaded.ordered;
    for (const auto &[name, known_as] : loaded.renamed) {
        for (ArgumentRecord &output : sidecar.outputs) {
            if (output.name == name && name != known_as && output.parameter.empty()) {
                output.parameter = name;
                output.name = known_as;
            }
        }
    }
    write(loaded.pipeline, sidecar, path);
}

}  // namespace eutectic
