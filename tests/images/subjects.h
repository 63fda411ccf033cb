#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace eutectic::test {

using Settings = std::map<std::string, std::string>;

/// An image of `width` x `height` as a generator's argument.
struct Size {
    int width, height;
};

using Extents = std::vector<int>;

struct Subject {
    Settings settings;                      ///< besides width and height: small ones
    std::map<std::string, double> scalars;  ///< its scalar inputs
    std::vector<double> levels;             ///< images of one value that it is given, …
    std::vector<double> of_levels;          ///< … and what is in the output then
    double largest = 0;                     ///< of what is drawn; 0: 255 for integers and 1 for floats
    double tolerance = 1e-5;                ///< of floats, relative to the largest value
    /// Arguments that are not (columns, rows, 3 colours), or as much of that as they have dimensions.
    std::map<std::string, std::function<Extents(const Size &)>> extents = {};
    /// Arguments that are drawn from other ranges, whatever the level of the image.
    std::map<std::string, std::pair<double, double>> ranges = {};
};

/// By generator.
extern const std::map<std::string, Subject> subjects;

/// How large an argument of that many dimensions is for such an image.
Extents extents_of(const Subject &subject, const std::string &argument, int dimensions, const Size &size);

/// What the values of an input are drawn from, uniformly.
std::pair<double, double> range_of(const Subject &subject, const std::string &input, bool is_float);

}  // namespace eutectic::test
