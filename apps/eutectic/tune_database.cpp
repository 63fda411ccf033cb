#include "apps/eutectic/tune_database.h"

#include <sqlite3.h>

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
    against_decisions TEXT NOT NULL, ratio REAL, last INTEGER NOT NULL);
CREATE TABLE rounds (
    trial INTEGER NOT NULL REFERENCES trials, round INTEGER NOT NULL, plan_seconds REAL NOT NULL,
    against_seconds REAL NOT NULL, PRIMARY KEY (trial, round)) WITHOUT ROWID;
)";

}  // namespace

/** A prepared statement whose parameters are bound in their order. */
class TuneDatabase::Statement {
public:
    Statement(const TuneDatabase &database, const char *sql) : database_(database) {
        if (sqlite3_prepare_v2(database.database_, sql, -1, &statement_, nullptr) != SQLITE_OK) {
            database.fail("read");
        }
    }
    ~Statement() {
        sqlite3_finalize(statement_);
    }
    Statement(const Statement &) = delete;
    Statement &operator=(const Statement &) = delete;

    Statement &bind(const std::string &text) {
        sqlite3_bind_text(statement_, ++bound_, text.c_str(), static_cast<int>(text.size()),
                          SQLITE_TRANSIENT);
        return *this;
    }
    Statement &bind(int64_t value) {
        sqlite3_bind_int64(statement_, ++bound_, value);
        return *this;
    }
    Statement &bind(double value) {
        sqlite3_bind_double(statement_, ++bound_, value);
        return *this;
    }
    template<typename T>
    Statement &bind(const std::optional<T> &value) {
        if (value) {
            return bind(*value);
        }
        sqlite3_bind_null(statement_, ++bound_);
        return *this;
    }

    /** Is there one more row? */
    bool step() {
        const int result = sqlite3_step(statement_);
        if (result != SQLITE_ROW && result != SQLITE_DONE) {
            database_.fail(sqlite3_stmt_readonly(statement_) ? "read" : "written");
        }
        return result == SQLITE_ROW;
    }

    std::string text(int column) const {
        const unsigned char *const text = sqlite3_column_text(statement_, column);
        return text ? reinterpret_cast<const char *>(text) : "";
    }
    int64_t whole(int column) const {
        return sqlite3_column_int64(statement_, column);
    }
    double real(int column) const {
        return sqlite3_column_double(statement_, column);
    }
    bool null(int column) const {
        return sqlite3_column_type(statement_, column) == SQLITE_NULL;
    }

private:
    const TuneDatabase &database_;
    sqlite3_stmt *statement_ = nullptr;
    int bound_ = 0;
};

TuneDatabase::TuneDatabase(const std::string &path, const TuneSubject &subject)
    : path_(path), subject_(subject) {
    if (sqlite3_open(path.empty() ? ":memory:" : path.c_str(), &database_) != SQLITE_OK) {
        fail("opened");
    }
    sqlite3_busy_timeout(database_, 10000);  // ms; another run may be writing its trial
    make_tables();
    begin_run();
}

TuneDatabase::~TuneDatabase() {
    sqlite3_close(database_);
}

void TuneDatabase::fail(const std::string &doing) const {
    const std::string why = database_ ? sqlite3_errmsg(database_) : "there is no memory";
    throw UserError(
        "The database " + (path_.empty() ? std::string("in memory") : path_) + " cannot be " + doing + " (" +
        why +
        "): give --resume a file that eutectic tune has made, or one that is not there yet, in a folder "
        "with room.");
}

void TuneDatabase::execute(const std::string &sql) const {
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail("written");
    }
}

void TuneDatabase::make_tables() {
    execute("PRAGMA foreign_keys = ON; BEGIN IMMEDIATE");  // two that begin at once make them once
    Statement of_file(*this, "PRAGMA application_id"), of_tables(*this, "PRAGMA user_version"),
        count(*this, "SELECT COUNT(*) FROM sqlite_schema");
    of_file.step();
    of_tables.step();
    count.step();
    if (count.whole(0) == 0) {
        execute(tables);
        execute("PRAGMA application_id = " + std::to_string(application));
        execute("PRAGMA user_version = " + std::to_string(version));
    } else if (of_file.whole(0) != application) {
        throw UserError(
            "The file " + path_ +
            " is a database of something else: give --resume a file that eutectic tune has made, or "
            "one that is not there yet.");
    } else if (of_tables.whole(0) != version) {
        throw UserError("The database " + path_ + " has tables of version " +
                        std::to_string(of_tables.whole(0)) + ", and this eutectic writes version " +
                        std::to_string(version) + ": give --resume another file.");
    }
    execute("COMMIT");
}

void TuneDatabase::begin_run() {
    Statement insert(*this,
                     "INSERT INTO runs (name, pipeline_hash, machine_hash, target, threads, cpu, parameters, "
                     "versions) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(subject_.name).bind(subject_.pipeline).bind(subject_.machine).bind(subject_.target);
    insert.bind(int64_t{subject_.threads}).bind(subject_.cpu).bind(subject_.parameters);
    insert.bind(subject_.versions).step();
    run_ = sqlite3_last_insert_rowid(database_);
}

std::vector<Trial> TuneDatabase::trials() const {
    Statement select(
        *this, "SELECT trial, decisions_hash, pins, change, predicted_seconds, priced, status, reason, "
               "compile_seconds, peak_bytes, max_error, against_decisions, ratio, second, last FROM trials "
               "JOIN plans USING (plan) JOIN runs USING (run) WHERE plans.pipeline_hash = ? AND "
               "plans.machine_hash = ? AND target = ? AND threads = ? AND cpu = ? AND run <> ? "
               "ORDER BY trial");
    select.bind(subject_.pipeline).bind(subject_.machine).bind(subject_.target);
    select.bind(int64_t{subject_.threads}).bind(subject_.cpu).bind(run_);
    std::vector<Trial> trials;
    while (select.step()) {
        Trial t;
        t.decisions = select.text(1);
        t.pins = select.text(2);
        t.change = select.text(3);
        t.predicted = select.real(4);
        t.priced = select.text(5);
        t.status = select.text(6);
        t.reason = select.text(7);
        const auto real = [&](int column) {
            return select.null(column) ? std::nullopt : std::optional<double>(select.real(column));
        };
        t.compile_seconds = real(8);
        t.peak_bytes = select.null(9) ? std::nullopt : std::optional<int64_t>(select.whole(9));
        t.max_error = real(10);
        t.against = select.text(11);
        t.ratio = real(12);
        t.second = select.real(13);
        t.last = select.whole(14) != 0;
        Statement rounds(*this,
                         "SELECT plan_seconds, against_seconds FROM rounds WHERE trial = ? ORDER BY round");
        rounds.bind(select.whole(0));
        while (rounds.step()) {
            t.rounds.push_back({rounds.real(0), rounds.real(1)});
        }
        trials.push_back(std::move(t));
    }
    return trials;
}

int64_t TuneDatabase::plan_of(const Trial &trial) {
    Statement insert(*this, "INSERT INTO plans (pipeline_hash, machine_hash, decisions_hash, pins, change, "
                            "predicted_seconds, priced) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    insert.bind(subject_.pipeline).bind(subject_.machine).bind(trial.decisions).bind(trial.pins);
    insert.bind(trial.change).bind(trial.predicted).bind(trial.priced).step();
    Statement select(
        *this, "SELECT plan FROM plans WHERE pipeline_hash = ? AND machine_hash = ? AND decisions_hash = ?");
    select.bind(subject_.pipeline).bind(subject_.machine).bind(trial.decisions).step();
    return select.whole(0);
}

void TuneDatabase::add(const Trial &trial) {
    execute("BEGIN IMMEDIATE");
    try {
        Statement insert(
            *this, "INSERT INTO trials (run, plan, second, status, reason, compile_seconds, peak_bytes, "
                   "max_error, against_decisions, ratio, last) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        insert.bind(run_).bind(plan_of(trial)).bind(trial.second).bind(trial.status).bind(trial.reason);
        insert.bind(trial.compile_seconds).bind(trial.peak_bytes).bind(trial.max_error);
        insert.bind(trial.against).bind(trial.ratio).bind(int64_t{trial.last}).step();
        const int64_t id = sqlite3_last_insert_rowid(database_);
        for (size_t r = 0; r < trial.rounds.size(); r++) {
            Statement round(*this, "INSERT INTO rounds VALUES (?, ?, ?, ?)");
            round.bind(id).bind(static_cast<int64_t>(r));
            round.bind(trial.rounds[r].plan).bind(trial.rounds[r].against).step();
        }
    } catch (...) {
        sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
        throw;
    }
    execute("COMMIT");
}

}  // namespace eutectic
