// accuracy: how well predicted seconds tell fast plans from slow ones.

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

#include "apps/accuracy/study.h"
#include "apps/accuracy/study_file.h"
#include "apps/bench/measure.h"
#include "apps/bench/results.h"

namespace eutectic::accuracy {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct Options {
    Settings settings;
    std::string json, source, use = "all";
    std::vector<std::string> only;
    // Of child processes:
    std::string child, reference;
    bool write = false, with_stages = false, compile_only = false;
};

std::vector<Subject> chosen(const Options &options) {
    const std::vector<Subject> all = read_subjects(options.settings.rows);
    std::vector<std::string> names;
    for (const Subject &s : all) {
        names.push_back(s.row.name);
    }
    const std::vector<std::string> wanted = bench::choose("generator", names, options.only);
    std::vector<Subject> subjects;
    std::copy_if(all.begin(), all.end(), std::back_inserter(subjects), [&](const Subject &s) {
        return std::find(wanted.begin(), wanted.end(), s.row.name) != wanted.end() &&
               (options.use == "all" || s.fit == (options.use == "fit"));
    });
    return subjects;
}

/// What is committed has no stages, but for the generators that constants are fitted to.
ordered_json without_stages(ordered_json subjects, bool keep) {
    for (ordered_json &subject : subjects) {
        for (ordered_json &plan : subject.at("plans")) {
            if (!keep) {
                plan.erase("stages");
            }
        }
    }
    return subjects;
}

void print(const ordered_json &subjects, const ordered_json &summary) {
    std::printf("%-24s %-7s %6s %6s %12s %12s %12s\n", "generator", "use", "plans", "near", "correlation",
                "near", "chosen/best");
    for (const ordered_json &s : subjects) {
        std::printf("%-24s %-7s %6d %6d %12.3f %12.3f %12.3f\n", s.at("name").get<std::string>().c_str(),
                    s.at("use").get<std::string>().c_str(), s.at("timed").get<int>(), s.at("near").get<int>(),
                    s.at("correlation").get<double>(), s.at("near_correlation").get<double>(),
                    s.at("chosen_over_best").get<double>());
        for (const ordered_json &p : s.at("plans")) {
            if (p.contains("failed")) {
                std::printf("  plan %s: %s\n", p.at("plan").get<std::string>().c_str(),
                            p.at("failed").get<std::string>().c_str());
            }
        }
    }
    std::printf("%-24s %-7s %6s %6s %12.3f %12.3f %12.3f (worst %.3f)\n", "median of those reported", "", "",
                "", summary.at("correlation").get<double>(), summary.at("near_correlation").get<double>(),
                summary.at("chosen_over_best").get<double>(),
                summary.at("chosen_over_best_worst").get<double>());
}

void run(Options &options) {
    const std::vector<Subject> subjects = chosen(options);
    if (!options.child.empty()) {
        std::cout << bench::measure({subjects.at(0).row, options.child, options.reference, options.write,
                                     options.settings.seconds, options.settings.cpu_time})
                  << "\n";
        return;
    }
    Settings &s = options.settings;
    s.threads = s.cpu_time ? 1 : s.threads;
    setenv("HL_NUM_THREADS", std::to_string(s.threads).c_str(), 1);
    const auto start = std::chrono::steady_clock::now();
    s.progress = [&](const std::string &what) {
        std::fprintf(stderr, "[%5.0f s] %s\n",
                     std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                     what.c_str());
    };
    if (options.compile_only) {
        for (const Subject &subject : subjects) {
            compile_plans(subject, s);
        }
        return;
    }
    ordered_json results = ordered_json::array();
    for (const Subject &subject : subjects) {
        results.push_back(study(subject, s));
    }
    const ordered_json summary = summarize(results);
    print(results, summary);
    if (!options.json.empty()) {
        ordered_json file = {{"surroundings", bench::surroundings(options.source)},
                             {"target", s.target},
                             {"clock", s.cpu_time ? "cpu" : "wall"},
                             {"threads", s.threads},
                             {"processes", s.processes},
                             {"seeds", s.seeds},
                             {"summary", summary},
                             {"generators", without_stages(results, options.with_stages)}};
        write_study(options.json, file);
    }
}

void add_options(CLI::App &app, Options &o) {
    const fs::path bin = fs::canonical("/proc/self/exe").parent_path();
    Settings &s = o.settings;
    s.program = (bin / "accuracy").string();
    s.generators = (bin / "generators").string();
    s.plans = (bin / "accuracy_plans").string();
    s.plugin = (bin.parent_path() / "lib" / "libautoschedule_eutectic.so").string();
    s.work = (bin.parent_path() / "accuracy").string();
    s.threads = static_cast<int>(std::thread::hardware_concurrency());
    s.jobs = s.threads;
    app.add_option("--rows", s.rows, "the generators, as JSON")->type_name("FILE")->required();
    app.add_option("--only", o.only, "these generators only")->type_name("NAME");
    app.add_option("--use", o.use, "those that are reported, those that constants are fitted to, or all")
        ->check(CLI::IsMember({"report", "fit", "all"}));
    app.add_option("--target", s.target, "Halide target of the kernels, which this machine can run")
        ->type_name("TARGET");
    app.add_option("--machine", s.machine, "machine file; without one, the target's preset")
        ->type_name("FILE");
    app.add_option("--plans", s.plans_wanted, "plans of each generator")->check(CLI::Range(3, 1000));
    app.add_option("--seeds", s.seeds, "plans drawn, of which those are taken");
    app.add_option("--processes", s.processes, "processes that time each plan")->check(CLI::Range(1, 100));
    app.add_option("--seconds", s.seconds, "timing of each in one process");
    app.add_option("--jobs", s.jobs, "compilations at once");
    app.add_option("--work", s.work, "folder for kernels and for what is timed already")->type_name("FOLDER");
    app.add_flag("--cpu-time", s.cpu_time,
                 "one thread's CPU time, which repeats on a busy machine, instead of wall time on all cores");
    app.add_option("--json", o.json, "write the results here, packed if the name ends in .gz")
        ->type_name("FILE");
    app.add_flag("--with-stages", o.with_stages, "results with what each plan was priced by, for fit");
    app.add_flag("--compile-only", o.compile_only,
                 "compile the plans and time nothing: the machine may have other work meanwhile");
    app.add_option("--source", o.source, "the repository, for the commit's name")->group("");
    app.add_option("--child", o.child)->group("");
    app.add_option("--reference", o.reference)->group("");
    app.add_flag("--write", o.write)->group("");
    app.footer("examples:\n  scripts/accuracy --machine machine.json --json docs/accuracy/cpu.json\n  "
               "scripts/accuracy --only matmul --cpu-time");
}

}  // namespace

}  // namespace eutectic::accuracy

int main(int argc, char **argv) {
    eutectic::accuracy::Options options;
    CLI::App app("Times plans drawn at random and compares their order with that of their predicted times.",
                 "accuracy");
    eutectic::accuracy::add_options(app, options);
    CLI11_PARSE(app, argc, argv);
    try {
        eutectic::accuracy::run(options);
    } catch (const std::exception &e) {
        std::cerr << "accuracy: " << e.what() << "\n";
        return 2;
    }
    return 0;
}
