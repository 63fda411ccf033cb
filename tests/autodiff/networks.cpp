#include "networks.h"

#include "autodiff/checkpoint.h"
#include "generators/ops.h"

#include <algorithm>
#include <optional>

using namespace Halide;

namespace eutectic::test {

namespace {

const Type f32 = Float(32);
const Var i("i"), j("j");

// Inputs with their shapes and estimates.
class Builder {
public:
    ImageParam input(const std::string &name, const std::vector<int> &extents) {
        ImageParam p(f32, static_cast<int>(extents.size()), name);
        for (size_t d = 0; d < extents.size(); d++) {
            p.dim(static_cast<int>(d)).set_estimate(0, extents[d]);
            network_.shapes[name].push_back({0, extents[d]});
        }
        inputs_.push_back(p);
        return p;
    }
    Param<uint32_t> seed() {
        seed_ = Param<uint32_t>("seed");
        return *seed_;
    }
    Func dense(const std::string &number, const Func &x, int from, int to) {
        const ImageParam w = input("w" + number, {to, from}), b = input("b" + number, {to});
        const RDom r(0, from);
        Func matmul("matmul" + number), z("z" + number);
        matmul(j, i) = cast(f32, 0);
        matmul(j, i) += x(r, i) * w(j, r);
        z(j, i) = matmul(j, i) + b(j);
        return z;
    }
    Network done(Func y, int columns, int rows) {
        y.set_estimate(j, 0, columns).set_estimate(i, 0, rows);
        network_.shapes["y"] = {{0, columns}, {0, rows}};
        network_.subject = by_hand(inputs_, {{"y", y}});
        // Last layers first: their adjoints are then done with before the next ones are computed.
        for (auto p = inputs_.rbegin(); p != inputs_.rend(); ++p) {
            network_.subject.problem.wrt.push_back(p->name());
        }
        if (seed_) {
            network_.subject.problem.inputs.push_back(seed_->parameter());
        }
        return network_;
    }

private:
    Network network_;
    std::vector<ImageParam> inputs_;
    std::optional<Param<uint32_t>> seed_;
};

}  // namespace

Network relu_mlp(int layers, int width, int batch) {
    Builder build;
    Func h = build.input("x", {width, batch});
    for (int l = 1; l <= layers; l++) {
        const Func z = build.dense(std::to_string(l), h, width, width);
        h = Func(l == layers ? "y" : "h" + std::to_string(l));
        h(j, i) = l == layers ? Expr(z(j, i)) : relu(z(j, i));
    }
    return build.done(h, width, batch);
}

Network gelu_dropout_mlp(int layers, int width, int batch) {
    Builder build;
    Func h = build.input("x", {width, batch});
    const Param<uint32_t> seed = build.seed();
    for (int l = 1; l <= layers; l++) {
        const Func z = build.dense(std::to_string(l), h, width, width);
        const std::string number = std::to_string(l);
        if (l == layers) {
            h = Func("y");
            h(j, i) = z(j, i);
        } else {
            Func g("g" + number);
            g(j, i) = gelu(z(j, i));
            h = Func("h" + number);
            h(j, i) = dropout(g(j, i), 0.1f, random_bits(seed + l, j, i));
        }
    }
    return build.done(h, width, batch);
}

Network layernorm_block(int width, int batch) {
    Builder build;
    const Func x = build.input("x", {width, batch});
    const Func n =
        layernorm(x, RDom(0, width), build.input("scale", {width}), build.input("shift", {width}), 1e-5f);
    const Func z = build.dense("1", n, width, 4 * width);
    Func h("h"), y("y");
    h(j, i) = gelu(z(j, i));
    const Func out = build.dense("2", h, 4 * width, width);
    y(j, i) = x(j, i) + out(j, i);
    return build.done(y, width, batch);
}

Network chain_of_layers(int layers, int columns, int rows, const std::vector<int> &marked) {
    Builder build;
    Func h = build.input("x", {columns, rows});
    for (int k = 0; k < layers; k++) {
        Func next(k + 1 == layers ? "y" : "h" + std::to_string(k));
        const ImageParam w = build.input("w" + std::to_string(k), {3});
        const Func padded =
            BoundaryConditions::constant_exterior(h, 0.0f, {{Expr(0), Expr(columns)}, {Expr(), Expr()}});
        const auto at = [&](int shift) { return padded(j + shift, i) * w(shift + 1); };
        next(j, i) = tanh_through_exp(at(-1) + at(0) + at(1));
        if (std::count(marked.begin(), marked.end(), k)) {
            checkpoint(next);
        }
        h = next;
    }
    return build.done(h, columns, rows);
}

}  // namespace eutectic::test
