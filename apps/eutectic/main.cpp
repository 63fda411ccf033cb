// eutectic: what did the scheduler decide, why, and what would else have cost; and the kernels that follow.

#include <cstdio>
#include <iostream>

#include "apps/eutectic/commands.h"
#include "apps/eutectic/contender.h"
#include "apps/eutectic/guard.h"
#include "apps/eutectic/input.h"
#include "base/nearest.h"
#include "base/regex.h"
#include "base/said.h"
#include "base/user_error.h"
#include "schedules/hlpipe/messages.h"

namespace eutectic {

namespace {

/** "--efort" → the option of `app` or of its subcommands in use that was meant; "explian" → the
 * subcommand.
 */
std::string meant(const CLI::App &app, const std::string &word) {
    std::vector<std::string> known;
    const std::vector<CLI::App *> used = app.get_subcommands();
    const CLI::App &of = used.empty() ? app : *used.front();
    if (word.rfind('-', 0) == 0) {
        for (const CLI::Option *option : of.get_options()) {
            for (const std::string &name : option->get_lnames()) {
                known.push_back("--" + name);
            }
        }
    } else if (used.empty()) {
        for (const CLI::App *command : app.get_subcommands({})) {
            known.push_back(command->get_name());
        }
    }
    return nearest_or(word, known, "");
}

/** One sentence, and where to read on. */
std::string refusal(const CLI::App &app, const CLI::ParseError &error) {
    const std::vector<CLI::App *> used = app.get_subcommands();
    const std::string help =
        used.empty() ? "eutectic --help" : "eutectic " + used.front()->get_name() + " --help";
    const std::vector<std::string> unknown = app.remaining(true);
    if (!unknown.empty()) {
        const std::string word = unknown.front().substr(0, unknown.front().find('=')),
                          near = meant(app, word);
        return "The command line has " + word + ", which is unknown" + (near.empty() ? "" : ": " + near) +
               "; " + help + " lists what there is.";
    }
    std::string what = error.what();
    while (!what.empty() && (what.back() == '\n' || what.back() == '.')) {
        what.pop_back();
    }
    return "The command line is not understood (" + Regex("\n+").replace_in(what, "; ") + "): " + help +
           " tells how to write it.";
}

int fail(const std::string &sentence) {
    std::fprintf(stderr, "eutectic: %s\n", one_sentence(sentence).c_str());
    return 2;
}

/** All output is there, or this says so. */
int flushed(int status) {
    std::cout.flush();
    if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout)) {
        return fail("The output cannot be written to standard output: check that it is open and has room.");
    }
    return status;
}

int work(const Run &run) {
    listen_to_halide();
    try {
        const int status = run();
        for (const std::string &warning : take_warnings()) {
            std::fprintf(stderr, "warning: %s\n", warning.c_str());
        }
        return flushed(status);
    } catch (const UserError &e) {
        return fail(e.what());
    } catch (const Drifted &e) {
        fail(e.what());
        return flushed(1);
    } catch (const HalideError &e) {
        return fail(std::string("Halide refuses this pipeline: ") + e.what());
    } catch (const std::exception &e) {
        return fail(e.what());
    }
}

int run(int argc, char **argv) {
    if (argc == 3 && std::string(argv[1]) == "--contender") {  // what compare starts
        return contend(nlohmann::json::parse(argv[2]));
    }
    CLI::App app("Explains, compares, compiles, differentiates, profiles and tunes Halide pipelines with the "
                 "scheduler Eutectic.",
                 "eutectic");
    app.require_subcommand(1);
    app.set_version_flag(
        "--version", "eutectic " EUTECTIC_VERSION ", Halide " + std::to_string(HALIDE_VERSION_MAJOR) + "." +
                         std::to_string(HALIDE_VERSION_MINOR) + "." + std::to_string(HALIDE_VERSION_PATCH));
    app.footer(
        "FILE is a pipeline (.hlpipe), or a generator executable with -g NAME.\n\nexamples:\n"
        "  eutectic explain dense.hlpipe\n"
        "  eutectic explain build/generators -g dense m=64\n"
        "  eutectic compare dense.hlpipe\n"
        "  eutectic compile dense.hlpipe -o kernels\n"
        "  eutectic grad dense.hlpipe --wrt x,w -o kernels\n"
        "  eutectic profile dense.hlpipe\n"
        "  eutectic inspect dense.hlpipe\n"
        "  eutectic tune dense.hlpipe --budget-seconds 60\n"
        "  eutectic torch kernels/dense.report.json -o dense_torch.cpp\n"
        "  eutectic calibrate -o machine.json\n"
        "  eutectic compile build/generators -g dense -o kernels --timeout 60\n\n"
        "environment:\n"
        "  EUTECTIC_DUMP=DIR        writes report, decisions, schedule and page of each plan to a folder "
        "of its own in DIR\n"
        "  EUTECTIC_PTXAS=FILE      the ptxas of inspect and --feedback\n"
        "  EUTECTIC_NVDISASM=FILE   the nvdisasm of inspect\n"
        "  EUTECTIC_READ_CODE=FILE  the eutectic-read-code of inspect and --feedback\n\n"
        "exit status: 0 done, 1 what was compared differs, 2 usage or bad input, 124 a step took longer "
        "than --timeout;\n"
        "a signal that ends the command ends all that it has started.");
    Run chosen;
    add_explain(app, chosen);
    add_compare(app, chosen);
    add_compile(app, chosen);
    add_grad(app, chosen);
    add_profile(app, chosen);
    add_inspect(app, chosen);
    add_ablate(app, chosen);
    add_torch(app, chosen);
    add_tune(app, chosen);
    add_accuracy(app, chosen);
    add_calibrate(app, chosen);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success &asked) {
        return flushed(app.exit(asked));
    } catch (const CLI::ParseError &e) {
        return fail(refusal(app, e));
    }
    return guarded([&] { return work(chosen); });
}

}  // namespace

}  // namespace eutectic

int main(int argc, char **argv) {
    return eutectic::run(argc, argv);
}
