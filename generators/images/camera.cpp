// From the raw values of a sensor to a picture: hot pixels, the Bayer pattern's missing colours, a colour
// matrix, a curve by table, and sharpening. 16 bits, then 8.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

namespace {

Expr average(const Expr &a, const Expr &b) {
    return cast<int16_t>((cast<int32_t>(a) + b + 1) / 2);
}

/// The pair of neighbours that differ less is averaged.
Expr along_edge(const Expr &a0, const Expr &a1, const Expr &b0, const Expr &b1) {
    return select(absd(a0, a1) < absd(b0, b1), average(a0, a1), average(b0, b1));
}

Func interleaved(Func a, Func b, bool in_x, const std::string &name) {
    Func out(name);
    out(x, y) =
        in_x ? select(x % 2 == 0, a(x / 2, y), b(x / 2, y)) : select(y % 2 == 0, a(x, y / 2), b(x, y / 2));
    return out;
}

/// What is at the four sites of the Bayer pattern, each at half the size: green beside red, red, blue, green
/// beside blue.
std::vector<Func> sites(Func raw) {
    std::vector<Func> result;
    Func split("deinterleaved");
    split(x, y, c) =
        mux(c, {raw(2 * x, 2 * y), raw(2 * x + 1, 2 * y), raw(2 * x, 2 * y + 1), raw(2 * x + 1, 2 * y + 1)});
    const char *names[] = {"g_gr", "r_r", "b_b", "g_gb"};
    for (int i = 0; i < 4; i++) {
        Func site(names[i]);
        site(x, y) = split(x, y, i);
        result.push_back(site);
    }
    return result;
}

/// The three colours at every pixel: green from its neighbours, the others from theirs and what green does
/// there.
Func demosaiced(Func raw) {
    const std::vector<Func> bayer = sites(raw);
    const Func &g_gr = bayer[0], &r_r = bayer[1], &b_b = bayer[2], &g_gb = bayer[3];
    Func g_r("g_r"), g_b("g_b"), r_gr("r_gr"), b_gr("b_gr"), r_gb("r_gb"), b_gb("b_gb"), r_b("r_b"),
        b_r("b_r");
    g_r(x, y) = along_edge(g_gr(x + 1, y), g_gr(x, y), g_gb(x, y - 1), g_gb(x, y));
    g_b(x, y) = along_edge(g_gb(x - 1, y), g_gb(x, y), g_gr(x, y + 1), g_gr(x, y));
    r_gr(x, y) = g_gr(x, y) - average(g_r(x, y), g_r(x - 1, y)) + average(r_r(x - 1, y), r_r(x, y));
    b_gr(x, y) = g_gr(x, y) - average(g_b(x, y), g_b(x, y - 1)) + average(b_b(x, y), b_b(x, y - 1));
    r_gb(x, y) = g_gb(x, y) - average(g_r(x, y), g_r(x, y + 1)) + average(r_r(x, y), r_r(x, y + 1));
    b_gb(x, y) = g_gb(x, y) - average(g_b(x, y), g_b(x + 1, y)) + average(b_b(x, y), b_b(x + 1, y));
    // At the opposite colour, along the diagonal that differs less.
    r_b(x, y) = g_b(x, y) + along_edge(r_r(x, y) - g_r(x, y), r_r(x - 1, y + 1) - g_r(x - 1, y + 1),
                                       r_r(x - 1, y) - g_r(x - 1, y), r_r(x, y + 1) - g_r(x, y + 1));
    b_r(x, y) = g_r(x, y) + along_edge(b_b(x, y) - g_b(x, y), b_b(x + 1, y - 1) - g_b(x + 1, y - 1),
                                       b_b(x + 1, y) - g_b(x + 1, y), b_b(x, y - 1) - g_b(x, y - 1));
    const auto plane = [](const std::string &name, Func gr, Func at_r, Func at_b, Func gb) {
        return interleaved(interleaved(gr, at_r, true, name + "_even"),
                           interleaved(at_b, gb, true, name + "_odd"), false, name);
    };
    const Func r = plane("r", r_gr, r_r, r_b, r_gb), g = plane("g", g_gr, g_r, g_b, g_gb),
               b = plane("b", b_gr, b_r, b_b, b_gb);
    Func out("demosaiced");
    out(x, y, c) = mux(c, {r(x, y), g(x, y), b(x, y)});
    return out;
}

/// A three by three matrix over the colours, in 8 fractional bits.
Func colour_corrected(Func f, const Func &matrix) {
    Func out("corrected");
    const auto term = [&](int i) { return cast<int32_t>(matrix(i, c)) * f(x, y, i); };
    out(x, y, c) = cast<int16_t>((matrix(3, c) + term(0) + term(1) + term(2)) / 256);
    return out;
}

/// Gamma and contrast as a table of 1024 bytes.
Func curved(Func f, const Expr &gamma, const Expr &contrast) {
    Func curve("curve"), out("curved");
    Var v("v");
    const Expr bent = pow(v / 1024.0f, 1.0f / gamma);
    const Expr slope = 2.0f - pow(2.0f, contrast / 100.0f);
    const Expr shaped =
        select(bent > 0.5f, 1.0f - pow(2.0f - 2.0f * bent, slope) / 2.0f, pow(2.0f * bent, slope) / 2.0f);
    curve(v) = cast<uint8_t>(clamp(shaped * 255.0f + 0.5f, 0.0f, 255.0f));
    out(x, y, c) = curve(clamp(cast<int32_t>(f(x, y, c)), 0, 1023));
    return out;
}

/// Unsharp masking.
Func sharpened(Func f) {
    Func in_y("unsharp_y"), in_x("unsharp_x"), mask("mask"), out("sharpened");
    const auto at = [&](const Expr &i, const Expr &j) { return cast<uint16_t>(f(i, j, c)); };
    in_y(x, y, c) = cast<uint8_t>((at(x, y - 1) + 2 * at(x, y) + at(x, y + 1)) / 4);
    in_x(x, y, c) = cast<uint8_t>(
        (cast<uint16_t>(in_y(x - 1, y, c)) + 2 * cast<uint16_t>(in_y(x, y, c)) + in_y(x + 1, y, c)) / 4);
    mask(x, y, c) = cast<int16_t>(f(x, y, c)) - cast<int16_t>(in_x(x, y, c));
    out(x, y, c) = cast<uint8_t>(clamp(cast<int16_t>(f(x, y, c)) + mask(x, y, c), 0, 255));
    return out;
}

}  // namespace

class Camera : public Generator<Camera> {
public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1920};

    Input<Buffer<uint16_t, 2>> raw{"raw"};  // (columns, rows) of the picture and 16 more on every side
    Input<Buffer<int16_t, 2>> matrix{
        "matrix"};                          // (3 of the sensor and the offset, 3 of the picture), 256 is 1
    Input<float> gamma{"gamma"};            // 1: none
    Input<float> contrast{"contrast"};      // 0: none
    Output<Buffer<uint8_t, 3>> out{"out"};  // (columns, rows, 3 colours)

    void generate() {
        constexpr int border = 16;
        Func shifted("shifted"), denoised("denoised");
        shifted(x, y) = cast<int16_t>(raw(x + border, y + border));
        const Expr brightest =
            max(max(shifted(x - 2, y), shifted(x + 2, y)), max(shifted(x, y - 2), shifted(x, y + 2)));
        denoised(x, y) = clamp(shifted(x, y), 0, brightest);
        const Func image = colour_corrected(demosaiced(denoised), matrix);
        out(x, y, c) = sharpened(curved(image, gamma, contrast))(x, y, c);

        raw.set_estimates({{0, width + 2 * border}, {0, height + 2 * border}});
        matrix.set_estimates({{0, 4}, {0, 3}});
        gamma.set_estimate(2.2f);
        contrast.set_estimate(50.0f);
        out.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::Camera, camera)
