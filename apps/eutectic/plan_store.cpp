#include "apps/eutectic/plan_store.h"

#include <algorithm>
#include <cstddef>

#include "base/user_error.h"
#include "report/report.h"
#include "schedules/write_report.h"

namespace eutectic {

namespace {

constexpr uint64_t seeds_of_loops = 32;  // that are tried around one plan, before another one's turn

}  // namespace

PlanStore::PlanStore(const TuneSpace &space, const Beliefs &beliefs) : space_(space), beliefs_(beliefs) {
}

CandidatePtr PlanStore::plan(const Pins &pins, const std::string &change) {
    try {
        auto c = std::make_shared<Candidate>();
        c->pins = pins;
        c->pins.source = "this plan";
        c->change = change;
        c->planned = plan_for_family(space_.graph, space_.family, space_.parameters, c->pins);
        c->decisions = plan_hash(space_.graph, machine(), c->planned.plan).decisions;
        c->priced = priced_json(c->planned.plan, machine());
        c->on_each = beliefs_.on_each(priced_nests(c->priced));
        return known_.insert(c->decisions).second ? c : nullptr;
    } catch (const UserError &e) {
        refusal_ = e.what();
        return nullptr;
    }
}

void PlanStore::add(const Pins &pins, const std::string &change) {
    if (const CandidatePtr c = keeps_users_pins(pins) ? plan(pins, change) : nullptr) {
        store_.push_back(c);
    }
}

void PlanStore::put_in_front(const Pins &pins, const std::string &change) {
    const size_t before = store_.size();
    add(pins, change);
    if (store_.size() > before) {
        std::rotate(store_.begin() + static_cast<std::ptrdiff_t>(in_front_), store_.end() - 1, store_.end());
        in_front_++;
    }
}

bool PlanStore::keeps_users_pins(const Pins &pins) const {
    for (const FuncId f : space_.pins.funcs.ids()) {
        const std::optional<Pin> &asked = space_.pins.funcs[f];
        const std::optional<Pin> &is = pins.funcs[f];
        if (asked && !(is && is->kind == asked->kind && is->consumer == asked->consumer)) {
            return false;
        }
    }
    return std::all_of(space_.pins.loops.begin(), space_.pins.loops.end(), [&](const auto &of) {
        return std::find(pins.loops.begin(), pins.loops.end(), of) != pins.loops.end();
    });
}

void PlanStore::look_around(const CandidatePtr &center) {
    surrounded_.insert(center->decisions);
    around_.push_back({center});
}

/** The fastest plan that ran whose surroundings nobody has seen. */
bool PlanStore::look_around_next() {
    const std::pair<double, CandidatePtr> *next = nullptr;
    for (const auto &of : ran_) {
        if (surrounded_.count(of.second->decisions) == 0 && (!next || of.first < next->first)) {
            next = &of;
        }
    }
    if (next) {
        look_around(next->second);
    }
    return next != nullptr;
}

void PlanStore::look(Surroundings &s) const {
    if (!s.looked_for_places) {
        for (Neighbour &n : other_places(space_.graph, machine(), space_.parameters.rules(machine()),
                                         s.center->planned, s.center->pins)) {
            s.places.push_back(std::move(n));
        }
        s.looked_for_places = true;
    }
    if (s.loops.empty() && s.next_seed <= seeds_of_loops) {
        for (Neighbour &n :
             other_loops(space_.graph, machine(), s.center->planned, s.center->pins, s.next_seed)) {
            s.loops.push_back(std::move(n));
        }
        s.next_seed++;
    }
}

bool PlanStore::propose() {
    if (around_.empty() && !look_around_next()) {
        return false;
    }
    Surroundings &s = around_.back();
    look(s);
    const bool loops = !s.loops.empty() && (s.turn_of_loops || s.places.empty());
    std::deque<Neighbour> &from = loops ? s.loops : s.places;
    if (!from.empty()) {
        s.turn_of_loops = !loops;
        const Neighbour next = std::move(from.front());
        from.pop_front();
        const bool first = s.center == ran_.front().second;
        add(next.pins, first ? next.change : s.center->change + "; " + next.change);
    } else if (s.next_seed > seeds_of_loops) {
        around_.pop_back();
    }
    return true;
}

std::vector<CandidatePtr> PlanStore::take(size_t most, const Candidate &best) {
    const auto better = [&](const CandidatePtr &a, const CandidatePtr &b) {
        const double gain_a = beliefs_.expected_gain(a->on_each, best.on_each),
                     gain_b = beliefs_.expected_gain(b->on_each, best.on_each);
        return gain_a != gain_b ? gain_a > gain_b
                                : beliefs_.expected_ratio(a->on_each, best.on_each) <
                                      beliefs_.expected_ratio(b->on_each, best.on_each);
    };
    std::stable_sort(store_.begin() + static_cast<std::ptrdiff_t>(in_front_), store_.end(), better);
    const auto end = store_.begin() + static_cast<std::ptrdiff_t>(std::min(store_.size(), most));
    std::vector<CandidatePtr> taken(store_.begin(), end);
    store_.erase(store_.begin(), end);
    in_front_ -= std::min(in_front_, taken.size());
    return taken;
}

}  // namespace eutectic
