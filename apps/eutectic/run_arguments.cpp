#include "apps/eutectic/run_arguments.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "apps/eutectic/npy.h"
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
    std::vector<std::string> names;
    for (const auto &[name, parameter] : loaded.parameters) {
        if (parameter.is_buffer()) {
            names.push_back(name);
        }
    }
    for (const auto &[name, text] : sources) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            throw UserError("--input names " + name + ", which is no input of " + title + ": " +
                            nearest_or_all(name, names) + ".");
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

Buffer<> input_at_estimates(const Parameter &input, const Shapes &shapes,
                            const std::map<std::string, ImpliedRange> &ranges,
                            const std::map<std::string, std::string> &sources) {
    const Buffer<> buffer = shapes.buffer(input);
    if (!buffer.defined()) {
        throw UserError("The input " + input.name() +
                        " has no estimate for its size, which a run needs: give --arg " + input.name() +
                        "=SIZExSIZE.");
    }
    return with_values(buffer, input, ranges, sources);
}

void set_inputs(LoadedPipeline &loaded, const std::map<std::string, std::string> &sources) {
    const std::map<std::string, ImpliedRange> ranges = implied_ranges(loaded.pipeline);
    const Shapes shapes(loaded);
    for (auto &[name, p] : loaded.parameters) {
        if (p.is_buffer()) {
            p.set_buffer(input_at_estimates(p, shapes, ranges, sources));
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

std::vector<Buffer<>> buffers_at_estimates(const LoadedPipeline &loaded, const Shapes &shapes,
                                           std::vector<std::string> *names) {
    std::vector<Buffer<>> buffers;
    for (const Func &func : loaded.pipeline.outputs()) {
        for (const auto &output : func.output_buffers()) {
            buffers.push_back(shapes.buffer(output.parameter()));
            if (!buffers.back().defined()) {
                throw UserError("The output " + func.name() +
                                " is to have sizes or strides that do not follow from estimates: give --arg "
                                "for what they depend on.");
            }
            if (names) {
                names->push_back(func.name());
            }
        }
    }
    return buffers;
}

Buffer<> with_values(Buffer<> buffer, const Parameter &parameter,
                     const std::map<std::string, ImpliedRange> &ranges,
                     const std::map<std::string, std::string> &sources) {
    const std::string &input = parameter.name();
    const auto range = ranges.find(input);
    const auto given = sources.find(input);
    const std::optional<ImpliedRange> implied =
        range == ranges.end() ? std::nullopt : std::optional<ImpliedRange>(range->second);
    const ValueSource source =
        given == sources.end() ? default_source(buffer.type(), implied) : parse_source(input, given->second);
    if (source.kind == ValueSource::Kind::file) {
        const Buffer<> array = read_npy(source.path, input, buffer);
        if (!is_constrained(parameter)) {
            return array;
        }
        buffer.copy_from(array);
        buffer.set_host_dirty();
        return buffer;
    }
    fill(buffer, input, source);
    return buffer;
}

}  // namespace eutectic
