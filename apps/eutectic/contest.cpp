#include "apps/eutectic/contest.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "apps/eutectic/guard.h"
#include "base/process.h"

namespace eutectic {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int rounds = 3;  // contenders take turns, so that a slow minute of the machine is everybody's

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
class Rounds {
public:
    Rounds(const Contest &contest, const Progress &progress)
        : contest_(contest), progress_(progress), tensors_(fs::temp_directory_path().string()) {
    }

    std::vector<ComparisonRow> hold(std::string &refused) {
        json task = contest_.task;
        task["tensors"] = tensors_.file("");
        Entrant reference = enter(task, root_of(contest_.schedulers), true);
        load(reference);
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
        for (const Scheduler &s : contest_.schedulers) {
            if (interrupted()) {
                break;
            }
            if (s.name == "root") {
                entrants.push_back(std::move(reference));
            } else {
                entrants.push_back(enter(task, s, false));
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
    const Contest &contest_;
    const Progress &progress_;
    std::string refused_;
    ScratchFolder tensors_;
    const std::string self_ = "/proc/" + std::to_string(getpid()) +
                              "/exe";  // this program, even if its file is built anew meanwhile

    static Scheduler root_of(const std::vector<Scheduler> &schedulers) {
        const auto at = std::find_if(schedulers.begin(), schedulers.end(),
                                     [](const Scheduler &s) { return s.name == "root"; });
        return at == schedulers.end() ? root_scheduler(schedulers.front()) : *at;
    }

    Entrant enter(json task, const Scheduler &scheduler, bool write) const {
        Entrant entrant;
        entrant.row.file = contest_.file;
        entrant.row.scheduler = scheduler.name;
        task["write"] = write;
        task["scheduler"] = {
            {"name", scheduler.name}, {"plugin", scheduler.plugin}, {"parameters", scheduler.parameters}};
        if (scheduler.unsupported.empty()) {
            entrant.worker =
                std::make_unique<Worker>(std::vector<std::string>{self_, "--contender", task.dump()},
                                         int64_t{contest_.limits.memory} << 20);
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
    void load(Entrant &reference) {
        ask(reference, "load", "reading");
        if (reference.row.status == "crash" || reference.row.status == "memory" ||
            reference.row.status == "timeout") {
            refused_ = "The file " + contest_.file + " is no serialized Halide pipeline, or a damaged one (" +
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
        progress_.show(contest_.title + ", " + entrant.row.scheduler + ": " + doing);
        const Finished finished = entrant.worker->ask(question, contest_.limits.timeout);
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
                    ask(e, "time " + std::to_string(contest_.limits.seconds),
                        "timing, " + std::to_string(round + 1) + " of " + std::to_string(rounds));
                if (answer.is_object()) {
                    const auto samples = answer.at("samples").get<std::vector<double>>();
                    e.samples.insert(e.samples.end(), samples.begin(), samples.end());
                }
            }
        }
    }
};

}  // namespace

Progress::Progress() : on_(isatty(STDERR_FILENO) == 1) {
}

Progress::~Progress() {
    show("");
}

void Progress::show(const std::string &what) const {
    if (on_) {
        std::fprintf(stderr, "\r\033[K%s", what.c_str());
        std::fflush(stderr);
    }
}

std::vector<ComparisonRow> hold(const Contest &contest, const Progress &progress, std::string &refused) {
    return Rounds(contest, progress).hold(refused);
}

}  // namespace eutectic
