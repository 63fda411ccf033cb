#include "apps/eutectic/tune_messages.h"

namespace eutectic {

using nlohmann::json;

namespace {

/** Goes over a struct's members, either way. */
struct Writer {
    json out = json::object();

    template<typename T>
    void operator()(const char *name, const T &value) {
        out[name] = value;
    }
    template<typename T>
    void operator()(const char *name, const std::optional<T> &value) {
        out[name] = value ? json(*value) : json();
    }
};

struct MessageReader {
    const json &in;

    template<typename T>
    void operator()(const char *name, T &value) const {
        in.at(name).get_to(value);
    }
    template<typename T>
    void operator()(const char *name, std::optional<T> &value) const {
        value = in.at(name).is_null() ? std::nullopt : std::optional<T>(in.at(name).get<T>());
    }
};

template<typename TrialOrConst, typename Visit>
void members_of_trial(TrialOrConst &t, Visit &visit) {
    visit("decisions", t.decisions);
    visit("pins", t.pins);
    visit("change", t.change);
    visit("predicted", t.predicted);
    visit("priced", t.priced);
    visit("status", t.status);
    visit("reason", t.reason);
    visit("compile_seconds", t.compile_seconds);
    visit("max_error", t.max_error);
    visit("peak_bytes", t.peak_bytes);
    visit("against", t.against);
    visit("seconds", t.seconds);
    visit("ratio", t.ratio);
    visit("last", t.last);
    visit("second", t.second);
    visit("rank", t.rank);
}

template<typename SubjectOrConst, typename Visit>
void members_of_subject(SubjectOrConst &s, Visit &visit) {
    visit("pipeline", s.pipeline);
    visit("machine", s.machine);
    visit("target", s.target);
    visit("cpu", s.cpu);
    visit("name", s.name);
    visit("threads", s.threads);
    visit("parameters", s.parameters);
    visit("versions", s.versions);
}

template<typename TunedOrConst, typename Visit>
void members_of_tuned(TunedOrConst &t, Visit &visit) {
    visit("name", t.name);
    visit("target", t.target);
    visit("machine", t.machine);
    visit("cpu", t.cpu);
    visit("threads", t.threads);
    visit("first_seconds", t.first_seconds);
    visit("best_seconds", t.best_seconds);
    visit("ratio", t.ratio);
    visit("first", t.first);
    visit("best", t.best);
    visit("pins", t.pins);
    visit("change", t.change);
    visit("why", t.why);
    visit("earlier", t.earlier);
    visit("looked_at", t.looked_at);
}

}  // namespace

json pack(const Trial &trial) {
    Writer writer;
    members_of_trial(trial, writer);
    for (const TimedRound &round : trial.rounds) {
        writer.out["rounds"].push_back({round.plan, round.against});
    }
    return writer.out;
}

json pack(const TuneSubject &subject) {
    Writer writer;
    members_of_subject(subject, writer);
    return writer.out;
}

json pack(const Tuned &tuned) {
    Writer writer;
    members_of_tuned(tuned, writer);
    writer.out["trials"] = json::array();
    for (const Trial &trial : tuned.trials) {
        writer.out["trials"].push_back(pack(trial));
    }
    return writer.out;
}

Trial unpack_trial(const json &message) {
    Trial trial;
    const MessageReader reader{message};
    members_of_trial(trial, reader);
    for (const json &round : message.value("rounds", json::array())) {
        trial.rounds.push_back({round.at(0), round.at(1)});
    }
    return trial;
}

TuneSubject unpack_subject(const json &message) {
    TuneSubject subject;
    const MessageReader reader{message};
    members_of_subject(subject, reader);
    return subject;
}

Tuned unpack_tuned(const json &message) {
    Tuned tuned;
    const MessageReader reader{message};
    members_of_tuned(tuned, reader);
    for (const json &trial : message.at("trials")) {
        tuned.trials.push_back(unpack_trial(trial));
    }
    return tuned;
}

}  // namespace eutectic
