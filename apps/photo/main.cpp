// photo: learns how a photograph is denoised, sharpened and given its tones back, by gradient descent through
// ahead-of-time compiled kernels, and does the same to others.

#include "apps/photo/train.h"
#include "base/said.h"
#include "base/user_error.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <new>

namespace eutectic::photo {

namespace {

struct Options {
    TrainOptions train;
    std::string in, out, parameters;
    int threads = 0;
};

void add_train(CLI::App &app, TrainOptions &options) {
    app.add_option("picture", options.picture, "a PNG or JPEG picture")->required()->type_name("IN");
    app.add_option(
           "--target", options.target,
           "what IN should become, of the same size (default: IN, from a blurred, pale and noisy copy)")
        ->type_name("FILE");
    app.add_option("--steps", options.schedule.steps, "of gradient descent")
        ->type_name("N")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    app.add_option("--window", options.schedule.window,
                   "pixels each way that a step looks at, drawn anew; smaller pictures are taken whole")
        ->type_name("N")
        ->check(CLI::Range(1, 8192))
        ->capture_default_str();
    app.add_option("--rate", options.schedule.rate, "of the first steps")
        ->type_name("R")
        ->check(CLI::Range(1e-6, 1.0))
        ->capture_default_str();
    app.add_option("--seed", options.schedule.seed, "draws the noise and the windows")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--output", options.folder,
                   "the folder of before, after and difference pictures and parameters.json")
        ->type_name("DIR")
        ->capture_default_str();
    app.add_option("--format", options.format, "of these pictures")
        ->type_name("png|jpg")
        ->check(CLI::IsMember({"png", "jpg"}))
        ->capture_default_str();
    app.add_option("--comparison", options.comparison, "one more picture: before and after beside each other")
        ->type_name("FILE");
    app.add_flag("--json", options.json,
                 "print the results as JSON on standard output, progress on standard error");
}

int run(CLI::App &app, int argc, char **argv, Options &options) {
    app.require_subcommand(1);
    CLI::App &learning = *app.add_subcommand("train", "learns the parameters from a picture and a target");
    CLI::App &applying = *app.add_subcommand("apply", "restores a picture by parameters that were learned");
    add_train(learning, options.train);
    applying.add_option("in", options.in, "a PNG or JPEG picture")->required()->type_name("IN");
    applying.add_option("out", options.out, "where the restored one goes; its ending says the format")
        ->required()
        ->type_name("OUT");
    applying.add_option("--parameters", options.parameters, "a file that `photo train` wrote")
        ->required()
        ->type_name("FILE");
    for (CLI::App *command : {&learning, &applying}) {
        command->add_option("--threads", options.threads, "that kernels run on (default: all cores)")
            ->type_name("N")
            ->check(CLI::Range(1, 256));
    }
    app.footer("examples:\n"
               "  photo train photograph.png\n"
               "  photo train dull.jpg --target good.jpg --steps 400 --output learned\n"
               "  photo apply other.jpg better.png --parameters learned/parameters.json\n"
               "  photo train photograph.png --json > results.json\n\n"
               "exit status: 0 done, 2 a wrong argument or a file that cannot be used, 1 anything else that "
               "failed");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    use_threads(options.threads);
    if (learning.parsed()) {
        train(options.train);
    } else {
        apply(options.in, options.parameters, options.out);
    }
    return 0;
}

}  // namespace

int main(int argc, char **argv) {
    Options options;
    CLI::App app(
        "Restores photographs: denoises them, sharpens them and gives them their tones back, through "
        "one pipeline whose parameters are learned.",
        "photo");
    try {
        return run(app, argc, argv, options);
    } catch (const UserError &error) {
        std::fprintf(stderr, "photo: %s\n", one_sentence(error.what()).c_str());
        return 2;
    } catch (const std::bad_alloc &) {
        std::fprintf(stderr,
                     "photo: There is no memory for a picture of this size; make it smaller first.\n");
        return 2;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "photo: %s\n", error.what());
        return 1;
    }
}

}  // namespace eutectic::photo

int main(int argc, char **argv) {
    return eutectic::photo::main(argc, argv);
}
