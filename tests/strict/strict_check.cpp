// strict_check SHAPES KERNELS.so PART...: the kernels strict_PART give the bits of reference_PART, at many
// sizes, on one thread and on two.
//
// SHAPES is a line of tests/numerics/shapes.cpp; PART is plain, or forward and backward; PART.json is the
// report of strict_PART. Prints every difference; the exit status is 0 only if there is none.

#include "tests/numerics/evaluate.h"
#include "tests/numerics/loaded_kernels.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace {

using namespace eutectic;
using namespace eutectic::numerics;
using Place = GuardedTensor::Place;

Subject load(const std::vector<std::string> &arguments) {
    const LoadedKernels library(arguments.at(1));
    Subject subject{arguments[0], {}, {}, {}, {}};
    for (size_t i = 2; i < arguments.size(); i++) {
        subject.kernels.push_back(library.kernel("strict_" + arguments[i]));
        subject.reference.push_back(library.kernel("reference_" + arguments[i]));
        subject.reports.push_back(arguments[i] + ".json");
    }
    return subject;
}

Failures run(const Subject &subject, const Sizes &sizes) {
    Failures failures;
    const auto residuals = residual_ranges(subject, sizes);
    const auto reference = evaluate(subject, subject.reference, sizes, residuals,
                                    {Place::middle, 9, 1, Numbers::rounding}, failures);
    for (const int threads : {1, 2}) {
        const auto results = evaluate(subject, subject.kernels, sizes, residuals,
                                      {Place::middle, 3, threads, Numbers::rounding}, failures);
        compare_bits(results, reference, std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
                     failures);
    }
    return failures;
}

/// What the report promises.
void check_report(const std::string &path, Failures &failures) {
    std::ifstream file(path);
    const nlohmann::json report = nlohmann::json::parse(file);
    if (report.at("numerics") != "strict" || report.at("grade") != "exact") {
        failures.push_back(path + " says numerics " + report.at("numerics").dump() + ", grade " +
                           report.at("grade").dump());
    }
}

}  // namespace

int main(int argc, char **argv) {
    try {
        const Subject subject = load({argv + 1, argv + argc});
        Failures all;
        for (const std::string &report : subject.reports) {
            check_report(report, all);
        }
        size_t sizes = 0, values = 0;
        for (const Case &c : few_cases(subject)) {
            sizes++;
            for (const std::string &failure : run(subject, c.sizes)) {
                all.push_back(c.name + ": " + failure);
            }
            Failures unused;
            for (const Result &r : evaluate(subject, subject.reference, c.sizes,
                                            residual_ranges(subject, c.sizes), {}, unused)) {
                values += r.tensor.size();
            }
        }
        for (const std::string &failure : all) {
            std::printf("%s\n", failure.c_str());
        }
        std::printf("%zu sizes, %zu values, %zu differences\n", sizes, values, all.size());
        return all.empty() && sizes >= 4 && values > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "strict_check: %s\n", e.what());
        return EXIT_FAILURE;
    }
}
