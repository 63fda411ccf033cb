#include "small_generators.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>

#include "schedules/autoschedule.h"
#include "schedules/hlpipe/save.h"

using namespace Halide;

namespace eutectic::test {

namespace {

/** Estimates that make a run short: tiles divide them, as what is computed twice at a ragged end is not in
 * the ledger. */
const std::map<std::string, Settings> small = {
    {"adam", {{"n", "4096"}}},
    {"attention", {{"queries", "64"}, {"keys", "64"}, {"d", "32"}}},
    {"avg_pool", {{"width", "16"}, {"height", "16"}, {"channels", "32"}}},
    {"batched_matmul", {{"batch", "2"}, {"m", "32"}, {"k", "32"}, {"n", "32"}}},
    {"bottleneck", {{"width", "8"}, {"height", "8"}, {"channels", "32"}, {"inner", "16"}}},
    {"conv2d", {{"width", "16"}, {"height", "16"}, {"channels_in", "16"}, {"channels_out", "32"}}},
    {"dense", {{"m", "64"}, {"k", "48"}, {"n", "64"}}},
    {"dense_dropout", {{"m", "64"}, {"k", "48"}, {"n", "64"}}},
    {"depthwise_separable",
     {{"width", "16"}, {"height", "16"}, {"channels_in", "32"}, {"channels_out", "32"}}},
    {"dropout", {{"rows", "64"}, {"cols", "128"}}},
    {"embedding", {{"width", "64"}, {"vocabulary", "128"}, {"count", "64"}}},
    {"gelu", {{"n", "8192"}}},
    {"integer_matmul", {{"m", "64"}, {"k", "48"}, {"n", "64"}}},
    {"layernorm", {{"rows", "64"}, {"cols", "128"}}},
    {"log1pexp", {{"n", "8192"}}},
    {"log_softmax", {{"rows", "64"}, {"cols", "128"}}},
    {"matmul", {{"m", "64"}, {"k", "48"}, {"n", "64"}}},
    {"max_pool", {{"width", "16"}, {"height", "16"}, {"channels", "32"}}},
    {"mlp", {{"batch", "32"}, {"widths", "32,64,32,16"}}},
    {"mlp_loss", {{"batch", "32"}, {"widths", "32,64,32,16"}}},
    {"pointwise_chain", {{"n", "8192"}}},
    {"rmsnorm", {{"rows", "64"}, {"cols", "128"}}},
    {"scatter_add", {{"width", "64"}, {"vocabulary", "128"}, {"count", "64"}}},
    {"softmax", {{"rows", "64"}, {"cols", "128"}}},
    {"softmax_xent", {{"rows", "64"}, {"cols", "128"}}},
    {"sum_exp", {{"n", "8192"}}},
    {"views", {{"rows", "64"}, {"cols", "64"}}},
};

/** Of a gradient's pipelines: those of what is differentiated. */
const Settings &settings_of(std::string generator) {
    for (const char *pass : {"_forward", "_backward", "_gradient", "_tangent", "_hvp", "_batched"}) {
        const size_t at = generator.rfind(pass);
        generator = at != std::string::npos && at + std::string(pass).size() == generator.size()
                        ? generator.substr(0, at)
                        : generator;
    }
    REQUIRE_MESSAGE(small.count(generator), "give the new generator small estimates here");
    return small.at(generator);
}

}  // namespace

LoadedPipeline load(const std::string &generator, const Settings &more, const Target &target) {
    const auto made = Internal::GeneratorRegistry::create(generator, GeneratorContext(target));
    Settings settings = settings_of(generator);
    settings.insert(settings.end(), more.begin(), more.end());
    for (const auto &[name, value] : settings) {
        made->set_generatorparam_value(name, value);
    }
    const std::string path = (std::filesystem::current_path() / "test_ledger.hlpipe").string();
    const Pipeline pipeline = made->build_pipeline();
    autoschedule(pipeline, target, [&] {
        Parameters save;
        save.save = path;
        return save;
    }());
    LoadedPipeline loaded = PipelineFile(path, {}).load();
    for (const std::string &file : {path, sidecar_path(path)}) {
        std::filesystem::remove(file);
    }
    return loaded;
}

}  // namespace eutectic::test
