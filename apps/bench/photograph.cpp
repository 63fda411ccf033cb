#include "apps/bench/photograph.h"

#include "apps/bench/element_types.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

namespace eutectic::bench {

namespace {

/// Where `i` lies in 0…size − 1, mirrored at both ends again and again.
int mirrored(int i, int size) {
    const int at = ((i % (2 * size)) + 2 * size) % (2 * size);
    return at < size ? at : 2 * size - 1 - at;
}

constexpr int red = 0, green = 1, blue = 2, alpha = 3;

/// The colour of a sensor's pixel.
int site(int x, int y) {
    return y % 2 == 0 ? (x % 2 == 0 ? green : red) : (x % 2 == 0 ? blue : green);
}

}  // namespace

Photograph::Photograph(const std::string &file) {
    std::ifstream in(file, std::ios::binary);
    std::string kind;
    int most = 0;
    in >> kind >> width_ >> height_ >> most;
    in.get();  // the one space after the header
    if (!in || kind != "P6" || width_ < 1 || height_ < 1 || most != 255) {
        throw std::runtime_error("'" + file + "' is no binary portable pixmap of 8 bits");
    }
    bytes_.resize(3 * static_cast<size_t>(width_) * static_cast<size_t>(height_));
    in.read(reinterpret_cast<char *>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
    if (!in) {
        throw std::runtime_error("'" + file + "' ends before its last pixel");
    }
}

double Photograph::share(int x, int y, int colour) const {
    if (colour == alpha) {
        return share(x + width_ / 3, y + height_ / 3, green);
    }
    const auto row = static_cast<size_t>(mirrored(y, height_)), width = static_cast<size_t>(width_);
    return bytes_[3 * (row * width + static_cast<size_t>(mirrored(x, width_))) +
                  static_cast<size_t>(colour)] /
           255.0;
}

void Photograph::fill(Tensor &tensor, const Exposure &exposure) const {
    if (static_cast<int>(exposure.axes.size()) != tensor.dimensions()) {
        throw std::runtime_error("axes '" + exposure.axes + "' are not as many as the input's dimensions, " +
                                 std::to_string(tensor.dimensions()));
    }
    constexpr int step = 5;  // pixels from one of several photographs to the next
    with_type(tensor.type(), "the photograph", [&](auto kind) {
        using T = decltype(kind);
        tensor.as<T>().for_each_element([&](const int *position) {
            int x = 0, y = 0, colour = green;
            for (size_t d = 0; d < exposure.axes.size(); d++) {
                const int at = position[d];
                switch (exposure.axes[d]) {
                case 'x': x += at; break;
                case 'y': y += at; break;
                case 'c': colour = std::min(at, alpha); break;
                default: x += step * at, y += step * at; break;
                }
            }
            colour = exposure.mosaic ? site(x, y) : colour;
            const double value = exposure.low + (exposure.high - exposure.low) * share(x, y, colour);
            tensor.as<T>()(position) =
                static_cast<T>(std::is_floating_point_v<T> ? value : std::floor(value));
        });
    });
}

}  // namespace eutectic::bench
