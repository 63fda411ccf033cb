#include "apps/eutectic/profiled.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "apps/eutectic/run_arguments.h"
#include "arena/arena.h"
#include "base/process.h"
#include "base/said.h"
#include "base/user_error.h"

namespace eutectic {

using namespace Halide;

namespace {

constexpr double most_linking = 120;  // seconds: it takes less than one

void link(const std::string &library, const std::string &object) {
    for (const char *compiler : {"c++", "g++", "clang++", "cc"}) {
        const Finished finished = run_process(
            {"/usr/bin/env", compiler, "-shared", "-o", library, object, "-lpthread", "-ldl", "-lm"},
            most_linking);
        if (finished.failure.empty()) {
            return;
        }
        if (finished.failure.find("exit status 127") == std::string::npos) {
            throw UserError("The profiled pipeline cannot be linked by " + std::string(compiler) + " (" +
                            finished.failure + "): check that it can make shared libraries.");
        }
    }
    throw UserError("There is no compiler to link the profiled pipeline with: install one that is called "
                    "c++, such as Debian's g++.");
}

template<typename Function>
Function *symbol(void *library, const std::string &name) {
    void *found = dlsym(library, name.c_str());
    if (!found) {
        throw UserError("The profiled pipeline lacks " + name + ": leave out targets such as no_runtime.");
    }
    return reinterpret_cast<Function *>(found);
}

/** The arguments of a call, in the function's order. */
class CallArguments {
public:
    CallArguments(const LoadedPipeline &loaded, const Target &target,
                  const std::map<std::string, std::string> &sources) {
        if (target.has_feature(Target::UserContext)) {
            pointers_.push_back(static_cast<void *>(&user_context_));
        }
        const std::map<std::string, ImpliedRange> ranges = implied_ranges(loaded.pipeline);
        const Shapes shapes(loaded);
        scalars_.reserve(loaded.inputs.size());
        buffers_.reserve(loaded.inputs.size());
        for (const Argument &a : loaded.inputs) {
            const auto known = loaded.parameters.find(a.name);
            if (!a.is_buffer()) {
                scalars_.push_back(known == loaded.parameters.end() ? halide_scalar_value_t()
                                                                    : estimated_scalar(known->second));
                pointers_.push_back(&scalars_.back());
                continue;
            }
            buffers_.push_back(known == loaded.parameters.end()
                                   ? Buffer<>(a.type, std::vector<int>(a.dimensions, 1))
                                   : input_at_estimates(known->second, shapes, ranges, sources));
            pointers_.push_back(buffers_.back().raw_buffer());
        }
        outputs_ = buffers_at_estimates(loaded, shapes);
        for (Buffer<> &b : outputs_) {
            pointers_.push_back(b.raw_buffer());
        }
    }

    void **pointers() {
        return pointers_.data();
    }

private:
    std::vector<halide_scalar_value_t> scalars_;
    std::vector<Buffer<>> buffers_, outputs_;
    std::vector<void *> pointers_;
    const void *user_context_ = nullptr;
};

std::string failure;  // what the pipeline said last

void hear(void *, const char *message) {
    failure = on_one_line(message);
}

ProfiledRun collect(const halide_profiler_pipeline_stats &stats) {
    ProfiledRun run;
    run.runs = stats.runs;
    run.samples = stats.samples;
    const double runs = std::max(1, stats.runs);
    run.seconds = 1e-9 * static_cast<double>(stats.time) / runs;
    run.peak_bytes = static_cast<int64_t>(stats.memory_peak);
    // Runs shorter than the time between two looks are often not seen at all; those that are tell how all of
    // them spend their time.
    double seen = 0;
    for (int f = 0; f < stats.num_funcs; f++) {
        seen += static_cast<double>(stats.funcs[f].time);
    }
    const double scale = seen > 0 ? static_cast<double>(stats.time) / seen : 0;
    for (int f = 0; f < stats.num_funcs; f++) {
        const halide_profiler_func_stats &s = stats.funcs[f];
        run.funcs.push_back({s.name, 1e-9 * scale * static_cast<double>(s.time) / runs,
                             static_cast<int64_t>(static_cast<double>(s.memory_total) / runs),
                             static_cast<int64_t>(s.memory_peak)});
    }
    return run;
}

}  // namespace

ProfiledRun run_profiled(LoadedPipeline &loaded, const Target &target,
                         const std::map<std::string, std::string> &sources, int threads, bool arena,
                         double seconds, const ScratchFolder &folder) {
    CallArguments arguments(loaded, target, sources);
    const std::string function = "profiled_pipeline", object = folder.file("profiled.o"),
                      library = folder.file("profiled.so");
    loaded.pipeline.compile_to_module(loaded.inputs, function, target.with_feature(Target::Profile))
        .compile({{OutputFileType::object, object}});
    link(library, object);
    setenv("HL_NUM_THREADS", std::to_string(threads).c_str(), 1);
    void *const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        throw UserError("The profiled pipeline cannot be loaded (" + std::string(dlerror()) +
                        "): give the functions that it calls as --extern LIB.so.");
    }
    auto *const call = symbol<int(void **)>(handle, function + "_argv");
    auto *const state = symbol<halide_profiler_state *()>(handle, "halide_profiler_get_state");
    auto *const reset = symbol<void()>(handle, "halide_profiler_reset");
    // It would end the process.
    symbol<halide_error_handler_t(halide_error_handler_t)>(handle, "halide_set_error_handler")(hear);
    if (arena) {  // all that this library allocates is the pipeline's
        symbol<halide_malloc_t(halide_malloc_t)>(handle, "halide_set_custom_malloc")(eutectic_arena_malloc);
        symbol<halide_free_t(halide_free_t)>(handle, "halide_set_custom_free")(eutectic_arena_free);
    }
    const auto run = [&] {
        if (const int status = call(arguments.pointers())) {
            state()->instances = nullptr;  // a run that fails leaves itself there
            reset();                       // else it prints at exit
            throw UserError("The pipeline failed with status " + std::to_string(status) + ": " + failure);
        }
    };
    run();  // wakes the threads
    reset();
    const auto start = std::chrono::steady_clock::now();
    do {
        run();
    } while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds);
    const halide_profiler_pipeline_stats *const stats = state()->pipelines;
    if (!stats) {
        throw UserError("Halide's profiler saw no run: leave out targets that have none.");
    }
    const ProfiledRun result = collect(*stats);
    reset();
    return result;
}

}  // namespace eutectic
