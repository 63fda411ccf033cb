#include "apps/eutectic/tune_team.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "apps/eutectic/tune_messages.h"
#include "base/process.h"
#include "base/user_error.h"

namespace eutectic {

using nlohmann::json;

namespace {

// For rank 0 to say the sentence and to end the job; longer than it looks for messages.
constexpr std::chrono::seconds refusal_patience{20};

}  // namespace

TuneTeam::TuneTeam(std::unique_ptr<Team> team, std::string database)
    : team_(std::move(team)), path_(std::move(database)) {
}

bool TuneTeam::tell_refusal(const std::string &sentence) const {
    if (rank() == 0) {
        return false;
    }
    team_->send(0, {{"what", "refused"}, {"sentence", sentence}});
    const auto began = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - began < refusal_patience && !interrupted()) {
        team_->receive();  // it moves the sentence on
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return interrupted();
}

bool TuneTeam::meet(const TuneSubject &subject) {
    if (rank() == 0) {
        gather_kinds(subject);
        return true;
    }
    team_->send(0, {{"what", "hello"}, {"subject", pack(subject)}});
    const std::optional<Team::Message> part = team_->wait();
    if (!part) {
        return false;
    }
    leader_ = part->content.at("leader");
    part->content.at("helpers").get_to(idle_);
    for (const json &trial : part->content.at("trials")) {
        earlier_.push_back(unpack_trial(trial));
    }
    return leader_ == rank();
}

void TuneTeam::gather_kinds(const TuneSubject &own) {
    kinds_.emplace_back();
    kinds_.front().subject = own;
    kinds_.front().ranks = {0};
    std::map<int, TuneSubject> subjects;
    while (static_cast<int>(subjects.size()) + 1 < team_->ranks() && !interrupted()) {
        const std::optional<Team::Message> message = team_->wait();
        if (message && message->content.at("what") == "refused") {
            throw UserError("Rank " + std::to_string(message->from) +
                            " was refused: " + message->content.at("sentence").get<std::string>());
        }
        if (message) {
            subjects[message->from] = unpack_subject(message->content.at("subject"));
        }
    }
    for (const auto &[rank, subject] : subjects) {
        auto kind = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind &k) {
            return k.subject.same_as(subject) && k.subject.parameters == subject.parameters;
        });
        if (kind == kinds_.end()) {
            kinds_.emplace_back();
            kind = kinds_.end() - 1;
            kind->subject = subject;
        }
        kind->ranks.push_back(rank);
    }
    for (Kind &kind : kinds_) {
        assign(kind);
    }
}

void TuneTeam::assign(Kind &kind) {
    // Without a file each has a database in memory, of its own.
    kind.database = std::make_unique<TuneDatabase>(path_, kind.subject);
    const std::vector<int> helpers(kind.ranks.begin() + 1, kind.ranks.end());
    const int leader = kind.ranks.front();
    const std::vector<Trial> trials = kind.database->trials();
    if (leader == 0) {
        idle_ = helpers;
        earlier_ = trials;
    } else {
        json packed = json::array();
        for (const Trial &trial : trials) {
            packed.push_back(pack(trial));
        }
        team_->send(leader, {{"what", "part"}, {"leader", leader}, {"helpers", helpers}, {"trials", packed}});
    }
    for (const int helper : helpers) {
        team_->send(
            helper,
            {{"what", "part"}, {"leader", leader}, {"helpers", json::array()}, {"trials", json::array()}});
    }
}

TuneTeam::Kind &TuneTeam::kind_of(int leader) {
    return *std::find_if(kinds_.begin(), kinds_.end(),
                         [&](const Kind &kind) { return kind.ranks.front() == leader; });
}

void TuneTeam::keep(const Trial &trial) {
    if (rank() == 0) {
        kinds_.front().database->add(trial);
    } else {
        team_->send(0, {{"what", "trial"}, {"trial", pack(trial)}});
    }
}

void TuneTeam::take(const Team::Message &message) {
    const std::string what = message.content.at("what");
    if (what == "measured") {
        measured_.emplace_back(busy_.at(message.from), unpack_trial(message.content.at("trial")));
        busy_.erase(message.from);
        idle_.push_back(message.from);
    } else if (what == "trial") {
        kind_of(message.from).database->add(unpack_trial(message.content.at("trial")));
    } else if (what == "tuned") {
        kind_of(message.from).tuned = unpack_tuned(message.content.at("tuned"));
    }
}

void TuneTeam::take_all() {
    while (const std::optional<Team::Message> message = team_->receive()) {
        take(*message);
    }
}

void TuneTeam::ask_helper(size_t job, const TuneJob &plans) {
    const int helper = idle_.back();
    idle_.pop_back();
    busy_[helper] = job;
    team_->send(helper, {{"what", "measure"}, {"plan", plans.plan}, {"best", plans.best}});
}

std::vector<std::pair<size_t, Trial>> TuneTeam::measured() {
    take_all();
    return std::exchange(measured_, {});
}

void TuneTeam::dismiss_helpers() {
    while (!busy_.empty() && !interrupted()) {
        if (const std::optional<Team::Message> message = team_->wait()) {
            take(*message);
        }
    }
    for (const int helper : idle_) {
        team_->send(helper, {{"what", "over"}});
    }
    idle_.clear();
}

std::optional<TuneJob> TuneTeam::next_job() const {
    const std::optional<Team::Message> message = team_->wait();
    if (!message || message->content.at("what") != "measure") {
        return std::nullopt;
    }
    return TuneJob{message->content.at("plan"), message->content.at("best")};
}

void TuneTeam::answer(const Trial &trial) const {
    team_->send(leader_, {{"what", "measured"}, {"trial", pack(trial)}});
}

std::vector<OfOtherRanks> TuneTeam::gather(const Tuned &tuned) {
    std::vector<OfOtherRanks> others;
    if (rank() != 0) {
        team_->send(0, {{"what", "tuned"}, {"tuned", pack(tuned)}});
        return others;
    }
    for (size_t i = 1; i < kinds_.size(); i++) {
        while (!kinds_[i].tuned && !interrupted()) {
            if (const std::optional<Team::Message> message = team_->wait()) {
                take(*message);
            }
        }
        if (kinds_[i].tuned) {
            others.push_back({kinds_[i].ranks, *kinds_[i].tuned});
        }
    }
    return others;
}

}  // namespace eutectic
