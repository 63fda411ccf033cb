// plan_bench: how long planning takes, and how much memory, row by row; and what compiling the plan takes.

#include "apps/bench/before.h"
#include "apps/bench/json_lines.h"
#include "apps/bench/plan/study.h"
#include "apps/bench/results.h"
#include "base/process.h"
#include "base/user_error.h"
#include "base/write_whole.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace eutectic::bench {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// Fixed, so that a row is the same work on every machine: nothing that is planned is run.
constexpr const char *avx512 = "x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41";
constexpr const char *avx2 = "x86-64-linux-avx-avx2-f16c-fma-sse41";

struct Options {
    std::vector<std::string> only;
    std::string target = "avx512", json, source, before, plugin, child;
    bool no_compile = false, limits = false;
    PlanSettings settings;
};

/// A folder of this process, which goes with it.
class Scratch {
public:
    Scratch() {
        std::string pattern = (fs::temp_directory_path() / "plan_bench.XXXXXX").string();
        if (!mkdtemp(pattern.data())) {
            throw UserError("No folder can be made in " + fs::temp_directory_path().string() +
                            "; let TMPDIR name one with space.");
        }
        path = pattern;
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;

    std::string path;
};

std::string full_target(const std::string &text) {
    const std::string full = text == "avx512" ? avx512 : text == "avx2" ? avx2 : text;
    if (!Halide::Target::validate_target_string(full)) {
        throw UserError("The target " + text + " is unknown to Halide; give avx512, avx2, or one such as " +
                        avx2 + ".");
    }
    return full;
}

std::vector<PlanRow> all_rows(const Options &options) {
    if (options.limits) {
        return limit_rows();
    }
    std::vector<PlanRow> rows = fixed_rows();
    const std::vector<PlanRow> generators = generator_rows(options.settings.generators);
    rows.insert(rows.end(), generators.begin(), generators.end());
    return rows;
}

void run(Options &options) {
    PlanSettings &settings = options.settings;
    settings.task.target = full_target(options.target);
    settings.compile = !options.no_compile && !options.limits;
    settings.lower = options.limits;
    settings.planners = {{"eutectic", plugin_at("--plugin", options.plugin)}};
    if (!options.before.empty()) {
        settings.planners.push_back({"before", plugin_at("--before", options.before)});
    }
    const std::vector<PlanRow> rows = choose_rows(all_rows(options), options.only);
    const Scratch scratch;
    settings.scratch = scratch.path;
    const auto start = std::chrono::steady_clock::now();
    settings.progress = [&](const std::string &what) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
        std::fprintf(stderr, "[%5.0f s] %s\n", passed.count(), what.c_str());
    };
    ordered_json file = surroundings(options.source);
    file.update({{"clock", "cpu"},
                 {"target", settings.task.target},
                 {"effort", settings.task.effort},
                 {"parallelism", settings.task.parallelism},
                 {"plan_limit", settings.task.plan_limit},
                 {"compile_limit", settings.task.compile_limit}});
    std::vector<RowResult> results;
    keep_interrupts();  // so that the scratch folder goes
    print_head(std::cout);
    for (const PlanRow &row : rows) {
        const RowResult result = measure_row(row, settings);
        if (interrupted()) {
            throw UserError("Interrupted; rows that were done are told.");
        }
        results.push_back(result);
        print(std::cout, results.back());
        std::cout.flush();
        file["rows"].push_back(to_json(results.back()));
        file["summary"] = summary(results);
        if (!options.json.empty()) {  // after every row: a run that is stopped keeps what it has
            write_whole("results", options.json, json_lines(file, 2));
        }
    }
}

std::string examples() {
    std::string text = "rows:\n";
    for (const PlanRow &row : fixed_rows()) {
        text += "  " + row.name + std::string(row.name.size() < 18 ? 18 - row.name.size() : 1, ' ') +
                row.about + "\n";
    }
    return text + "  generators/NAME   each of the generator program, gradients among them\n\n"
                  "examples:\n"
                  "  plan_bench --json docs/bench/plan.json\n"
                  "  plan_bench --only 'chain_*' generators/softmax --no-compile\n"
                  "  plan_bench --limits --timeout 60 --memory 4\n"
                  "  plan_bench --before old/libautoschedule_eutectic.so --only 'stencil_*' --timeout 20\n\n"
                  "It runs what is built; scripts/bench plan builds first.";
}

void add_options(CLI::App &app, Options &o) {
    PlanTask &task = o.settings.task;
    app.add_option("--only", o.only, "these rows only; * stands for any text")->type_name("ROW");
    app.add_option("--json", o.json, "write the results to this file, too")->type_name("FILE");
    app.add_option("--before", o.before,
                   "another build's libautoschedule_eutectic.so, which plans in turn with this one")
        ->type_name("PATH");
    app.add_flag("--no-compile", o.no_compile, "plan only");
    app.add_flag(
        "--limits", o.limits,
        "the largest pipelines that are promised to be planned (docs/trust.md) instead, which Halide "
        "then lowers");
    app.add_option("--timeout", task.plan_limit, "CPU seconds after which planning a row is given up")
        ->type_name("S")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    app.add_option("--compile-timeout", task.compile_limit, "the same for compiling what was planned")
        ->type_name("S")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    app.add_option("--memory", task.memory_limit, "memory that a process may take")
        ->type_name("GIB")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--target", o.target,
                   std::string("avx512 (") + avx512 + "), avx2 (" + avx2 + "), or any that Halide knows")
        ->type_name("TARGET")
        ->capture_default_str();
    app.add_option("--effort", task.effort, "the scheduler's parameter")
        ->check(CLI::IsMember({"fast", "best"}))
        ->capture_default_str();
    app.add_option("--parallelism", task.parallelism, "threads to plan for")
        ->type_name("N")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    app.add_option("--plugin", o.plugin, "the scheduler (default: that of the build)")->type_name("PATH");
    app.add_option("--generators", o.settings.generators,
                   "the generator program (default: that of the build)")
        ->type_name("PROGRAM");
    app.add_option("--source", o.source, "the folder whose commit is told")->type_name("FOLDER");
    app.add_option("--child", o.child)->group("");  // an option without a group is not in --help
    app.footer(examples);
}

int main(int argc, char **argv) {
    Options options;
    const fs::path program = fs::canonical("/proc/self/exe");
    options.settings.program = program.string();
    options.settings.generators = (program.parent_path() / "generators").string();
    options.plugin =
        (program.parent_path() / ".." / "lib" / "libautoschedule_eutectic.so").lexically_normal().string();
    options.source = program.parent_path().string();
    CLI::App app("Measures planning: its CPU seconds, the least of three, its memory, and what compiling the "
                 "plan takes beside every Func at Root in vectors.",
                 "plan_bench");
    add_options(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    try {
        if (!options.child.empty()) {
            perform(task_of(options.child));
        } else {
            run(options);
        }
    } catch (const UserError &error) {
        std::cerr << "plan_bench: " << error.what() << "\n";
        return 2;
    } catch (const std::exception &error) {
        std::cerr << "plan_bench: " << error.what() << "\n";
        return 1;
    }
    return 0;
}

}  // namespace

}  // namespace eutectic::bench

int main(int argc, char **argv) {
    return eutectic::bench::main(argc, argv);
}
