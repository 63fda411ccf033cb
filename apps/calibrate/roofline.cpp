#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "apps/calibrate/calibrate.h"

namespace eutectic {

namespace {

constexpr double width = 720, height = 440, left = 70, right = 30, top = 30,
                 bottom = 50;  // of the drawing and its margins, in pixels
constexpr double first_intensity = 1.0 / 64, last_intensity = 256;  // FLOP/byte

std::string with_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

/** Two logarithmic axes. */
class Axes {
public:
    explicit Axes(const Machine &m)
        : low_(std::pow(10, std::floor(std::log10(roofline(m).back().bytes_per_second * first_intensity)))),
          high_(std::pow(10, std::ceil(std::log10(peak_flops(m))))) {
    }
    double x(double intensity) const {
        return left + (width - left - right) * std::log(intensity / first_intensity) /
                          std::log(last_intensity / first_intensity);
    }
    double y(double flops) const {
        return height - bottom - (height - top - bottom) * std::log(flops / low_) / std::log(high_ / low_);
    }

    void draw(std::ostream &s) const {
        for (double i = first_intensity; i <= last_intensity; i *= 4) {
            line(s, x(i), y(low_), x(i), y(high_), "#ddd");
            text(s, x(i), height - bottom + 18, "middle", i < 1 ? "1/" + with_digits(1 / i) : with_digits(i));
        }
        for (double f = low_; f <= high_ * 1.001; f *= 10) {
            line(s, x(first_intensity), y(f), x(last_intensity), y(f), "#ddd");
            text(s, left - 8, y(f) + 4, "end", with_digits(f / 1e9));
        }
        text(s, (left + width - right) / 2, height - 12, "middle", "FLOP/byte");
        text(s, 12, top - 12, "start", "GFLOP/s");
    }
    static void line(std::ostream &s, double x1, double y1, double x2, double y2, const char *color,
                     double thickness = 1) {
        s << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2 << "\" stroke=\""
          << color << "\" stroke-width=\"" << thickness << "\"/>\n";
    }
    static void text(std::ostream &s, double x, double y, const char *anchor, const std::string &words) {
        s << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor << "\">" << words
          << "</text>\n";
    }

private:
    double low_, high_;  // operations a second, powers of ten
};

}  // namespace

std::vector<RooflineLevel> roofline(const Machine &m) {
    std::vector<RooflineLevel> levels;
    for (const auto &[name, cache] : {std::pair("L1", m.l1), std::pair("L2", m.l2), std::pair("L3", m.l3)}) {
        if (cache.bytes_per_second > 0) {  // a processor that has it
            levels.push_back({name, m.cores * cache.bytes_per_second});
        }
    }
    levels.push_back({"memory", m.memory_bytes_per_second});
    std::stable_sort(levels.begin(), levels.end(), [](const RooflineLevel &a, const RooflineLevel &b) {
        return a.bytes_per_second > b.bytes_per_second;
    });
    return levels;
}

double peak_flops(const Machine &m) {
    return m.cores * m.hertz * m.vector_ops_per_cycle * 2 * m.lanes(4);
}

std::string roofline_svg(const Machine &m) {
    std::ostringstream s;
    s.precision(6);
    s << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
      << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    const Axes axes(m);
    axes.draw(s);
    const double peak = peak_flops(m);
    const char *const colors[] = {"#1b7837", "#2166ac", "#b2182b", "#762a83"};
    size_t n = 0;
    for (const RooflineLevel &level : roofline(m)) {
        const double ridge = std::clamp(peak / level.bytes_per_second, first_intensity, last_intensity),
                     start = std::min(peak, level.bytes_per_second * first_intensity);
        Axes::line(s, axes.x(first_intensity), axes.y(start), axes.x(ridge),
                   axes.y(std::min(peak, level.bytes_per_second * ridge)), colors[n], 2);
        // Names along the right, one below the other, in the color of the line.
        s << "<g fill=\"" << colors[n] << "\">";
        Axes::text(s, width - right - 8, height - bottom - 70 + 18 * static_cast<double>(n), "end",
                   std::string(level.name) + ", " + with_digits(level.bytes_per_second / 1e9) + " GB/s");
        s << "</g>\n";
        n++;
    }
    Axes::line(
        s, axes.x(std::clamp(peak / roofline(m).front().bytes_per_second, first_intensity, last_intensity)),
        axes.y(peak), axes.x(last_intensity), axes.y(peak), "#333", 2);
    Axes::text(s, width - right - 8, axes.y(peak) - 8, "end",
               "multiply-adds of float32, " + with_digits(peak / 1e9) + " GFLOP/s");
    s << "</svg>\n";
    return s.str();
}

}  // namespace eutectic
