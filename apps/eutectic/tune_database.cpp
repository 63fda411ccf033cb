#include "apps/eutectic/tune_database.h"

#include "base/user_error.h"

namespace eutectic {

namespace {

// What marks the file as one of these, and the version of its tables.
constexpr int application = 0x45755475, version = 1;

const char *const tables = R"(
CREATE TABLE runs (
    run INTEGER PRIMARY KEY, started TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, name TEXT NOT NULL,
    pipeline_hash TEXT NOT NULL, machine_hash TEXT NOT NULL, target TEXT NOT NULL, threads INTEGER NOT NULL,
    cpu TEXT NOT NULL, parameters TEXT NOT NULL, versions TEXT NOT NULL);
CREATE TABLE plans (
    plan INTEGER PRIMARY KEY, pipeline_hash TEXT NOT NULL, machine_hash TEXT NOT NULL,
    decisions_hash TEXT NOT NULL, pins TEXT NOT NULL, change TEXT NOT NULL, predicted_seconds REAL NOT NULL,
    priced TEXT NOT NULL, UNIQUE (pipeline_hash, machine_hash, decisions_hash));
CREATE TABLE trials (
    trial INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, plan INTEGER NOT NULL REFERENCES plans,
    ended TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, second REAL NOT NULL, status TEXT NOT NULL,
    reason TEXT NOT NULL, compile_seconds REAL, peak_bytes INTEGER, max_error REAL,
    against_decisions TEXT NOT NULL, seconds REAL NOT NULL, ratio REAL,
    last INTEGER NOT NULL);
CREATE TABLE rounds (
    trial INTEGER NOT NULL REFERENCES trials, round INTEGER NOT NULL, plan_seconds REAL NOT NULL,
    against_seconds REAL NOT NULL, PRIMARY KEY (trial, round)) WITHOUT ROWID;
)";

const char *const give_resume =
    "give --resume a file that eutectic tune has made, or one that is not there yet";

/** Throws unless the file holds tables of this version. */
void check_tables(const SqliteFile &file, const std::string &path, const std::string &remedy) {
    SqliteStatement of_file(file, "PRAGMA application_id"), of_tables(file, "PRAGMA user_version");
    of_file.step();
    of_tables.step();
    if (of_file.whole(0) != application) {
        throw UserError("The file " + path + " is a database of something else: " + remedy + ".");
    }
    if (of_tables.whole(0) != version) {
        throw UserError("The database " + path + " has tables of version " +
                        std::to_string(of_tables.whole(0)) + ", and this eutectic has version " +
                        std::to_string(version) + ": " + remedy + ".");
    }
}

/** Of the rows of `select`, whose columns begin with those of `trial_columns`. */
Trial read_trial(const SqliteFile &file, const SqliteStatement &select) {
    const auto real = [&](int column) {
        return select.null(column) ? std::nullopt : std::optional<double>(select.real(column));
    };
    Trial t;
    t.decisions = select.text(1);
    t.pins = select.text(2);
    t.change = select.text(3);
    t.predicted = select.real(4);
    t.priced = select.text(5);
    t.status = select.text(6);
    t.reason = select.text(7);
    t.compile_seconds = real(8);
    t.peak_bytes = select.null(9) ? std::nullopt : std::optional<int64_t>(select.whole(9));
    t.max_error = real(10);
    t.against = select.text(11);
    t.ratio = real(12);
    t.second = select.real(13);
    t.last = select.whole(14) != 0;
    t.seconds = select.real(15);
    SqliteStatement rounds(file,
                           "SELECT plan_seconds, against_seconds FROM rounds WHERE trial = ? ORDER BY round");
    rounds.bind(select.whole(0));
    while (rounds.step()) {
        t.rounds.push_back({rounds.real(0), rounds.real(1)});
    }
    return t;
}

#define EUTECTIC_TRIAL_COLUMNS                                                                          \
    "trial, decisions_hash, pins, change, predicted_seconds, priced, status, reason, compile_seconds, " \
    "peak_bytes, max_error, against_decisions, ratio, second, last, seconds"

}  // namespace

TuneDatabase::TuneDatabase(const std::string &path, const TuneSubject &subject)
    : file_(path, false, std::string(give_resume) + ", in a folder with room"),
      path_(path),
      subject_(subject) {
    make_tables();
    begin_run();
}

void TuneDatabase::make_tables() {
    file_.execute("PRAGMA foreign_keys = ON; BEGIN IMMEDIATE");  // two that begin at once make them once
    SqliteStatement count(file_, "SELECT COUNT(*) FROM sqlite_schema");
    count.step();
    if (count.whole(0) == 0) {
        file_.execute(tables);
        file_.execute("PRAGMA application_id = " + std::to_string(application));
        file_.execute("PRAGMA user_version = " + std::to_string(version));
    }
    check_tables(file_, path_, give_resume);
    file_.execute("COMMIT");
}

void TuneDatabase::begin_run() {
    SqliteStatement insert(
        file_, "INSERT INTO runs (name, pipeline_hash, machine_hash, target, threads, cpu, parameters, "
               "versions) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(subject_.name).bind(subject_.pipeline).bind(subject_.machine).bind(subject_.target);
    insert.bind(int64_t{subject_.threads}).bind(subject_.cpu).bind(subject_.parameters);
    insert.bind(subject_.versions).step();
    run_ = file_.last_row();
}

std::vector<Trial> TuneDatabase::trials() const {
    SqliteStatement select(file_, "SELECT " EUTECTIC_TRIAL_COLUMNS
                                  " FROM trials JOIN plans USING (plan) JOIN runs USING (run) WHERE "
                                  "plans.pipeline_hash = ? AND plans.machine_hash = ? AND target = ? AND "
                                  "threads = ? AND cpu = ? AND run <> ? ORDER BY trial");
    select.bind(subject_.pipeline).bind(subject_.machine).bind(subject_.target);
    select.bind(int64_t{subject_.threads}).bind(subject_.cpu).bind(run_);
    std::vector<Trial> trials;
    while (select.step()) {
        trials.push_back(read_trial(file_, select));
    }
    return trials;
}

int64_t TuneDatabase::plan_of(const Trial &trial) {
    SqliteStatement insert(file_,
                           "INSERT INTO plans (pipeline_hash, machine_hash, decisions_hash, pins, change, "
                           "predicted_seconds, priced) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    insert.bind(subject_.pipeline).bind(subject_.machine).bind(trial.decisions).bind(trial.pins);
    insert.bind(trial.change).bind(trial.predicted).bind(trial.priced).step();
    SqliteStatement select(
        file_, "SELECT plan FROM plans WHERE pipeline_hash = ? AND machine_hash = ? AND decisions_hash = ?");
    select.bind(subject_.pipeline).bind(subject_.machine).bind(trial.decisions).step();
    return select.whole(0);
}

void TuneDatabase::add(const Trial &trial) {
    file_.execute("BEGIN IMMEDIATE");
    try {
        SqliteStatement insert(
            file_, "INSERT INTO trials (run, plan, second, status, reason, compile_seconds, peak_bytes, "
                   "max_error, against_decisions, ratio, last, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, "
                   "?, ?, ?)");
        insert.bind(run_).bind(plan_of(trial)).bind(trial.second).bind(trial.status).bind(trial.reason);
        insert.bind(trial.compile_seconds).bind(trial.peak_bytes).bind(trial.max_error);
        insert.bind(trial.against).bind(trial.ratio).bind(int64_t{trial.last});
        insert.bind(trial.seconds).step();
        const int64_t id = file_.last_row();
        for (size_t r = 0; r < trial.rounds.size(); r++) {
            SqliteStatement round(file_, "INSERT INTO rounds VALUES (?, ?, ?, ?)");
            round.bind(id).bind(static_cast<int64_t>(r));
            round.bind(trial.rounds[r].plan).bind(trial.rounds[r].against).step();
        }
    } catch (...) {
        try {
            file_.execute("ROLLBACK");
        } catch (const UserError &) {  // NOLINT(bugprone-empty-catch): what went wrong first is told
        }
        throw;
    }
    file_.execute("COMMIT");
}

std::vector<TunedPipeline> read_tuned(const std::string &path) {
    const std::string remedy = "give a file that eutectic tune --resume has made";
    const SqliteFile file(path, true, remedy);
    check_tables(file, path, remedy);
    SqliteStatement select(file,
                           "SELECT " EUTECTIC_TRIAL_COLUMNS
                           ", runs.name, runs.pipeline_hash, runs.machine_hash, target, cpu, threads, "
                           "parameters, versions FROM trials JOIN plans USING (plan) JOIN runs USING (run) "
                           "ORDER BY runs.name, runs.pipeline_hash, runs.machine_hash, target, cpu, threads, "
                           "trial");
    std::vector<TunedPipeline> all;
    while (select.step()) {
        TuneSubject s;
        s.name = select.text(16);
        s.pipeline = select.text(17);
        s.machine = select.text(18);
        s.target = select.text(19);
        s.cpu = select.text(20);
        s.threads = static_cast<int>(select.whole(21));
        s.parameters = select.text(22);
        s.versions = select.text(23);
        if (all.empty() || !all.back().subject.same_as(s)) {
            all.push_back({s, {}});
        }
        all.back().trials.push_back(read_trial(file, select));
    }
    return all;
}

bool TuneSubject::same_as(const TuneSubject &o) const {
    return pipeline == o.pipeline && machine == o.machine && target == o.target && cpu == o.cpu &&
           threads == o.threads;
}

}  // namespace eutectic
