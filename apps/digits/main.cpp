// digits: trains a small network on real handwritten digits, through ahead-of-time compiled kernels only.

#include "apps/digits/data.h"
#include "apps/digits/evaluation.h"
#include "apps/digits/kernels.h"
#include "apps/digits/network.h"
#include "apps/digits/progress.h"
#include "apps/digits/split.h"
#include "apps/digits/summary.h"
#include "apps/digits/training.h"
#include "base/said.h"
#include "base/user_error.h"
#include "device/device.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>

namespace eutectic::digits {

namespace {

constexpr int comparison_rounds =
    100;  // steps of each kind in the final timing: some tens of milliseconds in all

struct Options {
    std::string data = default_data_path();
    uint64_t seed = 1;
    int epochs = 40;
    std::string device = "cpu";
    bool json = false;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Every line once, in a new order, in batches; the last batch is what remains. Returns the mean loss of a
/// sample.
double train_epoch(Trainer &trainer, std::vector<int> &lines, Random &order) {
    order.shuffle(lines);
    double sum = 0;
    for (size_t first = 0; first < lines.size(); first += planned_batch) {
        const size_t size = std::min<size_t>(planned_batch, lines.size() - first);
        const std::vector<int> batch(lines.begin() + static_cast<ptrdiff_t>(first),
                                     lines.begin() + static_cast<ptrdiff_t>(first + size));
        sum += static_cast<double>(trainer.step(batch)) * static_cast<double>(size);
    }
    return sum / static_cast<double>(lines.size());
}

void run(const Options &options) {
    if (eutectic_use_device(options.device.c_str()) != 0) {
        throw UserError("--device " + options.device + ": " + eutectic_last_error());
    }
    const Digits data = read_digits(options.data);
    Streams streams(options.seed);
    const Random initial_weights = streams.weights;
    Split lines = split(data.count(), streams.split);
    Network network(widths, streams.weights);
    Trainer trainer(network, data, fused_kernels(options.device));
    const Kernel logits = logits_kernel();

    std::FILE *const log = options.json ? stderr : stdout;
    std::fprintf(log, "training 64-256-128-10 on %zu of %d handwritten digits, seed %llu%s%s\n",
                 lines.train.size(), data.count(), static_cast<unsigned long long>(options.seed),
                 options.device == "cpu" ? "" : ", on ",
                 options.device == "cpu" ? "" : options.device.c_str());
    Progress progress(log, options.epochs);
    Results results;
    const auto start = std::chrono::steady_clock::now();
    for (int epoch = 1; epoch <= options.epochs; epoch++) {
        results.losses.push_back(train_epoch(trainer, lines.train, streams.order));
        progress.epoch(epoch, results.losses.back(), accuracy(network, data, lines.train, logits),
                       seconds_since(start));
    }
    results.training_seconds = seconds_since(start);
    results.test_accuracy = accuracy(network, data, lines.test, logits);
    results.comparison = compare_steps(data, lines.train, initial_weights, comparison_rounds, options.device);
    if (options.json) {
        std::cout << summary_json(fused_reports(options.device), results).dump(2) << "\n";
    } else {
        print_summary(std::cout, fused_reports(options.device), results);
    }
}

int main(int argc, char **argv) {
    Options options;
    CLI::App app("Trains a 64-256-128-10 network on the UCI optical digits through fused, ahead-of-time "
                 "compiled kernels, then prints what was\n"
                 "fused, the memory traffic saved, the time per step fused and unfused, and the accuracy on "
                 "the digits kept for the test.",
                 "digits");
    app.add_option("--data", options.data,
                   "lines of 64 pixels (0 to 16) and a label (0 to 9), comma separated; plain or gzip")
        ->type_name("FILE")
        ->capture_default_str();
    app.add_option("--seed", options.seed, "chooses the split, the first weights and the order of training")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--epochs", options.epochs, "passes over the training digits")
        ->type_name("E")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    app.add_option("--device", options.device, "where the kernels run; what is not there is refused")
        ->type_name("cpu|cuda|opencl")
        ->check(CLI::IsMember({"cpu", "cuda", "opencl"}))
        ->capture_default_str();
    app.add_flag("--json", options.json,
                 "print the results as JSON on standard output, progress on standard error");
    app.footer("examples:\n"
               "  digits\n"
               "  digits --seed 2 --epochs 60\n"
               "  digits --device opencl\n"
               "  digits --data my-digits.csv --json > results.json\n\n"
               "exit status: 0 trained, 2 a wrong argument or data file or a device that cannot be used, 1 "
               "anything else that failed");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    try {
        run(options);
    } catch (const UserError &error) {
        std::cerr << "digits: " << one_sentence(error.what()) << "\n";
        return 2;
    } catch (const std::exception &error) {
        std::cerr << "digits: " << (*eutectic_last_error() ? eutectic_last_error() : error.what()) << "\n";
        return 1;
    }
    return 0;
}

}  // namespace

}  // namespace eutectic::digits

int main(int argc, char **argv) {
    return eutectic::digits::main(argc, argv);
}
