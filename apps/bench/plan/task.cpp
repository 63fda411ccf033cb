#include "apps/bench/plan/task.h"

#include "base/user_error.h"
#include "schedules/hlpipe/load.h"
#include "schedules/hlpipe/messages.h"
#include "schedules/hlpipe/strip.h"
#include "schedules/hlpipe/vectorized_root.h"

#include <nlohmann/json.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>
#include <iostream>
#include <new>

namespace eutectic::bench {

namespace {

using namespace Halide;
using nlohmann::json;

/// Not of clock_gettime(): under a limit of seconds, Linux moves the process's clock on at its ticks alone.
double cpu_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void tell(const json &what) {
    std::cout << what << "\n" << std::flush;
}

extern "C" void out_of_time(int) {
    // A signal may come at any instruction: nothing but system calls here.
    constexpr char line[] = "{\"given_up\": true}\n";
    const ssize_t written = write(STDOUT_FILENO, line, sizeof line - 1);
    _exit(written < 0 ? 1 : 0);
}

/// The process may go on for so many seconds of CPU time, counted in whole ones.
void limit_seconds(double more) {
    rlimit limit{};
    getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = static_cast<rlim_t>(std::ceil(cpu_seconds() + more));
    setrlimit(RLIMIT_CPU, &limit);
}

void set_limits(const PlanTask &task) {
    std::signal(SIGXCPU, out_of_time);
    const auto bytes = static_cast<rlim_t>(task.memory_limit * (1 << 30));
    const rlimit data{bytes, bytes}, core{0, 0};
    setrlimit(RLIMIT_DATA, &data);
    setrlimit(RLIMIT_CORE, &core);
}

/// Of memory that this process has held at most, since forget_peak().
int64_t peak_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word == "VmHWM:") {
            int64_t kib = 0;
            status >> kib;
            return kib * 1024;
        }
    }
    return 0;
}

/// From now on the peak is what is held now. Where the kernel has no such file, the peak of what came before
/// stays.
void forget_peak() {
    std::ofstream("/proc/self/clear_refs") << "5";
}

Pipeline pipeline_of(const PlanTask &task) {
    if (!task.file.empty()) {
        const LoadedPipeline loaded = PipelineFile(task.file, {}).load();
        strip(loaded.pipeline);
        return loaded.pipeline;
    }
    for (const std::vector<PlanRow> &rows : {fixed_rows(), limit_rows()}) {
        for (const PlanRow &row : rows) {
            if (row.name == task.row && row.build) {
                return row.build();
            }
        }
    }
    throw UserError("There is no row '" + task.row + "' that is made in code.");
}

void plan(const Pipeline &pipeline, const PlanTask &task, const Target &target) {
    load_plugin(task.plugin);
    const std::string parallelism = std::to_string(task.parallelism);
    forget_peak();
    limit_seconds(task.plan_limit);
    const int64_t bytes = peak_bytes();
    const double start = cpu_seconds();
    pipeline.apply_autoscheduler(target,
                                 {"Eutectic", {{"parallelism", parallelism}, {"effort", task.effort}}});
    tell({{"plan_seconds", cpu_seconds() - start},
          {"peak_bytes", std::max<int64_t>(0, peak_bytes() - bytes)}});
}

void compile(const Pipeline &made, const PlanTask &task, const Target &target) {
    Pipeline pipeline = made;
    limit_seconds(task.compile_limit);
    const double start = cpu_seconds();
    pipeline.compile_to_object(task.object, pipeline.infer_arguments(), "kernel",
                               target.with_feature(Target::NoRuntime));
    tell({{"compile_seconds", cpu_seconds() - start}});
}

/// Halide's loops and statements of what was scheduled, without any code.
void lower(const Pipeline &made, const PlanTask &task, const Target &target) {
    Pipeline pipeline = made;
    limit_seconds(task.compile_limit);
    const double start = cpu_seconds();
    pipeline.compile_to_module(pipeline.infer_arguments(), "kernel", target.with_feature(Target::NoRuntime));
    tell({{"lower_seconds", cpu_seconds() - start}});
}

void work(const PlanTask &task) {
    const Target target(task.target);
    const double start = cpu_seconds();
    const Pipeline pipeline = pipeline_of(task);
    const double defined = cpu_seconds() - start;
    const int funcs = count_funcs(pipeline);
    tell({{"funcs", funcs}, {"define_seconds", defined}});
    if (task.plugin.empty()) {
        vectorized_root(pipeline, target);
    } else {
        plan(pipeline, task, target);
    }
    if (task.lower) {
        lower(pipeline, task, target);
    }
    if (task.object.empty()) {
        return;
    }
    if (funcs > most_compiled_funcs) {
        tell({{"not_compiled", "it has more than " + std::to_string(most_compiled_funcs) + " Funcs"}});
        return;
    }
    compile(pipeline, task, target);
}

}  // namespace

std::string to_text(const PlanTask &t) {
    const json text = {{"row", t.row},
                       {"file", t.file},
                       {"plugin", t.plugin},
                       {"target", t.target},
                       {"parallelism", t.parallelism},
                       {"effort", t.effort},
                       {"object", t.object},
                       {"lower", t.lower},
                       {"plan_limit", t.plan_limit},
                       {"compile_limit", t.compile_limit},
                       {"memory_limit", t.memory_limit}};
    return text.dump();
}

PlanTask task_of(const std::string &text) {
    const json t = json::parse(text);
    return {t.at("row"),         t.at("file"),          t.at("plugin"),      t.at("target"),
            t.at("parallelism"), t.at("effort"),        t.at("object"),      t.at("lower"),
            t.at("plan_limit"),  t.at("compile_limit"), t.at("memory_limit")};
}

void perform(const PlanTask &task) {
    listen_to_halide();
    set_limits(task);
    try {
        work(task);
    } catch (const std::bad_alloc &) {
        tell({{"failed",
               "It takes more than " + std::to_string(std::lround(task.memory_limit)) + " GiB of memory."}});
    } catch (const std::exception &error) {
        tell({{"failed", error.what()}});
    } catch (const Halide::Error &error) {
        tell({{"failed", error.what()}});
    }
}

}  // namespace eutectic::bench
