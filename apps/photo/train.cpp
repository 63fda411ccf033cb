#include "apps/photo/train.h"

#include "apps/photo/comparison.h"
#include "apps/photo/progress.h"
#include "base/user_error.h"
#include "base/write_whole.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>

namespace eutectic::photo {

namespace {

using nlohmann::ordered_json;

/// What is learned from, and how far they are apart at first.
struct Pair {
    Picture before, target;
};

struct Results {
    std::vector<double> psnr;  ///< of each step, before it
    double seconds = 0;        ///< of all steps
    double before = 0, after = 0;
    Comparison comparison;
};

Pair read_pair(const TrainOptions &options) {
    Picture picture = read_picture(options.picture);
    if (options.target.empty()) {
        return {degraded(picture, options.schedule.seed), picture};
    }
    Pair pair{std::move(picture), read_picture(options.target)};
    if (pair.before.columns != pair.target.columns || pair.before.rows != pair.target.rows) {
        const auto size = [](const Picture &p) {
            return std::to_string(p.columns) + " x " + std::to_string(p.rows);
        };
        throw UserError("--target '" + options.target + "' has " + size(pair.target) + " pixels and '" +
                        options.picture + "' has " + size(pair.before) +
                        "; give two pictures of one place and size.");
    }
    return pair;
}

/// Where each result goes, before anything is learned.
struct Places {
    std::string before, after, difference, parameters, comparison;

    explicit Places(const TrainOptions &options) : comparison(options.comparison) {
        if (!comparison.empty()) {
            require_picture_writable(comparison);
        }
        std::error_code error;
        std::filesystem::create_directories(options.folder, error);
        if (error) {
            throw UserError("--output '" + options.folder + "' cannot be made a folder (" + error.message() +
                            "); name another.");
        }
        const auto in_folder = [&](const std::string &name) {
            return (std::filesystem::path(options.folder) / name).string();
        };
        before = in_folder("before." + options.format);
        after = in_folder("after." + options.format);
        difference = in_folder("difference." + options.format);
        parameters = in_folder("parameters.json");
        for (const std::string &picture : {before, after, difference}) {
            require_picture_writable(picture);
        }
        require_writable("parameters", parameters);
    }
};

void learn(Trainer &trainer, const TrainOptions &options, std::FILE *log, Results &results) {
    Progress progress(log, options.schedule.steps);
    const auto start = std::chrono::steady_clock::now();
    for (int step = 1; step <= options.schedule.steps; step++) {
        results.psnr.push_back(psnr_of(trainer.step()));
        results.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        progress.step(step, results.psnr.back(), results.seconds);
    }
}

void write_results(const Places &places, const Pair &pair, const Picture &after,
                   const Parameters &parameters) {
    write_picture(places.before, pair.before);
    write_picture(places.after, after);
    write_picture(places.difference, difference(after, pair.target));
    if (!places.comparison.empty()) {
        write_picture(places.comparison, beside(pair.before, after));
    }
    write_whole("parameters", places.parameters, to_json(parameters).dump(2) + "\n");
}

ordered_json as_json(const Results &results, const Places &places, const Parameters &parameters) {
    const Comparison &c = results.comparison;
    return {{"psnr", {{"before", results.before}, {"after", results.after}, {"steps", results.psnr}}},
            {"training_seconds", results.seconds},
            {"step_seconds", {{"fused", c.fused_step}, {"unfused", c.unfused_step}}},
            {"restore_seconds", {{"fused", c.fused_restore}, {"unfused", c.unfused_restore}}},
            {"difference", {{"picture", c.picture_difference}, {"gradients", c.gradient_difference}}},
            {"files",
             {{"before", places.before},
              {"after", places.after},
              {"difference", places.difference},
              {"parameters", places.parameters}}},
            {"parameters", to_json(parameters)}};
}

void print(const Results &results, const Places &places) {
    const Comparison &c = results.comparison;
    std::printf("\n%s  as it was\n%s  restored\n%s  what is wrong with it still, four times\n%s\n",
                places.before.c_str(), places.after.c_str(), places.difference.c_str(),
                places.parameters.c_str());
    if (c.agrees()) {
        const auto times = [](const char *what, double fused, double unfused) {
            std::printf("%s: %.2f ms fused, %.2f ms unfused, %.2f times as fast\n", what, 1e3 * fused,
                        1e3 * unfused, unfused / fused);
        };
        std::printf("\n");
        times("a step (loss and gradients)", c.fused_step, c.unfused_step);
        times("restoring", c.fused_restore, c.unfused_restore);
        std::printf("results agree within %.0e of white, gradients within %.0e of the largest\n",
                    c.picture_difference, c.gradient_difference);
    } else {
        std::printf("\nfused and unfused kernels DISAGREE: %.1e of white, gradients by %.1e of the largest\n",
                    c.picture_difference, c.gradient_difference);
    }
    std::printf("training took %.1f s\nPSNR: %.2f dB before, %.2f dB after\n", results.seconds,
                results.before, results.after);
}

Picture restored(Kernels &kernels, Floats &in, Parameters &parameters) {
    Floats out = Floats::make_with_shape_of(in);
    kernels.restore(in, parameters, out);
    return picture_of(out);
}

}  // namespace

void train(const TrainOptions &options) {
    const Pair pair = read_pair(options);
    const Places places(options);
    Floats in = planes_of(pair.before), target = planes_of(pair.target);
    const auto fused = fused_kernels(), unfused = unfused_kernels();
    Trainer trainer(*fused, in, target, options.schedule);

    std::FILE *const log = options.json ? stderr : stdout;
    std::fprintf(log, "learning to restore %d x %d pixels from %s\n", pair.before.columns, pair.before.rows,
                 options.target.empty() ? "a blurred, pale and noisy copy" : options.picture.c_str());
    Results results;
    learn(trainer, options, log, results);
    const Picture after = restored(*fused, in, trainer.parameters());
    results.before = psnr(pair.before, pair.target);
    results.after = psnr(after, pair.target);
    write_results(places, pair, after, trainer.parameters());
    Floats window = trainer.first_window(in), target_window = trainer.first_window(target);
    results.comparison = compare(*fused, *unfused, window, target_window, trainer.parameters(), 2);
    if (options.json) {
        std::cout << as_json(results, places, trainer.parameters()).dump(2) << "\n";
    } else {
        print(results, places);
    }
}

void apply(const std::string &picture, const std::string &parameters, const std::string &result) {
    require_picture_writable(result);
    Parameters learned = read_parameters(parameters);
    Floats in = planes_of(read_picture(picture));
    write_picture(result, restored(*fused_kernels(), in, learned));
}

}  // namespace eutectic::photo
