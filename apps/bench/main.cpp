// bench: times this scheduler's kernels against others', after checking that all give the same results.

#include "apps/bench/before.h"
#include "apps/bench/contest.h"
#include "apps/bench/isa.h"
#include "apps/bench/json_lines.h"
#include "apps/bench/measure.h"
#include "apps/bench/results.h"
#include "apps/bench/suite.h"
#include "base/user_error.h"
#include "base/write_whole.h"
#include "machine/calibration.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

namespace eutectic::bench {

namespace {

namespace fs = std::filesystem;

struct Options {
    std::string suite, isa, json, source, machine, python, before;
    std::vector<std::string> only, contenders;
    double timeout = 60;
    Settings settings;
    bool print_targets = false;
    // Of child processes:
    std::string child, reference;
    bool write = false, yardstick = false;
};

std::vector<Row> chosen_rows(const Suite &suite, const std::vector<std::string> &only) {
    std::vector<std::string> names;
    std::transform(suite.rows.begin(), suite.rows.end(), std::back_inserter(names),
                   [](const Row &row) { return row.name; });
    const std::vector<std::string> chosen = choose("row", names, only);
    std::vector<Row> rows;
    std::copy_if(suite.rows.begin(), suite.rows.end(), std::back_inserter(rows), [&](const Row &row) {
        return std::find(chosen.begin(), chosen.end(), row.name) != chosen.end();
    });
    return rows;
}

/// For scripts: the timeout, the Halide target and, if there is one, the plugin of `before`; then the build's
/// targets that the chosen rows and contenders need.
void print_targets(const Suite &suite, const std::vector<Row> &rows,
                   const std::vector<std::string> &contenders, double timeout, const std::string &before) {
    std::cout << timeout << " " << suite.target << (before.empty() ? "" : " " + before) << "\n";
    for (const Row &row : rows) {
        const std::string target = "bench." + suite.built_as() + "." + row.name + ".";
        std::cout << target << row.reference << "\n";
        if (row.yardstick) {
            std::cout << target << "yardstick\n" << target << "yardstick_reference\n";
        }
        for (const std::string &contender : contenders) {
            if (row.admits(contender) && kind_of(contender) != ContenderKind::peer &&
                contender != row.reference) {
                std::cout << target << contender << "\n";
            }
        }
    }
}

void hold(const Options &options, const Suite &suite, const std::vector<Row> &rows,
          const std::vector<std::string> &contenders) {
    // Every contender gets every core, and no more.
    setenv("HL_NUM_THREADS",
           std::to_string(options.settings.cpu_time ? 1 : std::thread::hardware_concurrency()).c_str(),
           options.settings.cpu_time);
    nlohmann::json around = surroundings(options.source);
    if (!options.before.empty()) {
        around["versions"]["before"] = options.before;
    }
    if (suite.device == "cpu") {
        around["isa"] = widest_isa(suite.target, processor_flags());
        around["restricted"] = !suite.isa.empty();
    }
    around["target"] = suite.target;
    around["clock"] = options.settings.cpu_time ? "CPU time of one thread" : "wall";
    std::cout << around.at("machine").at("cpu").get<std::string>() << ", " << around.at("machine").at("cores")
              << " cores; Halide " << around.at("versions").at("halide").get<std::string>() << "; commit "
              << around.at("versions").at("commit").get<std::string>()
              << (suite.isa.empty() ? "" : "; everybody restricted to " + suite.isa) << "\n";
    double load = 0;
    if (!options.settings.cpu_time && getloadavg(&load, 1) == 1 &&
        load > 0.5 * std::thread::hardware_concurrency()) {
        std::cout << "other programs keep this machine busy (load " << load
                  << "): times are too long, and unevenly so\n";
    }
    std::optional<Machine> machine;
    if (!options.machine.empty()) {
        machine = read_calibration(options.machine).machine;
    }
    Peers peers(options.source, options.python, suite.device, options.settings.folder + "/peers_cache",
                suite.isa);
    if (suite.device != "cpu") {
        around["machine"]["gpu"] = gpu_of_machine();
        std::cout << around.at("machine").at("gpu").get<std::string>() << "\n";
    }
    std::vector<Outcome> outcomes;
    for (const Row &row : rows) {
        outcomes.push_back(hold_contest(suite, row, contenders, options.settings, peers));
        if (machine && row.transcendentals > 0) {
            const double cycles = row.transcendentals / machine->lanes(sizeof(float)) * machine->exp_cycles;
            outcomes.back().transcendental_seconds =
                cycles / machine->hertz / (options.settings.cpu_time ? 1 : machine->cores);
        }
        print_table(std::cout, row, outcomes.back(), contenders);
        std::cout.flush();
        if (!options.json.empty()) {  // after every row: a run that is stopped keeps what it has
            around["versions"].update(peers.versions());
            write_whole("results", options.json, json_lines(to_json(around, suite, outcomes), 2));
        }
    }
    print_means(std::cout, suite, outcomes);
    if (const auto before = summarize_before(outcomes)) {
        print_before(std::cout, *before);
    }
}

void run(Options &options) {
    const Suite suite = find_suite(options.suite, options.isa);
    if (!options.isa.empty()) {
        require_isa(isa_named(options.isa), processor_flags());
        restrict_libraries(isa_named(options.isa));
    }
    const std::vector<Row> rows = chosen_rows(suite, options.only);
    if (!options.child.empty()) {
        const Row &row = rows.at(0);
        std::cout << measure({options.yardstick ? row.yardstick_row() : row, options.child, options.reference,
                              options.write, options.settings.process_seconds, options.settings.cpu_time,
                              options.settings.folder + "/photograph.ppm"})
                  << "\n";
        return;
    }
    const std::vector<std::string> contenders =
        choose_contenders(options.contenders, !options.before.empty());
    const std::string before = options.before.empty() ? "" : plugin_at("--before", options.before);
    if (options.print_targets) {
        print_targets(suite, rows, contenders, options.timeout, before);
        return;
    }
    hold(options, suite, rows, contenders);
}

void add_options(CLI::App &app, Options &options) {
    app.add_option("suite", options.suite,
                   "which rows: cpu, grad (forward and backward), tangent (forward mode and second order), "
                   "image (pipelines of images), cuda, or opencl (a "
                   "few small rows)")
        ->type_name("SUITE")
        ->required();
    app.add_option("--isa", options.isa,
                   "restrict every contender, frameworks included, to an instruction set: avx2 or avx512 "
                   "(default: what the machine has); suites cpu, grad, products and tangent")
        ->type_name("ISA");
    app.add_option("--only", options.only, "these rows only")->type_name("ROW");
    app.add_option("--contenders", options.contenders, "these contenders only")->type_name("NAME");
    app.add_option(
           "--before", options.before,
           "another build's libautoschedule_eutectic.so: contender before, which eutectic is compared "
           "with; both take part in any case")
        ->type_name("PATH");
    app.add_option("--timeout", options.timeout,
                   "give up a contender whose kernel takes longer to plan and compile; for scripts/bench")
        ->type_name("S")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--json", options.json, "write the results to this file, too")->type_name("FILE");
    app.add_option("--machine", options.machine,
                   "what scripts/calibrate has written: rows then say what their exp and log take at least")
        ->type_name("FILE");
    app.add_option("--processes", options.settings.processes, "processes a contender")
        ->type_name("N")
        ->check(CLI::Range(3, 1000))
        ->capture_default_str();
    app.add_option("--seconds", options.settings.process_seconds, "how long a process is timed")
        ->type_name("S")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--cpu-time", options.settings.cpu_time,
                 "measure the CPU time of one thread instead, which repeats on a busy machine");
    app.add_option("--source", options.source, "the folder whose commit is told")->type_name("FOLDER");
    app.add_option("--folder", options.settings.folder,
                   "where the kernels are, as SUITE/ROW/CONTENDER.so (default: those of the build)")
        ->type_name("FOLDER");
    app.add_option("--python", options.python,
                   "the Python with PyTorch and JAX (default: the one that scripts/peers has made)")
        ->type_name("FILE");
    app.add_flag("--print-targets", options.print_targets,
                 "print the timeout and the build targets that are needed, and do no more");
    const std::string hidden;  // an option without a group is not in --help
    app.add_option("--child", options.child)->group(hidden);
    app.add_option("--reference", options.reference)->group(hidden);
    app.add_flag("--write", options.write)->group(hidden);
    app.add_flag("--yardstick", options.yardstick)->group(hidden);
    app.footer("examples:\n"
               "  bench cpu\n"
               "  bench cpu --only dense_relu --contenders eutectic manual --json results.json\n"
               "  bench cpu --isa avx2 --json docs/bench/cpu-avx2.json\n"
               "  bench grad --only mlp_784\n"
               "  bench cpu --before old/libautoschedule_eutectic.so --contenders eutectic\n\n"
               "It runs what is built; scripts/bench builds first.");
}

}  // namespace

int main(int argc, char **argv) {
    Options options;
    std::error_code unknown;
    const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
    options.settings.program = program.string();
    options.source = program.parent_path().string();
    options.settings.folder = (program.parent_path() / ".." / "bench").lexically_normal().string();
    CLI::App app("Times kernels scheduled by Eutectic against other schedulers and schedules: compared "
                 "first, then interleaved.",
                 "bench");
    add_options(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    try {
        run(options);
    } catch (const UserError &error) {
        std::cerr << "bench: " << error.what() << "\n";
        return 2;
    } catch (const std::exception &error) {
        std::cerr << "bench: " << error.what() << "\n";
        return 1;
    }
    return 0;
}

}  // namespace eutectic::bench

int main(int argc, char **argv) {
    return eutectic::bench::main(argc, argv);
}
