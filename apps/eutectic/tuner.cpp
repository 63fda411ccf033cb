#include "apps/eutectic/tuner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <memory>
#include <sstream>

#include "apps/eutectic/contest_task.h"
#include "apps/eutectic/guard.h"
#include "apps/eutectic/plan_store.h"
#include "apps/eutectic/tune_database.h"
#include "base/user_error.h"
#include "base/write_whole.h"
#include "report/report.h"
#include "tune/beliefs.h"

namespace eutectic {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int rounds = 3;        // of a plan against the best one so far
constexpr int last_rounds = 5;   // of the best one against the plan that is chosen without measuring
constexpr size_t machines = 16;  // that may be the true one (tune/beliefs.h)
constexpr size_t in_store = 8;   // priced plans, for each that is compiled at a time, to choose from

double seconds_of_clock() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Tuner {
public:
    Tuner(const TuneTask &task, const Progress &progress)
        : task_(task),
          space_(task.space),
          progress_(progress),
          began_(seconds_of_clock()),
          folder_(fs::temp_directory_path().string()),
          beliefs_(task.space.family.front().machine, machines, 1),
          store_(task.space, beliefs_) {
    }

    Tuned run() {
        say("planning");
        first_ = store_.plan(space_.pins, "the plan that is chosen without measuring");
        if (!first_) {
            throw UserError(store_.refusal());
        }
        tuned_.first = first_->decisions;
        TuneDatabase database(task_.database, subject());
        database_ = &database;
        recall();
        measure_reference();
        measure_first();
        begin_store();
        search();
        last_contest();
        tuned_.looked_at = store_.looked_at();
        tuned_.name = task_.name;
        tuned_.target = task_.target;
        tuned_.machine = space_.family.front().machine.name;
        tuned_.cpu = cpu_name();
        tuned_.threads = task_.task.at("threads");
        tuned_.pins = to_text(space_.graph, best_->pins);
        tuned_.best = best_->decisions;
        tuned_.change = best_ == first_ ? "" : best_->change;
        return std::move(tuned_);
    }

private:
    const TuneTask &task_;
    const TuneSpace &space_;
    const Progress &progress_;
    const double began_;
    ScratchFolder folder_;
    TuneDatabase *database_ = nullptr;
    Beliefs beliefs_;
    PlanStore store_;
    Tuned tuned_;
    json contender_;  // the task, with what the reference has told

    CandidatePtr first_, best_;
    std::unique_ptr<Entrant> first_runs_, best_runs_;  // the latter empty while the best is the first
    double best_ratio_ = 1;
    double planning_seconds_ = 0, measuring_seconds_ = 0;
    int files_ = 0;

    double second() const {
        return seconds_of_clock() - began_;
    }
    bool time_left() const {
        const double last = best_runs_ ? 2 * last_rounds * task_.limits.seconds : 0;
        return second() + last < task_.budget && !interrupted();
    }

    void say(const std::string &doing) const {
        std::ostringstream s;
        s.precision(3);
        s << "[" << static_cast<int>(second()) << "/" << task_.budget << " s] " << task_.name << ", "
          << tuned_.trials.size() << " plans measured, best " << best_ratio_ << ": " << doing;
        progress_.show(s.str());
    }

    TuneSubject subject() const {
        const PlanHash hash = plan_hash(space_.graph, space_.family.front().machine, first_->planned.plan);
        std::string machine;
        for (const Member &member : space_.family) {
            machine += plan_hash(space_.graph, member.machine, first_->planned.plan).machine;
        }
        return {hash.pipeline,
                machine,
                task_.target,
                cpu_name(),
                task_.name,
                task_.task.at("threads"),
                json(task_.eutectic.parameters).dump(),
                "eutectic " EUTECTIC_VERSION ", Halide " + std::to_string(HALIDE_VERSION_MAJOR) + "." +
                    std::to_string(HALIDE_VERSION_MINOR) + "." + std::to_string(HALIDE_VERSION_PATCH)};
    }

    /** What earlier runs have measured is not measured again, and teaches the same. */
    void recall() {
        tuned_.trials = database_->trials();
        tuned_.earlier = tuned_.trials.size();
        for (const Trial &t : tuned_.trials) {
            store_.know(t.decisions);
            if (t.status == "ok" && t.ratio && t.decisions != tuned_.first) {
                beliefs_.learn(beliefs_.on_each(priced_nests(t.priced)), first_->on_each, *t.ratio);
            }
        }
    }

    Entrant entrant(const Scheduler &scheduler, bool write) const {
        return Entrant(contender_, task_.task.at("file"), scheduler, task_.limits, write);
    }

    /** The plan's process; it has not been asked for anything. */
    std::unique_ptr<Entrant> start(const Candidate &c) {
        const std::string pins = folder_.file("pins" + std::to_string(files_++) + ".json");
        write_whole("pin file", pins, to_text(space_.graph, c.pins));
        Scheduler s = task_.eutectic;
        s.parameters["pin"] = pins;
        return std::make_unique<Entrant>(entrant(s, false));
    }

    [[noreturn]] void cannot_run(const Entrant &e, const std::string &what) const {
        throw UserError(!e.refused().empty() ? e.refused()
                                             : task_.name + " cannot be tuned, because " + what +
                                                   " does not run: " + e.row().reason + ".");
    }

    void measure_reference() {
        say("the unfused program");
        contender_ = task_.task;
        contender_["tensors"] = folder_.file("");
        Entrant reference = entrant(root_scheduler(task_.eutectic), true);
        const json prepared = reference.ask("prepare", "scheduling and compiling");
        reference.ask("run", "running");
        if (!reference.runs() && !interrupted()) {
            cannot_run(reference, "the unfused program");
        }
        contender_["terms"] = prepared.is_object() ? prepared.at("terms") : json(1);
    }

    void measure_first() {
        say("the plan that is chosen without measuring");
        best_ = first_;
        first_runs_ = start(*first_);
        first_runs_->ask("prepare", "scheduling and compiling");
        first_runs_->ask("run", "running");
        if (!first_runs_->runs() && !interrupted()) {
            cannot_run(*first_runs_, "the plan that is chosen without measuring");
        }
        const std::vector<double> samples = first_runs_->time("timing");
        tuned_.first_seconds = samples.empty() ? 0 : *std::min_element(samples.begin(), samples.end());
        tuned_.best_seconds = tuned_.first_seconds;
        Trial t = trial(*first_, *first_runs_);
        t.ratio = 1;
        t.seconds = tuned_.first_seconds;
        store_.ran(1, first_);
        const bool earlier = std::any_of(tuned_.trials.begin(), tuned_.trials.end(),
                                         [&](const Trial &of) { return of.decisions == tuned_.first; });
        if (!earlier && !interrupted()) {
            keep(t);
        }
    }

    Trial trial(const Candidate &c, const Entrant &e) const {
        Trial t;
        t.decisions = c.decisions;
        t.pins = to_text(space_.graph, c.pins);
        t.change = c.change;
        t.predicted = c.planned.plan.cost().total();
        t.priced = c.priced;
        t.status = e.row().status;
        t.reason = e.row().reason;
        t.compile_seconds = e.row().compile_seconds;
        t.max_error = e.row().max_error;
        t.peak_bytes = e.row().peak_bytes;
        t.against = best_->decisions;
        t.seconds = e.samples().empty() ? 0 : *std::min_element(e.samples().begin(), e.samples().end());
        t.second = second();
        return t;
    }

    void keep(const Trial &t) {
        database_->add(t);
        tuned_.trials.push_back(t);
    }

    /** The best of earlier runs, and of the longer search, are the first to be measured. */
    void begin_store() {
        const Trial *best = nullptr;
        for (const Trial &t : tuned_.trials) {
            best = t.status == "ok" && t.ratio && *t.ratio < (best ? *best->ratio : 1) ? &t : best;
        }
        if (best) {
            store_.forget(best->decisions);
            store_.put_in_front(parse_pins(best->pins, "the database", space_.graph), best->change);
        }
        if (space_.parameters.effort == Effort::fast && time_left()) {
            say("planning with effort=best");
            Parameters longer = space_.parameters;
            longer.effort = Effort::best;
            const Planned planned = plan_for_family(space_.graph, space_.family, longer, space_.pins);
            store_.put_in_front(pins_of(space_.graph, planned.plan, space_.pins), "effort=best");
        }
        store_.look_around(first_);
    }

    /** Planning takes as long as measuring at most, unless nothing is left to measure. */
    void fill_store() {
        const auto jobs = static_cast<size_t>(task_.jobs);
        while (store_.size() < in_store * jobs && time_left() &&
               (store_.size() < jobs || planning_seconds_ < measuring_seconds_)) {
            say("planning");
            const double began = seconds_of_clock();
            const bool more = store_.propose();
            planning_seconds_ += seconds_of_clock() - began;
            if (!more) {
                return;
            }
        }
    }

    void search() {
        while (time_left()) {
            fill_store();
            if (store_.size() == 0) {
                break;
            }
            const double began = seconds_of_clock();
            measure(store_.take(static_cast<size_t>(task_.jobs), *best_));
            measuring_seconds_ += seconds_of_clock() - began;
        }
        std::ostringstream budget;
        budget << "the " << task_.budget << " s are used";
        tuned_.why = interrupted() ? "it was interrupted"
                     : time_left() ? "every plan that it could think of is measured"
                                   : budget.str();
    }

    void measure(const std::vector<CandidatePtr> &all) {
        say("compiling " + all.front()->change);
        std::vector<std::unique_ptr<Entrant>> run;
        for (const CandidatePtr &c : all) {
            run.push_back(start(*c));  // by this thread, with which they end
        }
        std::vector<std::future<void>> compiled;
        for (const std::unique_ptr<Entrant> &e : run) {
            compiled.push_back(
                std::async(std::launch::async, [&e] { e->ask("prepare", "scheduling and compiling"); }));
        }
        for (const std::future<void> &c : compiled) {
            c.wait();
        }
        for (size_t i = 0; i < all.size() && !interrupted(); i++) {
            say("timing " + all[i]->change);
            run[i]->ask("run", "running");
            measure(all[i], std::move(run[i]));
        }
    }

    void measure(const CandidatePtr &c, std::unique_ptr<Entrant> e) {
        Entrant &against = best_runs_ ? *best_runs_ : *first_runs_;
        const std::vector<TimedRound> timed = contest(*e, against, rounds);
        if (interrupted()) {
            return;
        }
        Trial t = trial(*c, *e);
        t.rounds = timed;
        if (const std::optional<double> ratio = t.ratio_of_rounds()) {
            t.ratio = *ratio * best_ratio_;
            beliefs_.learn(c->on_each, best_->on_each, *ratio);
            store_.ran(*t.ratio, c);
        }
        keep(t);
        if (t.status == "ok" && static_cast<int>(timed.size()) == rounds && t.wins()) {
            best_ = c;
            best_runs_ = std::move(e);
            best_ratio_ = *t.ratio;
            store_.look_around(c);
        }
    }

    /** Rounds of the two in turns, as many as there are, or until `e` has lost one. */
    std::vector<TimedRound> contest(Entrant &e, Entrant &against, int most) const {
        std::vector<TimedRound> all;
        while (static_cast<int>(all.size()) < most && (all.empty() || all.back().plan < all.back().against)) {
            const std::vector<double> of_plan = e.runs() ? e.time("timing") : std::vector<double>();
            const std::vector<double> of_other =
                of_plan.empty() ? std::vector<double>() : against.time("timing");
            if (of_other.empty()) {
                break;
            }
            all.push_back({*std::min_element(of_plan.begin(), of_plan.end()),
                           *std::min_element(of_other.begin(), of_other.end())});
        }
        return all;
    }

    /** Among many plans one is lucky: the winner has to win once more. */
    void last_contest() {
        if (!best_runs_ || !best_runs_->runs() || !first_runs_->runs()) {
            best_ = first_;
            return;
        }
        say("the last contest");
        const CandidatePtr winner = best_;
        Trial t = trial(*winner, *best_runs_);
        t.against = tuned_.first;
        t.last = true;
        t.rounds = contest(*best_runs_, *first_runs_, last_rounds);
        t.ratio = t.ratio_of_rounds();
        if (t.ratio) {
            keep(t);
        }
        if (static_cast<int>(t.rounds.size()) < last_rounds || !t.wins()) {
            best_ = first_;
            return;
        }
        tuned_.ratio = *t.ratio;
        for (const TimedRound &r : t.rounds) {
            tuned_.best_seconds = std::min(&r == &t.rounds.front() ? r.plan : tuned_.best_seconds, r.plan);
            tuned_.first_seconds =
                std::min(&r == &t.rounds.front() ? r.against : tuned_.first_seconds, r.against);
        }
    }
};

}  // namespace

Tuned tune(const TuneTask &task, const Progress &progress) {
    return Tuner(task, progress).run();
}

}  // namespace eutectic
