#include "schedules/hlpipe/load.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/nearest.h"
#include "base/regex.h"
#include "base/user_error.h"
#include "schedules/hlpipe/arguments.h"
#include "schedules/hlpipe/messages.h"
#include "schedules/hlpipe/one_domain.h"
#include "schedules/hlpipe/reserve_names.h"
#include "schedules/hlpipe/values.h"

namespace eutectic {

using namespace Halide;

namespace {

std::string read_file(const std::string &path) {
    std::error_code none;  // what cannot be looked at cannot be read either
    std::ifstream file(std::filesystem::is_directory(path, none) ? "" : path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file || file.bad()) {
        throw UserError("The file " + path + " cannot be read: check that it exists and is a file.");
    }
    return content;
}

/** A message of the deserializer in this project's words. */
[[noreturn]] void refuse_file(const std::string &path, const std::string &message) {
    Groups version;
    if (Regex("built with Halide (serialization )?version ([0-9.]*[0-9]).*version is ([0-9.]*[0-9])")
            .found_in(message, &version)) {
        throw UserError("The file " + path + " was written by another Halide (" + version[1] + "version " +
                        version[2] + ") than this one (" + version[3] + "): write it again with this one.");
    }
    throw UserError("The file " + path + " is no serialized Halide pipeline, or a damaged one (" + message +
                    "): write one with a generator's -e hlpipe.");
}

void check_versions(const std::string &path, const std::vector<std::string> &warnings) {
    for (const std::string &warning : warnings) {
        if (warning.find("is built with Halide version") != std::string::npos) {
            refuse_file(path, warning);
        }
    }
}

Pipeline deserialize(const std::string &path, const std::vector<uint8_t> &data,
                     std::map<std::string, Parameter> &parameters) {
    if (data.size() < 64) {  // less than the tables of an empty one
        refuse_file(path, "it has " + std::to_string(data.size()) + " bytes");
    }
    try {
        parameters = deserialize_parameters(data);
        const Pipeline pipeline = deserialize_pipeline(data, parameters);
        if (!pipeline.defined() || pipeline.outputs().empty()) {
            refuse_file(path, "it has no outputs");
        }
        use_one_domain_each(pipeline);
        return pipeline;
    } catch (const HalideError &e) {
        refuse_file(path, e.what());
    } catch (const std::bad_alloc &) {
        refuse_file(path, "it asks for more memory than there is");
    } catch (const std::length_error &) {
        refuse_file(path, "it asks for more memory than there is");
    }
}

/** A name that C and C++ take for a function. */
std::string function_name(const std::string &path) {
    std::string stem = path.substr(path.find_last_of('/') + 1);
    stem = stem.substr(0, stem.find('.'));
    std::replace_if(stem.begin(), stem.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    return stem.empty() || std::isdigit(static_cast<unsigned char>(stem[0])) ? "pipeline_" + stem : stem;
}

/** The inputs in the order that is given, or that the arguments file knows, or that follows from there being
 * one. */
void order_inputs(const GivenArguments &given, const std::string &path, LoadedPipeline &loaded) {
    loaded.ordered = loaded.ordered || loaded.inputs.size() < 2;
    if (given.order.empty()) {
        return;
    }
    std::vector<Argument> ordered;
    std::vector<std::string> names;
    for (const Argument &a : loaded.inputs) {
        names.push_back(a.name);
    }
    for (const std::string &name : given.order) {
        const auto at = std::find_if(loaded.inputs.begin(), loaded.inputs.end(),
                                     [&](const Argument &a) { return a.name == name; });
        if (at == loaded.inputs.end()) {
            refuse_name("--args-order names " + name + ", which is", path, name, names);
        } else if (std::any_of(ordered.begin(), ordered.end(),
                               [&](const Argument &a) { return a.name == name; })) {
            throw UserError("--args-order names " + name + " twice: name each input of " + path + " once.");
        }
        ordered.push_back(*at);
    }
    for (const std::string &name : names) {
        if (std::find(given.order.begin(), given.order.end(), name) == given.order.end()) {
            throw UserError("--args-order leaves out " + name + ": name each input of " + path + " once.");
        }
    }
    loaded.inputs = std::move(ordered);
    loaded.ordered = true;
}

}  // namespace

PipelineFile::PipelineFile(const std::string &path, const GivenArguments &given)
    : path_(path), given_(given) {
    const std::string content = read_file(path);
    data_.assign(content.begin(), content.end());
    const std::string sidecar = sidecar_path(path);
    if (std::ifstream(sidecar).good()) {
        sidecar_ = parse_sidecar(read_file(sidecar), sidecar);
        has_sidecar_ = true;
    }
}

LoadedPipeline PipelineFile::load() const {
    LoadedPipeline loaded;
    Arguments arguments;
    take_warnings();
    loaded.pipeline = deserialize(path_, data_, arguments.parameters);
    loaded.user_context = arguments.parameters.erase(user_context_name) > 0;
    loaded.warnings = take_warnings();
    check_versions(path_, loaded.warnings);
    reserve_names(loaded.pipeline);
    find_outputs(loaded.pipeline, arguments);
    restore_from_wrappers(loaded.pipeline);
    if (has_sidecar_) {
        restore(sidecar_, sidecar_path(path_), arguments);
    }
    give(given_.values, path_, arguments);
    loaded.function = sidecar_.function.empty() ? function_name(path_) : sidecar_.function;
    loaded.inputs = inputs_in_order(sidecar_, sidecar_path(path_), arguments);
    loaded.ordered = sidecar_.ordered;
    loaded.parameters = arguments.parameters;
    loaded.residuals = sidecar_.residuals.is_null() ? "" : sidecar_.residuals.dump();
    order_inputs(given_, path_, loaded);
    loaded.unestimated = without_estimate(arguments);
    for (const OutputBuffer &o : arguments.outputs) {
        if (o.name != o.parameter.name()) {
            loaded.renamed.emplace_back(o.parameter.name(), o.name);
        }
    }
    return loaded;
}

void require_order(const LoadedPipeline &loaded, const std::string &path) {
    if (loaded.ordered) {
        return;
    }
    std::string names, comma;
    for (size_t i = 0; i < loaded.inputs.size(); i++) {
        const bool last = i + 1 == loaded.inputs.size();
        names += (i == 0 ? "" : last ? " and " : ", ") + loaded.inputs[i].name;
        comma += (i == 0 ? "" : ",") + loaded.inputs[i].name;
    }
    throw UserError("The file " + path + " does not tell in which order a function takes its inputs " +
                    names + ": give them in the right order as --args-order " + comma + ", or put " +
                    sidecar_path(path) + " beside it.");
}

void require_user_context(const LoadedPipeline &loaded, const Target &target, const std::string &path) {
    if (loaded.user_context && !target.has_feature(Target::UserContext)) {
        throw UserError("The pipeline " + path + " reads user_context_value(), which functions for " +
                        target.to_string() + " do not take: add -user_context to the target.");
    }
}

}  // namespace eutectic
