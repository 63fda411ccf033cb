// What is kept, by cost and under budgets, and that gradients are right whatever is chosen.

#include "gradient_cases.h"
#include "networks.h"

#include "base/user_error.h"
#include "generators/ops.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <set>

#include "tests/support/all_cases.h"

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

const Type f32 = Float(32), f64 = Float(64);
const Var i("i"), j("j");

// All generators and longer networks, in the slow test; some of them always.
const bool thorough = all_cases();

std::set<std::string> kept(const Differentiated &d) {
    std::set<std::string> result;
    for (const ResidualTensor &r : d.residuals) {
        result.insert(r.info.name + " " + r.info.kind);
    }
    return result;
}

Bytes bytes_of(const Differentiated &d) {
    Bytes sum = 0;
    for (const ResidualTensor &r : d.residuals) {
        sum += r.info.bytes;
    }
    return sum;
}

Differentiated under(Network network, std::optional<Bytes> budget,
                     ResidualPolicy policy = ResidualPolicy::cost) {
    network.subject.problem.residuals.budget = budget;
    network.subject.problem.residuals.policy = policy;
    return differentiate(network.subject.problem);
}

// The largest difference between two choices' gradients, of the largest gradient.
double difference(const Network &a, const Network &b) {
    Check<float> x(a.subject, a.shapes), y(b.subject, b.shapes);
    x.draw(5, 0, 1);
    y.draw(5, 0, 1);
    const Tensors<float> gx = x.gradients(), gy = y.gradients();
    double worst = 0, size = 0;
    for (const auto &[name, g] : gx) {
        g.for_each_element([&, &mine = g, &other = gy.at(name)](const int *at) {
            worst = std::max(worst, std::abs(static_cast<double>(mine(at)) - static_cast<double>(other(at))));
            size = std::max(size, std::abs(static_cast<double>(mine(at))));
        });
    }
    return worst / size;
}

// y of z = x w, a tensor that costs to make again.
template<typename Apply>
Network after_product(const Apply &apply) {
    Network network;
    const ImageParam x(f32, 2, "x"), w(f32, 2, "w");
    for (const auto &[p, extents] : {std::pair(x, std::pair(512, 64)), std::pair(w, std::pair(520, 512))}) {
        ImageParam q = p;
        q.dim(0).set_estimate(0, extents.first);
        q.dim(1).set_estimate(0, extents.second);
        network.shapes[p.name()] = {{0, extents.first}, {0, extents.second}};
    }
    const RDom r(0, 512);
    Func z("z");
    z(j, i) = cast(f32, 0);
    z(j, i) += x(r, i) * w(j, r);
    Func y = apply(z);
    y.set_estimate(j, 0, 520).set_estimate(i, 0, 64);
    network.shapes["y"] = {{0, 520}, {0, 64}};
    network.subject = by_hand({x, w}, {{"y", y}});
    return network;
}

}  // namespace

TEST_CASE("whatever is kept, the gradients of every generator are right") {
    for (const ResidualPolicy policy : {ResidualPolicy::save_all, ResidualPolicy::recompute_all}) {
        int number = 0;
        for (const GradientCase &c : gradient_cases()) {
            if (!thorough && number++ % 4 != 0) {
                continue;
            }
            CAPTURE(c.name);
            CAPTURE(static_cast<int>(policy));
            Subject subject = subject_of(c, "float64");
            subject.problem.residuals.policy = policy;
            CHECK(gradient_error(subject, c.shapes, 1, c.low_label, c.labels) <= gradient_tolerance);
        }
    }
}

TEST_CASE("recompute-all keeps nothing that can be recomputed") {
    for (const GradientCase &c : gradient_cases()) {
        CAPTURE(c.name);
        Subject subject = subject_of(c, "float32");
        subject.problem.residuals.policy = ResidualPolicy::recompute_all;
        const Differentiated d = differentiate(subject.problem);
        CHECK(d.residuals.empty());
    }
}

TEST_CASE("a condition keeps one bit an element, whatever it is") {
    const Network leaky = after_product([](const Func &z) {
        Func y("y");
        y(j, i) = select(z(j, i) > 0.5f, z(j, i) * 2, z(j, i) / 10);
        return y;
    });
    const Network clipped = after_product([](const Func &z) {
        Func y("y");
        y(j, i) = select(z(j, i) > 0 && z(j, i) < 6, z(j, i), 0.0f);
        return y;
    });
    const Network rectified = after_product([](const Func &z) {
        Func y("y");
        y(j, i) = relu(z(j, i));
        return y;
    });
    for (const Network *network : {&leaky, &clipped, &rectified}) {
        const Differentiated d = under(*network, {}, ResidualPolicy::save_all);
        CHECK(kept(d) == std::set<std::string>{"residual_mask mask"});
        CHECK(bytes_of(d) == 520 * 64 / 8);
    }
}

TEST_CASE("masks of conditions give right gradients, at sizes that no byte divides") {
    const auto subject = [] {
        const ImageParam x(f64, 2, "x"), w(f64, 2, "w");
        const RDom r(x.dim(0).min(), x.dim(0).extent());
        Func z("z"), y("y");
        z(j, i) = cast(f64, 0);
        z(j, i) += x(r, i) * w(j, r);
        y(j, i) = select(z(j, i) > Expr(0.2) || z(j, i) < Expr(-0.4), z(j, i) * 3, z(j, i) / 7);
        Subject made = by_hand({x, w}, {{"y", y}});
        made.problem.residuals.policy = ResidualPolicy::save_all;
        return made;
    };
    for (const int columns : {1, 7, 8, 9, 21}) {
        const Shapes shapes{
            {"x", {{-3, 5}, {2, 4}}}, {"w", {{5, columns}, {-3, 5}}}, {"y", {{5, columns}, {2, 4}}}};
        CAPTURE(columns);
        CHECK(gradient_error(subject(), shapes, 41) <= gradient_tolerance);
        CHECK(kept(Check<double>(subject(), shapes).differentiated()) ==
              std::set<std::string>{"residual_mask mask"});
    }
}

TEST_CASE("residual bytes never grow when the budget shrinks, and what is chosen stays within it") {
    const std::vector<Network> networks =
        thorough ? std::vector<Network>{relu_mlp(5, 96, 64), gelu_dropout_mlp(4, 64, 64),
                                        layernorm_block(64, 96), chain_of_layers(40, 256, 64)}
                 : std::vector<Network>{relu_mlp(3, 96, 64), layernorm_block(64, 96),
                                        chain_of_layers(10, 256, 64)};
    int all_steps = 0;
    for (const Network &network : networks) {
        const Differentiated fast = under(network, {});
        Bytes budget = bytes_of(fast) + fast.temporary_bytes, bytes = bytes_of(fast), peak = budget;
        int steps = 0;
        try {
            for (; steps < 200; steps++) {
                const Differentiated d = under(network, budget);
                CHECK(bytes_of(d) <= bytes);
                CHECK(bytes_of(d) + d.temporary_bytes <= std::min(budget, peak));
                bytes = bytes_of(d);
                peak = bytes + d.temporary_bytes;
                budget = peak - 1;
            }
        } catch (const UserError &error) {
            CHECK(std::string(error.what())
                      .find(" is less than the least possible, " + format_count(budget + 1) + " bytes: ") !=
                  std::string::npos);
        }
        CHECK(steps > 0);
        CHECK(steps < 200);
        all_steps += steps;
    }
    CHECK(all_steps > (thorough ? 10 : 3));
}

TEST_CASE("under its least budget a network has the gradients that it has without one") {
    std::vector<std::function<Network()>> networks{[] { return relu_mlp(2, 24, 13); },
                                                   [] { return chain_of_layers(6, 33, 5); }};
    if (thorough) {
        networks = {[] { return relu_mlp(3, 24, 13); }, [] { return gelu_dropout_mlp(3, 24, 13); },
                    [] { return layernorm_block(24, 13); }, [] { return chain_of_layers(12, 33, 5); }};
    }
    for (const auto &make : networks) {
        Bytes least = 0;
        try {
            under(make(), 0);
        } catch (const UserError &error) {
            std::string text = error.what(), digits;
            text = text.substr(text.find("possible, ") + 10);
            for (const char c : text.substr(0, text.find(" bytes"))) {
                digits += c == ',' ? "" : std::string(1, c);
            }
            least = std::stoll(digits);
        }
        REQUIRE(least > 0);
        Network small = make();
        small.subject.problem.residuals.budget = least;
        CHECK(difference(make(), small) <= 1e-5);
    }
}

TEST_CASE("a scan that is an output, too, is passed, and not kept beside it") {
    ImageParam x(Float(64), 2, "x"), w(Float(64), 1, "w");
    x.set_estimates({{0, 8}, {0, 10}});
    w.set_estimates({{0, 8}});
    const Var i("i"), j("j");
    const auto scan = [&](bool copied, int extra) {
        RDom r(1, x.dim(1).extent() - 1);
        Func c("c"), y("y"), z("z");
        c(j, i) = x(j, i);
        c(j, r) = c(j, r - 1) * w(j) + x(j, r);
        y(j, i) = c(j, i);
        z(j, i) = c(j, i + extra) * c(j, i + extra);
        for (Func f : {copied ? y : c, z}) {
            f.set_estimates({{0, 8}, {0, 10}});
        }
        return by_hand({x, w}, {{"y", copied ? y : c}, {"z", z}});
    };
    const Shapes shapes{
        {"x", {{0, 8}, {0, 10}}}, {"w", {{0, 8}}}, {"y", {{0, 8}, {0, 10}}}, {"z", {{0, 8}, {0, 10}}}};
    for (const bool copied : {false, true}) {
        CAPTURE(copied);
        const Differentiated d = differentiate(scan(copied, 0).problem);
        CHECK(kept(d).empty());
        REQUIRE(d.outputs.size() == 1);
        CHECK(d.outputs[0].name() == "y");
        CHECK(gradient_error(scan(copied, 0), shapes, 3) <= 1e-6);
    }
}
