#include "apps/eutectic/tuner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <thread>

#include "apps/eutectic/contest_task.h"
#include "apps/eutectic/plan_bench.h"
#include "apps/eutectic/plan_store.h"
#include "apps/eutectic/tune_database.h"
#include "apps/eutectic/tune_helper.h"
#include "apps/eutectic/tune_team.h"
#include "base/user_error.h"
#include "report/report.h"
#include "tune/beliefs.h"

namespace eutectic {

using nlohmann::json;

namespace {

constexpr int last_rounds = 5;  // of the best one against the plan that is chosen without measuring
constexpr std::chrono::milliseconds nap{10};
constexpr size_t machines = 16;  // that may be the true one (tune/beliefs.h)
constexpr size_t in_store = 8;   // priced plans, for each that is compiled at a time, to choose from

double seconds_of_clock() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Tuner {
public:
    Tuner(const TuneTask &task, const Progress &progress, TuneTeam *team)
        : task_(task),
          space_(task.space),
          progress_(progress),
          team_(team),
          began_(seconds_of_clock()),
          bench_(task, team != nullptr),
          beliefs_(task.space.family.front().machine, machines, 1),
          store_(task.space, beliefs_) {
    }

    /** None of a helper. */
    std::optional<Tuned> run() {
        say("planning");
        first_ = store_.plan(space_.pins, "the plan that is chosen without measuring");
        if (!first_) {
            throw UserError(store_.refusal());
        }
        if (team_ && !team_->meet(subject())) {
            help_tuning(bench_, *team_);
            return std::nullopt;
        }
        return lead();
    }

private:
    Tuned lead() {
        tuned_.first = first_->decisions;
        if (!team_) {
            database_ = std::make_unique<TuneDatabase>(task_.database, subject());
        }
        recall();
        say("the unfused program");
        bench_.run_reference();
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
        tuned_.pins = pins(*best_);
        tuned_.best = best_->decisions;
        tuned_.change = best_ == first_ ? "" : best_->change;
        return std::move(tuned_);
    }

    const TuneTask &task_;
    const TuneSpace &space_;
    const Progress &progress_;
    TuneTeam *const team_;  // null: this process searches by itself
    const double began_;
    PlanBench bench_;
    std::unique_ptr<TuneDatabase> database_;  // null in a team, which has it
    Beliefs beliefs_;
    PlanStore store_;
    Tuned tuned_;

    CandidatePtr first_, best_;
    std::unique_ptr<Entrant> first_runs_, best_runs_;  // the latter empty while the best is the first
    double best_ratio_ = 1;
    double planning_seconds_ = 0, measuring_seconds_ = 0;

    /** A plan that a helper measures, beside the best of that time. */
    struct Lent {
        CandidatePtr plan, best;
        double best_ratio, second;
    };
    std::map<size_t, Lent> lent_;
    size_t next_job_ = 0;
    double longest_loan_ = 0;  // seconds

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
        tuned_.trials = team_ ? team_->earlier_trials() : database_->trials();
        tuned_.earlier = tuned_.trials.size();
        for (const Trial &t : tuned_.trials) {
            store_.know(t.decisions);
            if (t.status == "ok" && t.ratio && t.decisions != tuned_.first) {
                beliefs_.learn(beliefs_.on_each(priced_nests(t.priced)), first_->on_each, *t.ratio);
            }
        }
    }

    std::string pins(const Candidate &c) const {
        return to_text(space_.graph, c.pins);
    }

    void measure_first() {
        say("the plan that is chosen without measuring");
        best_ = first_;
        first_runs_ = bench_.start(pins(*first_));
        tuned_.first_seconds =
            fastest(bench_.run_alone(*first_runs_, "the plan that is chosen without measuring"));
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

    /** What is known of a plan before it is measured. */
    Trial trial(const Candidate &c, const Candidate &against) const {
        Trial t;
        t.decisions = c.decisions;
        t.pins = pins(c);
        t.change = c.change;
        t.predicted = c.planned.plan.cost().total();
        t.priced = c.priced;
        t.against = against.decisions;
        t.second = second();
        t.rank = team_ ? team_->rank() : 0;
        return t;
    }

    Trial trial(const Candidate &c, const Entrant &e) const {
        Trial t = trial(c, *best_);
        take_row(t, e);
        return t;
    }

    void keep(const Trial &t) {
        if (team_) {
            team_->keep(t);
        } else {
            database_->add(t);
        }
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
        const size_t jobs = static_cast<size_t>(task_.jobs) + (team_ ? team_->idle_helpers() : 0);
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
            if (store_.size() == 0 && lent_.empty()) {
                break;
            }
            const double began = seconds_of_clock();
            lend();
            if (store_.size() > 0) {
                measure(store_.take(static_cast<size_t>(task_.jobs), *best_));
            } else {
                std::this_thread::sleep_for(nap);  // until a helper has found something to look around
            }
            take_back();
            measuring_seconds_ += seconds_of_clock() - began;
        }
        if (team_) {
            say("waiting for the other ranks");
            team_->dismiss_helpers();
            take_back();
        }
        std::ostringstream budget;
        budget << "the " << task_.budget << " s are used";
        tuned_.why = interrupted() ? "it was interrupted"
                     : time_left() ? "every plan that it could think of is measured"
                                   : budget.str();
    }

    /** One for each helper that has nothing to do, as long as it may be back in time. */
    void lend() {
        const bool in_time = second() + longest_loan_ < task_.budget;
        for (size_t idle = team_ && in_time ? team_->idle_helpers() : 0; idle > 0 && store_.size() > 0;
             idle--) {
            const CandidatePtr c = store_.take(1, *best_).front();
            lent_[next_job_] = {c, best_, best_ratio_, second()};
            team_->ask_helper(next_job_++, {pins(*c), pins(*best_)});
        }
    }

    /** What helpers have found. A winner has to win here, too: the best one runs beside all that follow. */
    void take_back() {
        if (!team_) {
            return;
        }
        for (const auto &[job, found] : team_->measured()) {
            const Lent lent = lent_.at(job);
            lent_.erase(job);
            longest_loan_ = std::max(longest_loan_, second() - lent.second);
            Trial t = trial(*lent.plan, *lent.best);
            take_measured(t, found);
            learn(t, lent.plan, *lent.best, lent.best_ratio);
            keep(t);
            if (won(t) && *t.ratio < best_ratio_ && time_left()) {
                measure({lent.plan});
            }
        }
    }

    void measure(const std::vector<CandidatePtr> &all) {
        say("compiling " + all.front()->change);
        std::vector<std::unique_ptr<Entrant>> run;
        std::vector<Entrant *> compiled;
        for (const CandidatePtr &c : all) {
            run.push_back(bench_.start(pins(*c)));  // by this thread, with which they end
            compiled.push_back(run.back().get());
        }
        bench_.compile(compiled);
        for (size_t i = 0; i < all.size() && !interrupted(); i++) {
            say("timing " + all[i]->change);
            measure(all[i], std::move(run[i]));
        }
    }

    /** Its ratio to the first plan, from that to `against`. */
    void learn(Trial &t, const CandidatePtr &c, const Candidate &against, double against_ratio) {
        if (const std::optional<double> ratio = t.ratio_of_rounds()) {
            t.ratio = *ratio * against_ratio;
            beliefs_.learn(c->on_each, against.on_each, *ratio);
            store_.ran(*t.ratio, c);
        }
    }

    static bool won(const Trial &t) {
        return t.status == "ok" && static_cast<int>(t.rounds.size()) == rounds_of_trial && t.wins();
    }

    void measure(const CandidatePtr &c, std::unique_ptr<Entrant> e) {
        Entrant &against = best_runs_ ? *best_runs_ : *first_runs_;
        const std::vector<TimedRound> timed = bench_.contest(*e, against, rounds_of_trial);
        if (interrupted()) {
            return;
        }
        Trial t = trial(*c, *e);
        t.rounds = timed;
        learn(t, c, *best_, best_ratio_);
        keep(t);
        if (won(t)) {
            best_ = c;
            best_runs_ = std::move(e);
            best_ratio_ = *t.ratio;
            store_.look_around(c);
        }
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
        t.rounds = bench_.contest(*best_runs_, *first_runs_, last_rounds);
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

std::optional<Tuned> tune(const TuneTask &task, const Progress &progress, TuneTeam *team) {
    return Tuner(task, progress, team).run();
}

}  // namespace eutectic
