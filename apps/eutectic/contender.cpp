#include "apps/eutectic/contender.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <new>

#include "apps/eutectic/rounding.h"
#include "apps/eutectic/run_arguments.h"
#include "apps/eutectic/values.h"
#include "apps/support/timing.h"
#include "arena/arena.h"
#include "base/regex.h"
#include "base/user_error.h"
#include "schedules/autoschedule.h"
#include "schedules/hlpipe/load.h"
#include "schedules/hlpipe/messages.h"
#include "schedules/hlpipe/strip.h"
#include "schedules/hlpipe/trial.h"

namespace eutectic {

using namespace Halide;
using nlohmann::json;

namespace {

/** What a row says when there are no numbers. */
struct Stopped {
    std::string status, reason;
};

/** Bytes that a pipeline's allocations hold, counted where they are made. */
struct Allocations {
    std::atomic<int64_t> now{0}, most{0};
};
Allocations allocations;

constexpr size_t before = 64,
                 after = 64;  // Halide reads a little beyond what it asked for; its vectors want 64

void *counted_malloc(JITUserContext *, size_t bytes) {
    void *start = nullptr;
    if (posix_memalign(&start, 64, bytes + before + after) != 0) {
        return nullptr;
    }
    *static_cast<size_t *>(start) = bytes;
    const int64_t now = allocations.now += static_cast<int64_t>(bytes);
    int64_t most = allocations.most;
    while (now > most && !allocations.most.compare_exchange_weak(most, now)) {
    }
    return static_cast<char *>(start) + before;
}

void counted_free(JITUserContext *, void *p) {
    if (p) {
        char *start = static_cast<char *>(p) - before;
        allocations.now -= static_cast<int64_t>(*reinterpret_cast<size_t *>(start));
        std::free(start);
    }
}

double seconds_of(const std::function<void()> &work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/** The longest sum in the pipeline, in terms. */
double longest_reduction(const Graph &graph) {
    double longest = 1;
    for (const Stage &stage : graph.stages) {
        double terms = 1;
        for (const Dim &d : stage.dims) {
            terms *= d.reduction ? static_cast<double>(d.extent) : 1;
        }
        longest = std::max(longest, terms);
    }
    return longest;
}

class Contender {
public:
    explicit Contender(const json &task)
        : task_(task), name_(task.at("scheduler").at("name")), target_(task.at("target").get<std::string>()) {
    }

    json load() {
        load_externs(task_.at("externs"));
        read();
        return json::object();
    }

    json prepare() {
        if (!loaded_.pipeline.defined()) {
            load();
        }
        const std::vector<Func> results = loaded_.pipeline.outputs();
        rounded_ = std::any_of(results.begin(), results.end(), rounds_floats);
        const json scheduler = task_.at("scheduler");
        const double schedule_seconds = seconds_of([&] { schedule(scheduler); });
        int nests = 0;
        count_loop_nests(loaded_.pipeline, &nests);
        const double compile_seconds = seconds_of([&] { loaded_.pipeline.compile_jit(target_); });
        return {{"schedule_seconds", schedule_seconds},
                {"compile_seconds", compile_seconds},
                {"kernels", nests},
                {"terms", terms_}};
    }

    json run() {
        const Shapes shapes(loaded_);
        outputs_ = buffers_at_estimates(loaded_, shapes, &output_names_);
        make_inputs(shapes);
        JITUserContext context;
        context.handlers.custom_malloc = counted_malloc;
        context.handlers.custom_free = counted_free;
        run_once(&context);
        for (Buffer<> &output : outputs_) {
            output.copy_to_host();
        }
        json answer = {{"peak_bytes", allocations.most.load()}};
        if (task_.at("write")) {
            write();
            return answer;
        }
        check(answer);
        return answer;
    }

    json time(double seconds) {
        JITUserContext context;
        if (arena_) {
            context.handlers.custom_malloc = [](JITUserContext *, size_t bytes) {
                return eutectic_arena_malloc(nullptr, bytes);
            };
            context.handlers.custom_free = [](JITUserContext *, void *p) { eutectic_arena_free(nullptr, p); };
        }
        return {{"samples", time_runs([&] { run_once(&context); }, seconds)}};
    }

private:
    json task_;
    std::string name_;
    Target target_;
    LoadedPipeline loaded_;
    double terms_ = 1;
    bool rounded_ = false, arena_ = false;
    std::vector<Buffer<>> outputs_;
    std::vector<std::string> output_names_;
    std::map<std::string, ImpliedRange> ranges_;

    void read() {
        GivenArguments given;
        for (const auto &[name, value] : task_.at("arguments").items()) {
            given.values[name] = value;
        }
        loaded_ = PipelineFile(task_.at("file"), given).load();
        // Halide's schedulers take no pipeline that has directives; `root` is the program that nobody
        // scheduled.
        const bool keeps = name_ == "eutectic" && task_.at("keep_schedule").get<bool>();
        if (name_ != "as-is" && !keeps) {
            strip(loaded_.pipeline);
        }
        require_externs(loaded_.pipeline);
        ranges_ = implied_ranges(loaded_.pipeline);
    }

    void schedule(const json &scheduler) {
        if (name_ == "as-is") {
            return;
        }
        const std::map<std::string, std::string> parameters = scheduler.at("parameters");
        if (name_ == "root" || name_ == "eutectic") {
            const Parameters how = parse_parameters(parameters);
            const Scheduled scheduled = eutectic::schedule(loaded_.pipeline, target_, how, false);
            arena_ = how.arena;
            terms_ = longest_reduction(scheduled.graph);
            return;
        }
        load_plugin(scheduler.at("plugin"));
        loaded_.pipeline.apply_autoscheduler(target_, {name_, parameters});
    }

    void make_inputs(const Shapes &shapes) {
        const std::map<std::string, std::string> sources = task_.at("inputs");
        require_inputs(loaded_, task_.at("title"), sources);
        std::vector<Parameter> buffers;
        for (auto &[name, parameter] : loaded_.parameters) {
            if (parameter.is_buffer()) {
                buffers.push_back(parameter);
            } else {
                parameter.set_scalar(parameter.type(), estimated_scalar(parameter));
            }
        }
        size_inputs(shapes, buffers);
        for (Parameter &p : buffers) {
            if (p.buffer().defined()) {  // else nothing reads it
                p.set_buffer(with_values(p.buffer(), p, ranges_, sources));
            }
        }
    }

    /** Gives every input that is read a buffer. What is estimated has that size: where a loop's length is the
     * input's own size (a sum over all of x), a bounds query knows of nothing to ask for. All else, and all
     * when the estimates do not fit the outputs, is as large as the query says. */
    void size_inputs(const Shapes &shapes, std::vector<Parameter> &buffers) {
        bool all = true;
        for (Parameter &p : buffers) {
            const Buffer<> estimated = shapes.buffer(p);
            all = all && estimated.defined();
            p.set_buffer(estimated);
        }
        try {
            if (!all) {
                ask_for_sizes();
            }
            run_once(nullptr);
        } catch (const HalideError &e) {
            if (!Regex("is accessed (at|before)|was accessed|beyond|less than|smaller").found_in(e.what())) {
                throw;
            }
            for (Parameter &p : buffers) {
                p.set_buffer(Buffer<>());
            }
            ask_for_sizes();
        }
    }

    void ask_for_sizes() {
        Realization outputs(outputs_);
        loaded_.pipeline.infer_input_bounds(Pipeline::RealizationArg(outputs), target_);
    }

    /** Until its results are there: kernels on a device run on after the call. */
    void run_once(JITUserContext *context) {
        Realization outputs(outputs_);  // handles
        loaded_.pipeline.realize(context, Pipeline::RealizationArg(outputs), target_);
        for (Buffer<> &output : outputs_) {
            output.device_sync();
        }
    }

    std::string tensor(size_t i) const {
        return task_.at("tensors").get<std::string>() + "/" + std::to_string(i) + ".bin";
    }

    void write() const {
        for (size_t i = 0; i < outputs_.size(); i++) {
            std::ofstream file(tensor(i), std::ios::binary);
            file.write(static_cast<const char *>(outputs_[i].data()),
                       static_cast<std::streamsize>(outputs_[i].size_in_bytes()));
            if (!file.flush()) {
                throw UserError("The results of the unfused program cannot be written to " + tensor(i) +
                                ": check that there is room.");
            }
        }
    }

    void check(json &answer) const {
        double worst = 0;
        bool agrees = true;
        std::string reason;
        for (size_t i = 0; i < outputs_.size(); i++) {
            Buffer<> reference = buffer_like(outputs_[i]);
            std::ifstream file(tensor(i), std::ios::binary);
            if (!file.read(static_cast<char *>(reference.data()),
                           static_cast<std::streamsize>(reference.size_in_bytes()))) {
                throw Stopped{"wrong", "the unfused program's " + output_names_[i] + " has another size"};
            }
            const Difference d =
                compare(outputs_[i], reference,
                        {task_.at("terms"), target_.has_feature(Target::StrictFloat), rounded_});
            worst = std::max(worst, d.largest);
            if (!d.agrees && reason.empty()) {
                reason = output_names_[i] + " differs from the unfused program's";
            }
            if ((d.all_nan || d.all_zero) && reason.empty()) {
                reason =
                    "every value of " + output_names_[i] + " is " + (d.all_nan ? "NaN" : "0") +
                    " in the unfused program as well, which compares nothing: give other values as --input";
            }
            agrees = agrees && d.agrees && !d.all_nan && !d.all_zero;
        }
        answer["max_error"] = std::isfinite(worst) ? json(worst) : json();
        answer["agrees"] = agrees;
        answer["reason"] = reason;
    }
};

json answer(Contender &contender, const std::string &question) {
    try {
        return question == "load"      ? contender.load()
               : question == "prepare" ? contender.prepare()
               : question == "run"     ? contender.run()
                                       : contender.time(std::stod(question.substr(question.find(' '))));
    } catch (const Stopped &s) {
        return {{"status", s.status}, {"reason", s.reason}};
    } catch (const UserError &e) {
        return {{"status", "refused"}, {"reason", e.what()}};
    } catch (const HalideError &e) {
        return {{"status", question == "run" || question.rfind("time", 0) == 0 ? "crash" : "unsupported"},
                {"reason", e.what()}};
    } catch (const std::bad_alloc &) {
        return {{"status", "memory"}, {"reason", "there was no more memory to be had"}};
    } catch (const std::exception &e) {
        return {{"status", "crash"}, {"reason", e.what()}};
    }
}

}  // namespace

int contend(const json &task) {
    // Answers go where standard output went; what a scheduler prints does not.
    const int answers = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    setenv("HL_NUM_THREADS", std::to_string(task.at("threads").get<int>()).c_str(), 1);
    listen_to_halide();
    Contender contender(task);
    for (std::string question; std::getline(std::cin, question);) {
        const std::string line =
            answer(contender, question).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
        if (write(answers, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
            return 2;
        }
    }
    return 0;
}

}  // namespace eutectic
