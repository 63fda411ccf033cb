// distributed: trains the network of digits on several ranks, data-parallel, over MPI.

#include "apps/digits/data.h"
#include "apps/distributed/checkpoint.h"
#include "apps/distributed/measurement.h"
#include "apps/distributed/nccl_reduction.h"
#include "apps/distributed/session.h"
#include "apps/distributed/summary.h"
#include "apps/distributed/world.h"
#include "base/said.h"
#include "base/user_error.h"

#include <CLI/CLI.hpp>
#include <HalideRuntime.h>

#include <algorithm>
#include <iostream>

namespace eutectic::distributed {

namespace {

constexpr int status_usage = 2, status_lost = 3;

/// What the command line has said of settings that a checkpoint has, too.
struct Given {
    const CLI::Option *seed, *batch, *shards, *numerics;
};

void add_options(CLI::App &app, Options &options, double &patience) {
    app.add_option("--data", options.data,
                   "lines of 64 pixels (0 to 16) and a label (0 to 9), comma separated; plain or gzip")
        ->type_name("FILE")
        ->capture_default_str();
    app.add_option("--epochs", options.epochs, "passes over the training digits, those of --resume included")
        ->type_name("E")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    app.add_option("--checkpoint", options.checkpoint, "write where training stands, after every epoch")
        ->type_name("FILE");
    app.add_option("--every", options.every, "and after as many steps, too")
        ->type_name("STEPS")
        ->check(CLI::Range(1, 1000000000));
    app.add_option("--resume", options.resume,
                   "go on from a checkpoint, with its settings, on any number of ranks")
        ->type_name("FILE");
    app.add_option("--patience", patience, "seconds to wait for a rank that does not answer")
        ->type_name("S")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--threads", options.threads,
                   "of each rank (default: the cores of its machine, shared by the ranks there)")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    app.add_option("--reduce", options.reduce,
                   "who adds up gradients over ranks: nccl through GPUs, where it is built in")
        ->type_name("mpi|nccl")
        ->check(CLI::IsMember({"mpi", "nccl"}))
        ->capture_default_str();
    app.add_flag("--links", options.links, "also time messages between the first two ranks");
    app.add_flag("--json", options.json,
                 "print the results as JSON on standard output, progress on standard error");
    app.footer("examples:\n"
               "  scripts/distributed -n 4\n"
               "  mpirun -n 4 distributed --numerics strict --checkpoint state\n"
               "  mpirun -n 2 distributed --resume state\n"
               "  distributed --epochs 1 --json\n\n"
               "exit status: 0 trained, 2 a wrong argument or file, 3 a rank was lost, 1 anything else that "
               "failed");
}

Given add_settings(CLI::App &app, Settings &settings) {
    return {app.add_option("--seed", settings.seed,
                           "chooses the split, the first weights and the order of training")
                ->type_name("N")
                ->capture_default_str(),
            app.add_option("--batch", settings.batch, "samples of a step, of all ranks together")
                ->type_name("N")
                ->check(CLI::Range(1, 1000000))
                ->capture_default_str(),
            app.add_option("--shards", settings.shards,
                           "shards of a batch, which ranks share: as many as ranks or more")
                ->type_name("N")
                ->check(CLI::Range(1, 4096))
                ->capture_default_str(),
            app.add_option("--numerics", settings.numerics,
                           "strict: the same bits on any number of ranks; fast: sums in any order")
                ->type_name("fast|strict")
                ->check(CLI::IsMember({"fast", "strict"}))
                ->capture_default_str()};
}

template<typename T>
void adopt(const CLI::Option *given, const char *name, T &asked, const T &written, const std::string &path) {
    if (given->count() > 0 && asked != written) {
        throw UserError(
            std::string(name) + " is another than that of the checkpoint '" + path +
            "', which goes on as it began; leave the option out, or begin anew without --resume.");
    }
    asked = written;
}

/// What is resumed, which the first rank's machine has.
void read_resumed(const World &world, Options &options) {
    world.together([&] {
        if (!options.resume.empty() && world.rank() == 0) {
            options.resumed = read_checkpoint(options.resume);
        }
    });
    options.resumed = world.of_first(options.resumed);
}

/// Its settings; those that were given must be the same.
void take_settings(Options &options, const Given &given) {
    if (options.resume.empty()) {
        return;
    }
    const Settings written = describe_checkpoint(options.resume, options.resumed).settings;
    Settings &asked = options.settings;
    adopt(given.seed, "--seed", asked.seed, written.seed, options.resume);
    adopt(given.batch, "--batch", asked.batch, written.batch, options.resume);
    adopt(given.shards, "--shards", asked.shards, written.shards, options.resume);
    adopt(given.numerics, "--numerics", asked.numerics, written.numerics, options.resume);
}

void check_options(const World &world, const Options &options) {
    if (options.settings.shards < world.ranks()) {
        throw UserError("--shards " + std::to_string(options.settings.shards) + " is too few for " +
                        std::to_string(world.ranks()) +
                        " ranks, each of which takes one at least; give more shards or start fewer ranks.");
    }
    if (options.reduce == "nccl" && options.settings.numerics == "strict") {
        throw UserError(
            "--reduce nccl was asked for with --numerics strict, and NCCL adds up in an order of its "
            "own; leave one of them out.");
    }
    if (options.reduce == "nccl") {
        require_nccl(world);
    }
    if (options.every > 0 && options.checkpoint.empty()) {
        throw UserError(
            "--every " + std::to_string(options.every) +
            " says when to write a checkpoint, and none is asked for; name its file with --checkpoint "
            "FILE.");
    }
}

void run(World &world, Options options) {
    if (options.threads == 0) {
        options.threads = std::max(1, world.cores() / world.local_ranks());
    }
    const int threads = options.threads;
    halide_set_num_threads(threads);
    Session session(world, options);
    const bool first = world.rank() == 0;
    std::FILE *const log = options.json ? stderr : stdout;
    if (first) {
        std::fprintf(log,
                     "training 64-256-128-10 on %zu of %d handwritten digits, seed %llu, %s numerics: %d %s "
                     "of %d %s, %d shards of a batch of %d\n",
                     session.lines().train.size(), session.data().count(),
                     static_cast<unsigned long long>(options.settings.seed),
                     options.settings.numerics.c_str(), world.ranks(), world.ranks() == 1 ? "rank" : "ranks",
                     threads, threads == 1 ? "thread" : "threads", options.settings.shards,
                     options.settings.batch);
        std::fflush(log);
    }
    session.train(log);
    const Measurement measured = measure(world, session, options);
    if (first && options.json) {
        std::cout << summary_json(world, options, session, measured, session.test_accuracy()).dump(2) << "\n";
    } else if (first) {
        print_summary(std::cout, world, session, measured, session.test_accuracy());
    }
}

/// One sentence, by one rank; all ranks have the same arguments and end with the same status.
int main(int argc, char **argv) {
    World world(&argc, &argv);
    const bool first = world.rank() == 0;
    Options options;
    options.data = digits::default_data_path();
    CLI::App app(
        "Trains a 64-256-128-10 network on the UCI optical digits on several ranks, each with its shards "
        "of every batch. Gradients travel in buckets\n"
        "while the backward goes on; it is cut where its plan has a Func in memory.",
        "distributed");
    const Given given = add_settings(app, options.settings);
    add_options(app, options, world.patience);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        const bool help = error.get_exit_code() == 0;
        if (first && help) {
            app.exit(error);
        } else if (first) {
            std::cerr << "distributed: " << error.what() << "; --help has examples.\n";
        }
        return help ? 0 : status_usage;
    }
    try {
        read_resumed(world, options);
        world.together([&] {
            take_settings(options, given);
            check_options(world, options);
        });
        run(world, options);
    } catch (const UserError &error) {
        if (first) {
            std::cerr << "distributed: " << one_sentence(error.what()) << "\n";
        }
        return status_usage;
    } catch (const LostRank &error) {
        std::cerr << "distributed: rank " << world.rank() << ": " << error.what() << "\n";
        world.abort(status_lost);
    } catch (const std::exception &error) {
        std::cerr << "distributed: rank " << world.rank() << ": " << error.what() << "\n";
        world.abort(1);
    }
    return 0;
}

}  // namespace

}  // namespace eutectic::distributed

int main(int argc, char **argv) {
    return eutectic::distributed::main(argc, argv);
}
