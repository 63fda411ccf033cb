#include "apps/eutectic/entrant.h"

#include <unistd.h>

#include <type_traits>
#include <utility>

namespace eutectic {

using nlohmann::json;

namespace {

const char *status_of(Ending ending) {
    return ending == Ending::timeout ? "timeout" : ending == Ending::memory ? "memory" : "crash";
}

}  // namespace

Entrant::Entrant(json task, const std::string &file, const Scheduler &scheduler, const ContestLimits &limits,
                 bool write)
    : limits_(limits) {
    row_.file = file;
    row_.scheduler = scheduler.name;
    task["write"] = write;
    task["scheduler"] = {
        {"name", scheduler.name}, {"plugin", scheduler.plugin}, {"parameters", scheduler.parameters}};
    if (!scheduler.unsupported.empty()) {
        stop("unsupported", scheduler.unsupported);
        return;
    }
    const std::string self = "/proc/" + std::to_string(getpid()) + "/exe";
    worker_ = std::make_unique<Worker>(std::vector<std::string>{self, "--contender", task.dump()},
                                       int64_t{limits.memory} << 20);
}

json Entrant::ask(const std::string &question, const std::string &doing) {
    if (!runs()) {
        return json();
    }
    const Finished finished = worker_->ask(question, limits_.timeout);
    if (finished.ending == Ending::interrupted) {
        return json();
    }
    if (!finished.failure.empty()) {
        row_.status = status_of(finished.ending);
        row_.reason = doing + ": " + finished.failure;
        return json();
    }
    json answer = json::parse(finished.output, nullptr, false);
    if (!answer.is_object()) {
        row_.status = "crash";
        row_.reason = doing + ": no answer that makes sense";
        return json();
    }
    if (answer.contains("status")) {
        const bool refused = answer.at("status") == "refused";
        row_.status = refused ? "unsupported" : answer.at("status").get<std::string>();
        row_.reason = answer.at("reason");
        refused_ = refused ? row_.reason : "";
        return json();
    }
    take(answer);
    return answer;
}

std::vector<double> Entrant::time(const std::string &doing) {
    const json answer = ask("time " + std::to_string(limits_.seconds), doing);
    if (!answer.is_object()) {
        return {};
    }
    const auto samples = answer.at("samples").get<std::vector<double>>();
    samples_.insert(samples_.end(), samples.begin(), samples.end());
    return samples;
}

void Entrant::stop(const std::string &status, const std::string &reason) {
    row_.status = status;
    row_.reason = reason;
    worker_.reset();
}

ComparisonRow Entrant::finished() const {
    ComparisonRow row = row_;
    if (!samples_.empty()) {
        row.seconds = summarize(samples_);
    }
    return row;
}

void Entrant::take(const json &answer) {
    const auto set = [&](const char *key, auto &to) {
        if (answer.contains(key) && !answer.at(key).is_null()) {
            to = answer.at(key).get<typename std::decay_t<decltype(to)>::value_type>();
        }
    };
    set("schedule_seconds", row_.schedule_seconds);
    set("compile_seconds", row_.compile_seconds);
    set("kernels", row_.kernels);
    set("peak_bytes", row_.peak_bytes);
    set("max_error", row_.max_error);
    if (row_.scheduler == "root" && row_.peak_bytes) {
        row_.max_error = 0;
    }
    if (answer.contains("agrees") && !answer.at("agrees")) {
        row_.status = "wrong";
        row_.reason = answer.at("reason");
    }
}

}  // namespace eutectic
