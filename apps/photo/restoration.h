#pragma once

// What is learned of a photograph: `photo_restore` and `photo_loss` share it. Planes are columns x, rows y,
// colours c (red, green, blue), 0 to 1; beyond its edges a photograph is continued by them. No schedule.

#include <Halide.h>

#include <string>
#include <vector>

namespace eutectic::photo {

constexpr int scales = 2;  ///< of the sharpening: details of some 2 and 4 pixels
constexpr int knots = 9;   ///< of a tone curve, evenly from black to white

/// What is learned, each a Func of places from 0 on.
struct Learned {
    Halide::Func spread;  ///< (2) how fast a neighbour counts less: 1/e of it is left 2/spread(0) pixels
                          ///< away, or where its brightness differs by 1/(8 spread(1))
    Halide::Func
        strength;  ///< (3) how much of the neighbours' mean is taken, of red - luma, luma, blue - luma
    Halide::Func sharpen;  ///< (scales) how much of the details is added
    Halide::Func coring;   ///< (scales) details of 1/32 of this count half
    Halide::Func tone;     ///< (knots, 3) by the local brightness: the new one, the contrast of what lies
                           ///< around it, the strength of the colours
};

/// `edges`, which has values everywhere, denoised, sharpened, and with its tones changed; in the type of its
/// elements.
Halide::Func restored(const Halide::Func &edges, const Learned &learned);

/// The parameters and inputs of both generators.
template<class Derived>
class Restoration : public Halide::Generator<Derived> {
public:
    template<typename T>
    using GeneratorParam = Halide::GeneratorParam<T>;
    template<typename T>
    using Input = Halide::GeneratorInput<T>;
    template<typename T>
    using Output = Halide::GeneratorOutput<T>;

    GeneratorParam<Halide::Type> type{"type", Halide::Float(32)};
    GeneratorParam<int> width{"width", 768};
    GeneratorParam<int> height{"height", 512};

    Input<Halide::Buffer<void, 3>> in{"in"};
    Input<Halide::Buffer<void, 1>> spread{"spread"};
    Input<Halide::Buffer<void, 1>> strength{"strength"};
    Input<Halide::Buffer<void, 1>> sharpen{"sharpen"};
    Input<Halide::Buffer<void, 1>> coring{"coring"};
    Input<Halide::Buffer<void, 2>> tone{"tone"};

protected:
    void set_input_types() {
        in.set_type(type);
        tone.set_type(type);
        for (Input<Halide::Buffer<void, 1>> *parameter : {&spread, &strength, &sharpen, &coring}) {
            parameter->set_type(type);
        }
    }

    /// Of all of `in`.
    Halide::Func restored_input() {
        in.set_estimates({{0, width}, {0, height}, {0, 3}});
        spread.set_estimates({{0, 2}});
        strength.set_estimates({{0, 3}});
        sharpen.set_estimates({{0, scales}});
        coring.set_estimates({{0, scales}});
        tone.set_estimates({{0, knots}, {0, 3}});
        const Halide::Func edges = Halide::BoundaryConditions::repeat_edge(
            in, {{in.dim(0).min(), in.dim(0).extent()}, {in.dim(1).min(), in.dim(1).extent()}});
        return restored(edges, {spread, strength, sharpen, coring, tone});
    }
};

}  // namespace eutectic::photo
