#include "apps/eutectic/plan_bench.h"

#include <algorithm>
#include <filesystem>
#include <future>

#include "base/user_error.h"
#include "base/write_whole.h"

namespace eutectic {

namespace fs = std::filesystem;
using nlohmann::json;

PlanBench::PlanBench(const TuneTask &task, bool in_company)
    : task_(task), folder_(fs::temp_directory_path().string()), turns_(in_company) {
}

Entrant PlanBench::entrant(const Scheduler &scheduler, bool write) const {
    return Entrant(contender_, task_.task.at("file"), scheduler, task_.limits, write);
}

std::unique_ptr<Entrant> PlanBench::start(const std::string &pins) {
    const std::string file = folder_.file("pins" + std::to_string(files_++) + ".json");
    write_whole("pin file", file, pins);
    Scheduler s = task_.eutectic;
    s.parameters["pin"] = file;
    return std::make_unique<Entrant>(entrant(s, false));
}

void PlanBench::cannot_run(const Entrant &e, const std::string &what) const {
    throw UserError(!e.refused().empty() ? e.refused()
                                         : task_.name + " cannot be tuned, because " + what +
                                               " does not run: " + e.row().reason + ".");
}

void PlanBench::run_reference() {
    contender_ = task_.task;
    contender_["tensors"] = folder_.file("");
    Entrant reference = entrant(root_scheduler(task_.eutectic), true);
    const Turn turn(turns_, Turn::shared);
    const json prepared = reference.ask("prepare", "scheduling and compiling");
    reference.ask("run", "running");
    if (!reference.runs() && !interrupted()) {
        cannot_run(reference, "the unfused program");
    }
    contender_["terms"] = prepared.is_object() ? prepared.at("terms") : json(1);
}

void PlanBench::compile(const std::vector<Entrant *> &all) const {
    const Turn turn(turns_, Turn::shared);
    std::vector<std::future<void>> compiled;
    for (Entrant *const e : all) {
        compiled.push_back(
            std::async(std::launch::async, [e] { e->ask("prepare", "scheduling and compiling"); }));
    }
    for (const std::future<void> &c : compiled) {
        c.wait();
    }
}

std::vector<double> PlanBench::run_alone(Entrant &e, const std::string &what) const {
    compile({&e});
    const Turn turn(turns_, Turn::alone);
    e.ask("run", "running");
    if (!e.runs() && !interrupted()) {
        cannot_run(e, what);
    }
    return e.time("timing");
}

std::vector<TimedRound> PlanBench::contest(Entrant &e, Entrant &against, int most) const {
    const Turn turn(turns_, Turn::alone);
    if (e.samples().empty()) {
        e.ask("run", "running");
    }
    std::vector<TimedRound> all;
    while (static_cast<int>(all.size()) < most && (all.empty() || all.back().plan < all.back().against)) {
        const std::vector<double> of_plan = e.runs() ? e.time("timing") : std::vector<double>();
        const std::vector<double> of_other = of_plan.empty() ? std::vector<double>() : against.time("timing");
        if (of_other.empty()) {
            break;
        }
        all.push_back({fastest(of_plan), fastest(of_other)});
    }
    return all;
}

void take_row(Trial &t, const Entrant &e) {
    t.status = e.row().status;
    t.reason = e.row().reason;
    t.compile_seconds = e.row().compile_seconds;
    t.max_error = e.row().max_error;
    t.peak_bytes = e.row().peak_bytes;
    t.seconds = fastest(e.samples());
}

Seconds fastest(const std::vector<double> &samples) {
    return samples.empty() ? 0 : *std::min_element(samples.begin(), samples.end());
}

}  // namespace eutectic
