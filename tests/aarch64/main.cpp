// aarch64_check FAMILY NAME KERNELS.so PART...: the kernels planned_PART, run on this processor or an
// emulated one, give what unfused_PART do, at many sizes.
//
// FAMILY is numerics, NAME then a line of tests/numerics/shapes.cpp, and PART plain, or forward and backward,
// beside the report PART.json; or images, NAME a line of tests/images/subjects.cpp, and PART plain.
// Prints every difference; the exit status is 0 only if there is none.
//
// aarch64_check settings NAME: the parameters of an image generator, KEY=VALUE a line.

#include "tests/aarch64/image_failures.h"
#include "tests/numerics/loaded_kernels.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace {

using namespace eutectic;
using numerics::Failures;

/// What was tried, and what went wrong.
struct Checked {
    size_t sizes = 0;
    Failures failures;

    void add(const std::string &size, const Failures &some) {
        sizes++;
        for (const std::string &failure : some) {
            failures.push_back(size + ": " + failure);
        }
    }
};

using Words = std::vector<std::string>;

Checked check_numerics(const std::string &line, const numerics::LoadedKernels &library, const Words &parts) {
    numerics::Subject subject{line, {}, {}, {}, {}};
    for (const std::string &part : parts) {
        subject.kernels.push_back(library.kernel("planned_" + part));
        subject.reference.push_back(library.kernel("unfused_" + part));
        subject.reports.push_back(part + ".json");
    }
    Checked checked;
    for (const numerics::Case &c : numerics::few_cases(subject)) {
        checked.add(c.name, numerics::failures_at(subject, c.sizes));
    }
    return checked;
}

Checked check_images(const std::string &line, const numerics::LoadedKernels &library, const Words &parts) {
    const Kernel planned = library.kernel("planned_" + parts.at(0)),
                 unfused = library.kernel("unfused_" + parts.at(0));
    Checked checked;
    for (const test::Size &size : {test::Size{200, 120}, {67, 35}, {300, 9}, {5, 131}, {1, 1}}) {
        checked.add(std::to_string(size.width) + " x " + std::to_string(size.height),
                    test::image_failures(test::subjects.at(line), planned, unfused, size));
    }
    return checked;
}

int run(const Words &words) {
    if (words.at(0) == "settings") {
        for (const auto &[key, value] : test::subjects.at(words.at(1)).settings) {
            std::printf("%s=%s\n", key.c_str(), value.c_str());
        }
        return EXIT_SUCCESS;
    }
    const numerics::LoadedKernels library(words.at(2));
    const Words parts(words.begin() + 3, words.end());
    const Checked checked = words[0] == "images" ? check_images(words[1], library, parts)
                                                 : check_numerics(words[1], library, parts);
    for (const std::string &failure : checked.failures) {
        std::printf("%s\n", failure.c_str());
    }
    std::printf("%zu sizes, %zu failures\n", checked.sizes, checked.failures.size());
    return checked.failures.empty() && checked.sizes >= 4 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char **argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception &e) {
        std::fprintf(stderr, "aarch64_check: %s\n", e.what());
        return EXIT_FAILURE;
    }
}
