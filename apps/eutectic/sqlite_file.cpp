#include "apps/eutectic/sqlite_file.h"

#include "base/user_error.h"

namespace eutectic {

SqliteFile::SqliteFile(const std::string &path, bool read_only, const std::string &remedy)
    : path_(path), remedy_(remedy) {
    const int how = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(path.empty() ? ":memory:" : path.c_str(), &database_, how, nullptr) != SQLITE_OK) {
        fail("opened");
    }
    sqlite3_busy_timeout(database_, 10000);  // ms; another process may be writing
}

SqliteFile::~SqliteFile() {
    sqlite3_close(database_);
}

void SqliteFile::fail(const std::string &doing) const {
    const std::string why = database_ ? sqlite3_errmsg(database_) : "there is no memory";
    throw UserError("The database " + (path_.empty() ? std::string("in memory") : path_) + " cannot be " +
                    doing + " (" + why + "): " + remedy_ + ".");
}

void SqliteFile::execute(const std::string &sql) const {
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail("written");
    }
}

SqliteStatement::SqliteStatement(const SqliteFile &file, const char *sql) : file_(file) {
    if (sqlite3_prepare_v2(file.database_, sql, -1, &statement_, nullptr) != SQLITE_OK) {
        file.fail("read");
    }
}

SqliteStatement::~SqliteStatement() {
    sqlite3_finalize(statement_);
}

SqliteStatement &SqliteStatement::bind(const std::string &text) {
    sqlite3_bind_text(statement_, ++bound_, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
}

SqliteStatement &SqliteStatement::bind(int64_t value) {
    sqlite3_bind_int64(statement_, ++bound_, value);
    return *this;
}

SqliteStatement &SqliteStatement::bind(double value) {
    sqlite3_bind_double(statement_, ++bound_, value);
    return *this;
}

bool SqliteStatement::step() {
    const int result = sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) {
        file_.fail(sqlite3_stmt_readonly(statement_) ? "read" : "written");
    }
    return result == SQLITE_ROW;
}

std::string SqliteStatement::text(int column) const {
    const unsigned char *const text = sqlite3_column_text(statement_, column);
    return text ? reinterpret_cast<const char *>(text) : "";
}

}  // namespace eutectic
