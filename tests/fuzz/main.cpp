// fuzz: random pipelines against the serial program. README.md says how.

#include <CLI/CLI.hpp>

#include <cstdio>

#include "tests/fuzz/isolated.h"
#include "tests/gpu/device_program.h"

int main(int argc, char **argv) {
    using namespace eutectic::test;
    uint64_t first = 1;
    int count = 20;
    bool verbose = false, keep = false, images = false, opencl = false;
    CLI::App app{"Random pipelines, scheduled by Eutectic, against the serial program."};
    app.add_option("--seed", first, "the first seed")->capture_default_str();
    app.add_option("--count", count, "how many seeds")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_flag("--images", images, "pipelines of images instead of matrices");
    app.add_flag("--opencl", opencl, "planned for a device, and run through OpenCL");
    app.add_flag("-v,--verbose", verbose, "tell every recipe");
    app.add_flag("--keep", keep, "do not shrink failures");
    CLI11_PARSE(app, argc, argv);

    if (opencl && !has_opencl()) {
        return 0;
    }
    int failures = 0, exact = 0, together = 0;
    for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); seed++) {
        Recipe recipe = images ? random_image_recipe(seed) : random_recipe(seed);
        recipe.opencl = opencl;
        if (verbose) {
            std::printf("%llu: %s\n", static_cast<unsigned long long>(seed), recipe.text().c_str());
            std::fflush(stdout);
        }
        const Outcome outcome = check_isolated(recipe);
        exact += outcome.exact ? 1 : 0;
        together += outcome.together;
        if (outcome.failure.empty()) {
            continue;
        }
        failures++;
        const Recipe least = keep ? recipe : shrink(recipe);
        const Outcome again = keep ? outcome : check_isolated(least);
        std::printf("seed %llu: %s\n  %s\n  least: %s\n  %s\n%s\n", static_cast<unsigned long long>(seed),
                    outcome.failure.c_str(), recipe.text().c_str(), least.text().c_str(),
                    again.failure.c_str(), again.schedule.c_str());
        std::fflush(stdout);
    }
    std::printf("%d pipelines from seed %llu, %d failed; %d plans were exact under fast numerics, %d write "
                "several Funcs in one nest\n",
                count, static_cast<unsigned long long>(first), failures, exact, together);
    return failures == 0 ? 0 : 1;
}
