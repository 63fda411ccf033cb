// eutectic torch: the source that registers a pair with PyTorch.

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include <nlohmann/json.hpp>

#include "apps/eutectic/commands.h"
#include "autodiff/contract/torch_source.h"
#include "base/regex.h"
#include "base/user_error.h"
#include "base/write_whole.h"

namespace eutectic {

namespace {

struct TorchOptions {
    std::string report, source, name;
    bool json = false;
};

int torch(const TorchOptions &options) {
    std::ifstream in(options.report);
    if (!in) {
        throw UserError("The report " + options.report +
                        " cannot be read: name the NAME.report.json that eutectic grad wrote.");
    }
    const TorchSource made =
        torch_source(std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()},
                     options.report, options.name);
    if (!options.source.empty()) {
        write_whole("source", options.source, made.text);
    }
    if (options.json) {
        nlohmann::ordered_json json = {{"pair", made.pair}, {"operations", made.operations}};
        if (options.source.empty()) {
            json["text"] = made.text;
        } else {
            json["source"] = options.source;
        }
        std::cout << json.dump(2) << "\n";
    } else {
        std::cout << (options.source.empty() ? made.text : options.source + "\n");
    }
    return 0;
}

}  // namespace

void add_torch(CLI::App &app, Run &run) {
    const auto options = std::make_shared<TorchOptions>();
    CLI::App *command = app.add_subcommand(
        "torch", "Writes the C++ source that registers a pair with PyTorch, from its report.");
    command->add_option("report", options->report, "NAME.report.json, which eutectic grad wrote")->required();
    command->add_option("-o,--output", options->source, "where to write it; without, it is printed");
    command->add_option("--name", options->name, "what the operation is called; default: the pair's name")
        ->check([](const std::string &name) {
            const bool is_name = Regex("[A-Za-z_][A-Za-z0-9_]*").matches(name);
            return is_name ? "" : "is no name of letters, digits and underscores";
        });
    command->add_flag("--json", options->json, "say as JSON what was made: pair, operations, source or text");
    command->footer(
        "The source is compiled with those of Eutectic's folder pytorch and linked with the pair, which\n"
        "add_eutectic_torch_library does in CMake, and eutectic.torch.operation in Python.\n\n"
        "examples:\n"
        "  eutectic grad layer.hlpipe -o kernels && eutectic torch kernels/layer.report.json -o "
        "layer_torch.cpp\n"
        "  eutectic torch kernels/layer.report.json --json");
    command->callback([options, &run] { run = [options] { return torch(*options); }; });
}

}  // namespace eutectic
