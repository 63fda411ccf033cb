// What the passes take and give: argument lists, residual sets and their report, estimates, and that the
// backward stands alone.

#include "gradient_check.h"

#include "autodiff/expr_tools.h"
#include "autodiff/generator.h"
#include "autodiff/not_differentiable.h"
#include "autodiff/register.h"

#include "base/user_error.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <unistd.h>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;
using namespace Halide::Internal;

namespace {

Differentiated of_generator(const Subject &subject) {
    return differentiate(subject.problem);
}

std::vector<std::string> argument_names(const std::string &generator,
                                        std::map<std::string, std::string> parameters = {}) {
    auto g = GeneratorRegistry::create(generator, GeneratorContext(get_jit_target_from_environment()));
    for (const auto &[key, value] : parameters) {
        g->set_generatorparam_value(key, value);
    }
    std::vector<std::string> names;
    for (const auto &info : g->arginfos()) {
        names.push_back((info.dir == ArgInfoDirection::Output ? "->" : "") + info.name);
    }
    return names;
}

using Names = std::vector<std::string>;

struct Kept {
    std::string name, type, kind;
    std::vector<int64_t> shape;
    int64_t bytes;
};

void check_kept(const Differentiated &d, const std::vector<Kept> &expected) {
    REQUIRE(d.residuals.size() == expected.size());
    for (size_t i = 0; i < expected.size(); i++) {
        const Residual &r = d.residuals[i].info;
        CAPTURE(r.name);
        CHECK(r.name == expected[i].name);
        CHECK(r.type == expected[i].type);
        CHECK(r.kind == expected[i].kind);
        CHECK(r.shape == expected[i].shape);
        CHECK(r.bytes == expected[i].bytes);
    }
}

}  // namespace

TEST_CASE("argument lists: of a backward, what is kept is last but for gradients, and all else the same") {
    const Names of_dense{"x", "w", "b", "y", "d_y"}, gradients{"->d_x", "->d_w", "->d_b"};
    const auto kept = [&](const Names &residuals) {
        Names all = of_dense;
        all.insert(all.end(), residuals.begin(), residuals.end());
        all.insert(all.end(), gradients.begin(), gradients.end());
        return all;
    };
    CHECK(argument_names("dense_forward") == Names{"x", "w", "b", "->y"});
    CHECK(argument_names("dense_backward") == kept({}));
    const std::map<std::string, std::string> save_all{{"residuals_policy", "save-all"}};
    CHECK(argument_names("dense_forward", save_all) == Names{"x", "w", "b", "->y", "->residual_mask"});
    CHECK(argument_names("dense_backward", save_all) == kept({"residual_mask"}));
    CHECK(argument_names("dense_forward", {{"activation", "tanh"}}) == Names{"x", "w", "b", "->y"});
    CHECK(argument_names("dense_backward", {{"activation", "tanh"}}) == kept({}));
    CHECK(argument_names("dense_backward", {{"activation", "gelu"}}) == kept({"residual_z"}));
    CHECK(argument_names("dense_backward", {{"activation", "gelu"}, {"residuals_policy", "recompute-all"}}) ==
          kept({}));
    CHECK(argument_names("dense_backward", {{"gradient_wrt", "b"}}) ==
          Names{"x", "w", "b", "y", "d_y", "->d_b"});
    CHECK(argument_names("dense_dropout_backward", save_all) ==
          Names{"x", "w", "b", "seed", "y", "d_y", "residual_mask", "->d_x", "->d_w", "->d_b"});
    CHECK(argument_names("softmax_backward") == Names{"x", "y", "d_y", "->d_x"});
    CHECK(argument_names("softmax_xent_backward") ==
          Names{"x", "labels", "loss", "d_loss", "residual_lse", "->d_x"});
    CHECK(argument_names("mlp_loss_backward", {{"widths", "6,5,3"}, {"gradient_wrt", "w1,b1,w2,b2"}}) ==
          Names{"x", "w1", "b1", "w2", "b2", "labels", "loss", "d_loss", "residual_h1", "residual_logits",
                "residual_lse", "->d_w1", "->d_b1", "->d_w2", "->d_b2"});
    CHECK(argument_names("mlp_loss_forward", {{"widths", "6,5,3"}}) ==
          Names{"x", "w1", "b1", "w2", "b2", "labels", "->loss", "->residual_h1", "->residual_logits",
                "->residual_lse"});
}

namespace {

class Masked : public Generator<Masked> {
public:
    Input<Buffer<float, 1>> x{"x"}, mask{"mask"};
    Input<Func> noise{"noise", Float(32), 1};
    Output<Buffer<float, 1>> y{"y"};
    GeneratorParam<std::string> marked{"marked", "mask"};
    void generate() {
        Var i("i");
        Func product("product");
        product(i) = x(i) * mask(i);
        y(i) = product(i) + noise(i);
        for (const Func &f : marked.value() == "all"     ? std::vector<Func>{x, mask, noise}
                             : marked.value() == "wrong" ? std::vector<Func>{product}
                                                         : std::vector<Func>{mask, noise}) {
            not_differentiable(f);
        }
        x.set_estimates({{0, 8}});
        mask.set_estimates({{0, 8}});
        noise.set_estimates({{0, 8}});
        y.set_estimates({{0, 8}});
    }
};

}  // namespace

EUTECTIC_REGISTER_DIFFERENTIABLE(Masked, masked_by_data)

TEST_CASE("what a generator marks as data has no gradient, unless it is asked for") {
    CHECK(argument_names("masked_by_data_backward") == Names{"x", "mask", "noise", "y", "d_y", "->d_x"});
    CHECK(argument_names("masked_by_data_backward", {{"gradient_wrt", "mask,x"}}) ==
          Names{"x", "mask", "noise", "y", "d_y", "->d_mask", "->d_x"});
    CHECK(argument_names("masked_by_data_tangent") == Names{"x", "mask", "noise", "t_x", "->y", "->t_y"});
    CHECK_THROWS_WITH_AS(argument_names("masked_by_data_backward", {{"marked", "all"}}),
                         "Every floating-point buffer that the pipeline takes is marked as data by "
                         "not_differentiable, so that there is nothing to differentiate by; name the inputs "
                         "that have a gradient in gradient_wrt.",
                         UserError);
    CHECK_THROWS_WITH_AS(argument_names("masked_by_data_backward", {{"marked", "wrong"}}),
                         doctest::Contains("which is no input; let no gradient pass through it by "
                                           "stop_gradient."),
                         UserError);
    CHECK(argument_names("masked_by_data_backward", {{"accumulate", "true"}}) ==
          Names{"x", "mask", "noise", "y", "d_y", "given_d_x", "->d_x"});
    CHECK_THROWS_WITH_AS(argument_names("masked_by_data_backward", {{"accumulate", "maybe"}}),
                         "The generator parameter accumulate was given as \"maybe\"; write true or false.",
                         UserError);
}

TEST_CASE("residual sets") {
    Subject dense = from_generator("dense", {}), wide = from_generator("dense", {{"n", "13"}});
    const Subject mlp = from_generator("mlp_loss", {});
    check_kept(of_generator(from_generator("dense", {})), {});  // its sign is that of the output
    dense.problem.residuals.policy = wide.problem.residuals.policy = ResidualPolicy::save_all;
    check_kept(of_generator(dense), {{"residual_mask", "uint8", "mask", {32, 128}, 4096}});
    check_kept(of_generator(wide), {{"residual_mask", "uint8", "mask", {2, 128}, 256}});
    check_kept(of_generator(mlp), {{"residual_h1", "float32", "saved", {256, 128}, 131072},
                                   {"residual_h2", "float32", "saved", {128, 128}, 65536},
                                   {"residual_logits", "float32", "saved", {10, 128}, 5120},
                                   {"residual_lse", "float32", "lse", {128}, 512}});
}

TEST_CASE("the residual report") {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("residuals_" + std::to_string(getpid()) + ".json"))
            .string();
    auto g = GeneratorRegistry::create("dense_forward", GeneratorContext(get_jit_target_from_environment()));
    g->set_generatorparam_value("residual_report", path);
    g->set_generatorparam_value("residuals_policy", "save-all");
    g->build_pipeline();
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    const nlohmann::json json = nlohmann::json::parse(text.str());
    REQUIRE(json["residuals"].size() == 1);
    const nlohmann::json &mask = json["residuals"][0];
    CHECK(mask["name"] == "residual_mask");
    CHECK(mask["type"] == "uint8");
    CHECK(mask["shape"] == std::vector<int>{32, 128});
    CHECK(mask["bytes"] == 4096);
    CHECK(mask["kind"] == "mask");
    CHECK(mask["seconds"] > 0);
    CHECK(mask["reason"] == "save-all keeps all that the backward reads");
    CHECK(mask["refused"].empty());
    CHECK(json["total_bytes"] == 4096);
    CHECK(json["without_residual"].empty());
    CHECK(json["temporary_bytes"] > 0);
    CHECK(residual_table({{{"residual_mask", "uint8", {32, 128}, 4096, "mask", 1.5e-6, "cheaper", {}}},
                          {{"h", "", {}, 0, "recomputed", 2e-6, "from z", {"b"}}},
                          9}) == "residual_mask               uint8    32x128                4096 bytes  "
                                 "mask         1.50 us  cheaper\n"
                                 "h                                                             0 bytes  "
                                 "recomputed   2.00 us  from z\n"
                                 "    not: b\n"
                                 "total                                                      4096 bytes\n");
}

TEST_CASE("the backward stands alone: it calls no forward Func and reads no other buffer than it is given") {
    for (const std::string name : {"dense", "dense_dropout", "mlp", "mlp_loss", "softmax", "softmax_xent"}) {
        CAPTURE(name);
        const Subject subject = from_generator(name, {});
        std::vector<Function> outputs;
        for (const NamedOutput &output : subject.problem.outputs) {
            outputs.push_back(output.func.function());
        }
        const std::map<std::string, Function> before = build_environment(outputs);
        const Differentiated d = of_generator(subject);
        std::set<std::string> given;
        for (const Parameter &p : d.inputs) {
            given.insert(p.name());
        }
        for (const auto *list : {&d.outputs, &d.upstream}) {
            for (const ImageParam &p : *list) {
                given.insert(p.name());
            }
        }
        for (const ResidualTensor &r : d.residuals) {
            given.insert(r.info.name);
        }
        for (const NamedOutput &g : d.gradients) {
            CHECK(definitions(g.func).find("undef") == std::string::npos);  // every leaf is bound
            for (const auto &[func, f] : build_environment({g.func.function()})) {
                CAPTURE(func);
                const Parameter p = input_of(f);
                CHECK((p.defined() ? given.count(p.name()) == 1 : before.count(func) == 0));
            }
        }
    }
}

TEST_CASE("a saved Func without updates becomes the residual: nothing is copied") {
    const Subject subject = from_generator("mlp", {});
    const Differentiated d = of_generator(subject);
    const auto env = build_environment({subject.problem.outputs[0].func.function()});
    CHECK(env.count("h1") + env.count("h2") == 0);
    for (const ResidualTensor &r : d.residuals) {
        CHECK(env.count(r.forward.name()) == 1);
    }
}

TEST_CASE("estimates are on everything") {
    for (const std::string name : {"dense_forward", "dense_backward", "mlp_loss_forward", "mlp_loss_backward",
                                   "dense_dropout_backward"}) {
        CAPTURE(name);
        auto g = GeneratorRegistry::create(name, GeneratorContext(get_jit_target_from_environment()));
        g->build_pipeline();
        for (const auto &info : g->arginfos()) {
            CAPTURE(info.name);
            const bool is_input = info.dir == ArgInfoDirection::Input;
            const Parameter p = is_input ? g->input_parameter(info.name)[0]
                                         : g->output_func(info.name)[0].output_buffer().parameter();
            for (int dim = 0; p.is_buffer() && dim < p.dimensions(); dim++) {
                CHECK(p.min_constraint_estimate(dim).defined());
                CHECK(p.extent_constraint_estimate(dim).defined());
            }
        }
    }
}
