#include "apps/eutectic/run_arguments.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "apps/eutectic/values.h"
#include "base/nearest.h"
#include "base/user_error.h"
#include "schedules/hlpipe/values.h"

namespace eutectic {

using namespace Halide;
using nlohmann::json;

void add_value_options(CLI::App &app, std::vector<std::string> &inputs, std::vector<std::string> &externs) {
    app.add_option(
           "--input", inputs,
           "values of an input: FILE.npy, uniform(-1,1) or int(0,9); default: what the pipeline implies")
        ->type_name("NAME=VALUES");
    app.add_option("--extern", externs, "a shared library with functions that the pipeline calls")
        ->type_name("LIB.so");
}

std::map<std::string, std::string> named_texts(const std::vector<std::string> &words, const char *option) {
    std::map<std::string, std::string> result;
    for (const std::string &word : words) {
        const size_t equals = word.find('=');
        if (equals == 0 || equals == std::string::npos) {
            throw UserError(std::string(option) + " was given as " + word + ", which names nothing: write " +
                            option + " NAME=….");
        }
        result[word.substr(0, equals)] = word.substr(equals + 1);
    }
    return result;
}

std::map<std::string, std::string> input_texts(const std::vector<std::string> &words) {
    std::map<std::string, std::string> texts = named_texts(words, "--input");
    for (const auto &[name, text] : texts) {
        parse_source(name, text);
    }
    return texts;
}

void require_inputs(const LoadedPipeline &loaded, const std::string &title,
                    const std::map<std::string, std::string> &sources) {
    std::string known;
    std::vector<std::string> names;
    for (const auto &[name, parameter] : loaded.parameters) {
        if (parameter.is_buffer()) {
            known += (known.empty() ? "" : ", ") + name;
            names.push_back(name);
        }
    }
    for (const auto &[name, text] : sources) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            const std::string near = nearest(name, names);
            throw UserError("--input names " + name + ", which is no input of " + title + ": " +
                            (near.empty() ? "it has " + known : "the nearest is " + near) + ".");
        }
    }
}

void load_externs(const std::vector<std::string> &libraries) {
    for (const std::string &library : libraries) {
        if (!dlopen(std::filesystem::absolute(library).c_str(), RTLD_NOW | RTLD_GLOBAL)) {
            throw UserError("The library " + library + " cannot be loaded (" + dlerror() +
                            "): give a shared library as --extern.");
        }
    }
}

void require_externs(const Pipeline &pipeline) {
    for (const std::string &function : extern_functions(pipeline)) {
        if (!dlsym(RTLD_DEFAULT, function.c_str())) {
            throw UserError(
                "The pipeline calls " + function +
                ", which is in none of the libraries given: give the one that has it as --extern LIB.so.");
        }
    }
}

void require_library(std::optional<Library> library) {
    if (library &&
        !dlsym(RTLD_DEFAULT, (std::string("eutectic_") + to_string(*library) + "_product").c_str())) {
        throw UserError(std::string("The library ") + to_string(*library) +
                        " was asked for, but was not found when eutectic was built: install " +
                        (*library == Library::onednn ? "libdnnl-dev" : "libopenblas-pthread-dev") +
                        " and build it anew, or name another library.");
    }
}

Buffer<> buffer_at_estimates(const Parameter &input) {
    std::vector<int> mins, extents;
    for (int d = 0; d < input.dimensions(); d++) {
        const json min = constant_json(input.min_constraint_estimate(d), "The min of " + input.name()),
                   extent =
                       constant_json(input.extent_constraint_estimate(d), "The extent of " + input.name());
        if (!extent.is_number_integer()) {
            return Buffer<>();
        }
        mins.push_back(min.is_number_integer() ? min.get<int>() : 0);
        extents.push_back(extent.get<int>());
    }
    Buffer<> buffer(input.type(), extents);
    buffer.set_min(mins);
    std::memset(buffer.data(), 0, buffer.size_in_bytes());
    return buffer;
}

Buffer<> input_at_estimates(const Parameter &input, const std::map<std::string, ImpliedRange> &ranges,
                            const std::map<std::string, std::string> &sources) {
    Buffer<> buffer = buffer_at_estimates(input);
    if (!buffer.defined()) {
        throw UserError("The input " + input.name() +
                        " has no estimate for its size, which a run needs: give --arg " + input.name() +
                        "=SIZExSIZE.");
    }
    return with_values(buffer, input.name(), ranges, sources);
}

void set_inputs(LoadedPipeline &loaded, const std::map<std::string, std::string> &sources) {
    const std::map<std::string, ImpliedRange> ranges = implied_ranges(loaded.pipeline);
    for (auto &[name, p] : loaded.parameters) {
        if (p.is_buffer()) {
            p.set_buffer(input_at_estimates(p, ranges, sources));
        } else {
            p.set_scalar(p.type(), estimated_scalar(p));
        }
    }
}

halide_scalar_value_t estimated_scalar(const Parameter &input) {
    const Expr value = input.estimate().defined() ? input.estimate() : input.default_value();
    if (!value.defined()) {
        throw UserError("The scalar " + input.name() + " has no estimate: give --arg " + input.name() +
                        "=VALUE.");
    }
    return scalar_value(input.type(), input.name(), constant_json(value, "The scalar " + input.name()));
}

std::vector<Buffer<>> buffers_at_estimates(const Pipeline &pipeline, std::vector<std::string> *names) {
    std::vector<Buffer<>> buffers;
    const auto regions = output_regions(pipeline);
    for (size_t f = 0; f < regions.size(); f++) {
        const Func func = pipeline.outputs()[f];
        for (const Type &type : func.types()) {
            std::vector<int> mins, extents;
            for (const auto &[min, extent] : regions[f]) {
                mins.push_back(min);
                extents.push_back(extent);
            }
            buffers.emplace_back(type, extents);
            buffers.back().set_min(mins);
            std::memset(buffers.back().data(), 0, buffers.back().size_in_bytes());
            if (names) {
                names->push_back(func.name());
            }
        }
    }
    return buffers;
}

Buffer<> with_values(Buffer<> buffer, const std::string &input,
                     const std::map<std::string, ImpliedRange> &ranges,
                     const std::map<std::string, std::string> &sources) {
    const auto range = ranges.find(input);
    const auto given = sources.find(input);
    const std::optional<ImpliedRange> implied =
        range == ranges.end() ? std::nullopt : std::optional<ImpliedRange>(range->second);
    const ValueSource source =
        given == sources.end() ? default_source(buffer.type(), implied) : parse_source(input, given->second);
    if (source.kind == ValueSource::Kind::file) {
        return read_npy(source.path, input, buffer);
    }
    fill(buffer, input, source);
    return buffer;
}

}  // namespace eutectic
