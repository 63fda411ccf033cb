// eutectic compare: this scheduler, others and none at all, each in a process of its own.

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <thread>

#include "apps/eutectic/commands.h"
#include "apps/eutectic/comparison.h"
#include "apps/eutectic/guard.h"
#include "apps/eutectic/input.h"
#include "apps/eutectic/run_arguments.h"
#include "apps/eutectic/schedulers.h"
#include "base/process.h"
#include "base/user_error.h"
#include "base/write_whole.h"

namespace eutectic {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

struct Options {
    InputOptions input;
    SchedulingOptions scheduling;
    std::vector<std::string> against, plugins, inputs, externs;
    double timeout = 60;
    double seconds = 0.2;  ///< timed in each round
    int memory = 0;        ///< MiB; 0: half of the machine's
    bool json = false;
    std::string html;
};

constexpr int rounds = 3;  // contenders take turns, so that a slow minute of the machine is everybody's

/** What is being done, where someone looks on. */
class Progress {
public:
    void show(const std::string &what) const {
        if (on_) {
            std::fprintf(stderr, "\r\033[K%s", what.c_str());
            std::fflush(stderr);
        }
    }
    ~Progress() {
        show("");
    }

private:
    bool on_ = isatty(STDERR_FILENO) == 1;
};

const char *status_of(Ending ending) {
    return ending == Ending::timeout ? "timeout" : ending == Ending::memory ? "memory" : "crash";
}

/** One scheduler's process and its row. */
struct Entrant {
    ComparisonRow row;
    std::unique_ptr<Worker> worker;
    std::vector<double> samples;

    bool runs() const {
        return worker && worker->alive() && row.status == "ok";
    }
};

/** One pipeline under all schedulers. */
class Comparison {
public:
    Comparison(const Options &options, const std::vector<Scheduler> &schedulers, const Progress &progress,
               std::string title)
        : options_(options),
          schedulers_(schedulers),
          progress_(progress),
          title_(std::move(title)),
          tensors_(fs::temp_directory_path().string()) {
    }

    /** `task`: what all contenders have in common. `refused` becomes the sentence by which the pipeline
     * itself was refused. */
    std::vector<ComparisonRow> hold(const std::string &file, json task, std::string &refused) {
        task["tensors"] = tensors_.file("");
        Entrant reference = enter(file, task, root_of(schedulers_), true);
        load(reference, file);
        const json prepared = ask(reference, "prepare", "scheduling and compiling");
        take(reference, prepared);
        take(reference, ask(reference, "run", "running"));
        task["terms"] = prepared.is_object() ? prepared.at("terms") : json(1);
        const std::string no_reference =
            reference.runs()
                ? ""
                : "there are no results of the unfused program to compare with: " + reference.row.reason;
        refused = refused_;
        std::vector<Entrant> entrants;
        for (const Scheduler &s : schedulers_) {
            if (interrupted()) {
                break;
            }
            if (s.name == "root") {
                entrants.push_back(std::move(reference));
            } else {
                entrants.push_back(enter(file, task, s, false));
                contest(entrants.back(), no_reference);
            }
        }
        time(entrants);
        std::vector<ComparisonRow> rows;
        for (Entrant &e : entrants) {
            if (!e.samples.empty()) {
                e.row.seconds = summarize(e.samples);
            }
            if (e.row.seconds || e.row.status != "ok") {  // what the user stopped is no row
                rows.push_back(e.row);
            }
        }
        return rows;
    }

private:
    const Options &options_;
    const std::vector<Scheduler> &schedulers_;
    const Progress &progress_;
    std::string title_, refused_;
    ScratchFolder tensors_;
    const std::string self_ = "/proc/" + std::to_string(getpid()) +
                              "/exe";  // this program, even if its file is built anew meanwhile

    static Scheduler root_of(const std::vector<Scheduler> &schedulers) {
        const auto at = std::find_if(schedulers.begin(), schedulers.end(),
                                     [](const Scheduler &s) { return s.name == "root"; });
        return at == schedulers.end() ? root_scheduler(schedulers.front()) : *at;
    }

    Entrant enter(const std::string &file, json task, const Scheduler &scheduler, bool write) const {
        Entrant entrant;
        entrant.row.file = file;
        entrant.row.scheduler = scheduler.name;
        task["write"] = write;
        task["scheduler"] = {
            {"name", scheduler.name}, {"plugin", scheduler.plugin}, {"parameters", scheduler.parameters}};
        if (scheduler.unsupported.empty()) {
            entrant.worker = std::make_unique<Worker>(
                std::vector<std::string>{self_, "--contender", task.dump()}, int64_t{options_.memory} << 20);
        } else {
            entrant.row.status = "unsupported";
            entrant.row.reason = scheduler.unsupported;
        }
        return entrant;
    }

    void contest(Entrant &entrant, const std::string &no_reference) {
        if (!refused_.empty() && entrant.runs()) {
            entrant.row.status = "unsupported";
            entrant.row.reason = refused_;
        }
        take(entrant, ask(entrant, "prepare", "scheduling and compiling"));
        if (entrant.runs() && !no_reference.empty()) {
            entrant.row.status = "unsupported";
            entrant.row.reason = no_reference;
        }
        take(entrant, ask(entrant, "run", "running"));
    }

    /** What ends a process while it reads is no pipeline. */
    void load(Entrant &reference, const std::string &file) {
        ask(reference, "load", "reading");
        if (reference.row.status == "crash" || reference.row.status == "memory" ||
            reference.row.status == "timeout") {
            refused_ = "The file " + file + " is no serialized Halide pipeline, or a damaged one (" +
                       reference.row.reason + "): write one with a generator's -e hlpipe.";
            reference.row.status = "unsupported";
            reference.row.reason = refused_;
        }
    }

    /** The answer; null if there is none, which the row then says. */
    json ask(Entrant &entrant, const std::string &question, const std::string &doing) {
        if (!entrant.runs()) {
            return json();
        }
        progress_.show(title_ + ", " + entrant.row.scheduler + ": " + doing);
        const Finished finished = entrant.worker->ask(question, options_.timeout);
        if (finished.ending == Ending::interrupted) {
            return json();
        }
        if (!finished.failure.empty()) {
            entrant.row.status = status_of(finished.ending);
            entrant.row.reason = doing + ": " + finished.failure;
            return json();
        }
        const json answer = json::parse(finished.output, nullptr, false);
        if (!answer.is_object()) {
            entrant.row.status = "crash";
            entrant.row.reason = doing + ": no answer that makes sense";
            return json();
        }
        if (answer.contains("status")) {
            const bool refused = answer.at("status") == "refused";
            entrant.row.status = refused ? "unsupported" : answer.at("status").get<std::string>();
            entrant.row.reason = answer.at("reason");
            refused_ = refused && entrant.row.scheduler == "root" ? entrant.row.reason : refused_;
            return json();
        }
        return answer;
    }

    static void take(Entrant &entrant, const json &answer) {
        if (!answer.is_object()) {
            return;
        }
        const auto set = [&](const char *key, auto &to) {
            if (answer.contains(key) && !answer.at(key).is_null()) {
                to = answer.at(key).get<typename std::decay_t<decltype(to)>::value_type>();
            }
        };
        ComparisonRow &row = entrant.row;
        set("schedule_seconds", row.schedule_seconds);
        set("compile_seconds", row.compile_seconds);
        set("kernels", row.kernels);
        set("peak_bytes", row.peak_bytes);
        set("max_error", row.max_error);
        if (row.scheduler == "root" && row.peak_bytes) {
            row.max_error = 0;
        }
        if (answer.contains("agrees") && !answer.at("agrees")) {
            row.status = "wrong";
            row.reason = answer.at("reason");
        }
    }

    void time(std::vector<Entrant> &entrants) {
        for (int round = 0; round < rounds; round++) {
            for (size_t i = 0; i < entrants.size() && !interrupted(); i++) {
                Entrant &e = entrants[(i + static_cast<size_t>(round)) % entrants.size()];
                const json answer =
                    ask(e, "time " + std::to_string(options_.seconds),
                        "timing, " + std::to_string(round + 1) + " of " + std::to_string(rounds));
                if (answer.is_object()) {
                    const auto samples = answer.at("samples").get<std::vector<double>>();
                    e.samples.insert(e.samples.end(), samples.begin(), samples.end());
                }
            }
        }
    }
};

/** The .hlpipe files that were named, those in folders included. */
std::vector<std::string> files_of(const InputOptions &input) {
    std::vector<std::string> files;
    for (const std::string &word : input.words) {
        if (!fs::is_directory(word)) {
            files.push_back(word);
            continue;
        }
        std::vector<std::string> inside;
        for (const fs::directory_entry &entry : fs::directory_iterator(word)) {
            if (entry.path().extension() == ".hlpipe") {
                inside.push_back(entry.path().string());
            }
        }
        if (inside.empty()) {
            throw UserError("The folder " + word +
                            " holds no .hlpipe file: write some with a generator's -e hlpipe.");
        }
        std::sort(inside.begin(), inside.end());
        files.insert(files.end(), inside.begin(), inside.end());
    }
    return files;
}

int memory_limit() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    long kilobytes = 0;
    file >> word >> kilobytes;
    return static_cast<int>(std::max(kilobytes / 1024 / 2, 1024L));
}

ordered_json machine_json(const std::string &target, int threads) {
    std::ifstream file("/proc/cpuinfo");
    std::string cpu = "unknown";
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) == 0) {
            cpu = line.substr(line.find(':') + 2);
            break;
        }
    }
    return {{"cpu", cpu}, {"threads", threads}, {"target", target}};
}

/** What all contenders of all files have in common. */
json common_task(const Options &options, const std::string &target, int threads) {
    json task = {{"target", target},
                 {"threads", threads},
                 {"externs", json::array()},
                 {"arguments", json::object()},
                 {"inputs", json::object()}};
    for (const std::string &library : options.externs) {
        task["externs"].push_back(fs::absolute(library).string());
    }
    for (const auto &[name, text] : named_texts(options.input.arguments, "--arg")) {
        task["arguments"][name] = text;
    }
    task["inputs"] = input_texts(options.inputs);
    return task;
}

int report(const Options &options, const std::vector<ComparisonRow> &rows, const std::string &target,
           int threads) {
    const ordered_json machine = machine_json(target, threads);
    std::cout << (options.json ? to_json(machine, rows).dump(2) + "\n" : to_text(rows));
    if (!options.html.empty()) {
        write_whole("page", options.html, compare_page(machine, rows));
    }
    if (interrupted()) {
        return 128 + SIGINT;
    }
    const bool differs = std::any_of(rows.begin(), rows.end(), [](const ComparisonRow &r) {
        return r.status == "wrong" || (r.scheduler == "eutectic" && r.status != "ok");
    });
    return differs ? 1 : 0;
}

int compare_all(Options options) {
    const std::vector<Halide::Target> asked = targets(options.scheduling);
    if (asked.size() != 1) {
        throw UserError("compare was given " + std::to_string(asked.size()) +
                        " targets, and programs run on one: give one --target.");
    }
    require_runnable(asked.front());
    refuse_keep_schedule(options.input);
    const int threads = options.scheduling.parallelism > 0
                            ? options.scheduling.parallelism
                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    options.scheduling.parallelism = threads;
    parameters(options.scheduling);  // refuses what is wrong with them before anything has run
    std::map<std::string, std::string> how = as_text(options.scheduling);
    how["parallelism"] = std::to_string(threads);
    const std::vector<Scheduler> schedulers =
        contenders(options.against, options.plugins, asked.front(), how, threads);
    if (!options.html.empty()) {
        require_writable("page", options.html);  // before all the work, not after it
    }
    options.memory = options.memory > 0 ? options.memory : memory_limit();
    const json task = common_task(options, asked.front().to_string(), threads);

    // A generator's pipeline is made once, with its own directives.
    std::unique_ptr<ScratchFolder> folder;
    std::vector<std::string> files, names;
    if (options.input.generator.empty()) {
        files = names = files_of(options.input);
    } else {
        folder = std::make_unique<ScratchFolder>(fs::temp_directory_path().string());
        files = {Input(options.input).save(asked.front(), *folder)};
        names = {Input(options.input).name()};
    }
    keep_interrupts();
    std::vector<ComparisonRow> rows;
    {
        const Progress progress;
        for (size_t f = 0; f < files.size() && !interrupted(); f++) {
            json of_file = task;
            of_file["file"] = files[f];
            of_file["title"] = names[f];
            std::string refused;
            const std::string title =
                "[" + std::to_string(f + 1) + "/" + std::to_string(files.size()) + "] " + names[f];
            const std::vector<ComparisonRow> more =
                Comparison(options, schedulers, progress, title).hold(names[f], of_file, refused);
            if (!refused.empty() && files.size() == 1) {
                throw UserError(refused);
            }
            rows.insert(rows.end(), more.begin(), more.end());
        }
    }
    return report(options, rows, asked.front().to_string(), threads);
}

}  // namespace

void add_compare(CLI::App &app, Run &run) {
    const auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand("compare", "Runs this scheduler, Halide's, the schedule in the "
                                                      "file and none, checks their results, and times them.");
    add_input_options(*command, options->input);
    add_scheduling_options(*command, options->scheduling, false);
    command
        ->add_option("--against", options->against,
                     "schedulers, separated by commas (default: all that there are)")
        ->type_name("NAME,NAME")
        ->delimiter(',');
    command
        ->add_option("--plugin", options->plugins,
                     "one more scheduler, by the name that it registers; its parameters follow")
        ->type_name("NAME=LIB.so[,KEY=VALUE]");
    add_value_options(*command, options->inputs, options->externs);
    command
        ->add_option("--timeout", options->timeout,
                     "seconds for each step of a scheduler's row (default: 60)")
        ->type_name("S")
        ->check(CLI::Range(1.0, 86400.0));
    command
        ->add_option("--seconds", options->seconds,
                     "seconds that each scheduler's program is timed for, three times (default: 0.2)")
        ->type_name("S")
        ->check(CLI::Range(0.001, 600.0));
    command
        ->add_option("--memory", options->memory,
                     "MiB that a scheduler's process may take (default: half of the machine's)")
        ->type_name("MIB")
        ->check(CLI::Range(64, 1 << 24));
    command
        ->add_option("--html", options->html,
                     "write a page with the table, to sort and to filter, and bars; it needs no network")
        ->type_name("FILE.html");
    command->add_flag("--json", options->json, "print {machine, rows} as JSON");
    command->footer("examples:\n"
                    "  eutectic compare dense.hlpipe\n"
                    "  eutectic compare build/generators -g dense m=64 --against root,Adams2019\n"
                    "  eutectic compare pipelines/ --timeout 20 --json > rows.json\n"
                    "  eutectic compare pipelines/ --html comparison.html\n"
                    "  eutectic compare dense.hlpipe --input 'x=uniform(0,1)' --plugin Mine=./libmine.so\n\n"
                    "Each scheduler works in a process of its own: one that crashes, hangs or takes all "
                    "memory costs its row.\n"
                    "Results are compared with the unfused program's. Ctrl-C leaves the table of what was "
                    "done. The status is\n"
                    "1 when results differ, or when this scheduler has none.");
    command->callback([options, &run] { run = [options] { return compare_all(*options); }; });
}

}  // namespace eutectic
