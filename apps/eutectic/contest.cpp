#include "apps/eutectic/contest.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "apps/eutectic/entrant.h"
#include "apps/eutectic/guard.h"

namespace eutectic {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int rounds = 3;  // contenders take turns, so that a slow minute of the machine is everybody's

/** One pipeline under all schedulers. */
class Rounds {
public:
    Rounds(const Contest &contest, const Progress &progress)
        : contest_(contest), progress_(progress), tensors_(fs::temp_directory_path().string()) {
    }

    std::vector<ComparisonRow> hold(std::string &refused) {
        json task = contest_.task;
        task["tensors"] = tensors_.file("");
        std::optional<Entrant> reference = enter(task, root_of(contest_.schedulers), true);
        load(*reference);
        const json prepared = ask(*reference, "prepare", "scheduling and compiling");
        ask(*reference, "run", "running");
        task["terms"] = prepared.is_object() ? prepared.at("terms") : json(1);
        const std::string no_reference =
            reference->runs()
                ? ""
                : "there are no results of the unfused program to compare with: " + reference->row().reason;
        refused_ = refused_.empty() ? reference->refused() : refused_;
        refused = refused_;
        std::vector<Entrant> entrants;
        for (const Scheduler &s : contest_.schedulers) {
            if (interrupted()) {
                break;
            }
            if (s.name == "root" && reference) {
                entrants.push_back(*std::exchange(reference, std::nullopt));
            } else {
                entrants.push_back(enter(task, s, false));
                contest(entrants.back(), no_reference);
            }
        }
        time(entrants);
        std::vector<ComparisonRow> rows;
        for (const Entrant &e : entrants) {
            const ComparisonRow row = e.finished();
            if (row.seconds || row.status != "ok") {  // what the user stopped is no row
                rows.push_back(row);
            }
        }
        return rows;
    }

private:
    const Contest &contest_;
    const Progress &progress_;
    std::string refused_;
    ScratchFolder tensors_;

    static Scheduler root_of(const std::vector<Scheduler> &schedulers) {
        const auto at = std::find_if(schedulers.begin(), schedulers.end(),
                                     [](const Scheduler &s) { return s.name == "root"; });
        return at == schedulers.end() ? root_scheduler(schedulers.front()) : *at;
    }

    Entrant enter(const json &task, const Scheduler &scheduler, bool write) const {
        return Entrant(task, contest_.file, scheduler, contest_.limits, write);
    }

    void contest(Entrant &entrant, const std::string &no_reference) {
        if (!refused_.empty() && entrant.runs()) {
            entrant.stop("unsupported", refused_);
        }
        ask(entrant, "prepare", "scheduling and compiling");
        if (entrant.runs() && !no_reference.empty()) {
            entrant.stop("unsupported", no_reference);
        }
        ask(entrant, "run", "running");
    }

    /** What ends a process while it reads is no pipeline. */
    void load(Entrant &reference) {
        ask(reference, "load", "reading");
        const std::string &status = reference.row().status;
        if (status == "crash" || status == "memory" || status == "timeout") {
            refused_ = "The file " + contest_.file + " is no serialized Halide pipeline, or a damaged one (" +
                       reference.row().reason + "): write one with a generator's -e hlpipe.";
            reference.stop("unsupported", refused_);
        }
    }

    json ask(Entrant &entrant, const std::string &question, const std::string &doing) {
        progress_.show(contest_.title + ", " + entrant.row().scheduler + ": " + doing);
        return entrant.ask(question, doing);
    }

    void time(std::vector<Entrant> &entrants) {
        for (int round = 0; round < rounds; round++) {
            for (size_t i = 0; i < entrants.size() && !interrupted(); i++) {
                Entrant &e = entrants[(i + static_cast<size_t>(round)) % entrants.size()];
                const std::string doing =
                    "timing, " + std::to_string(round + 1) + " of " + std::to_string(rounds);
                progress_.show(contest_.title + ", " + e.row().scheduler + ": " + doing);
                e.time(doing);
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
