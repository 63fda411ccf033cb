#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>

namespace eutectic {

/** An open SQLite database. Whatever goes wrong is a UserError that names the file, and ends with `remedy`.
 */
class SqliteFile {
public:
    /** An empty path is a database in memory. */
    SqliteFile(const std::string &path, bool read_only, const std::string &remedy);
    ~SqliteFile();
    SqliteFile(const SqliteFile &) = delete;
    SqliteFile &operator=(const SqliteFile &) = delete;

    void execute(const std::string &sql) const;
    int64_t last_row() const {
        return sqlite3_last_insert_rowid(database_);
    }
    [[noreturn]] void fail(const std::string &doing) const;

private:
    friend class SqliteStatement;
    std::string path_, remedy_;
    sqlite3 *database_ = nullptr;
};

/** A statement whose parameters are bound in their order. */
class SqliteStatement {
public:
    SqliteStatement(const SqliteFile &file, const char *sql);
    ~SqliteStatement();
    SqliteStatement(const SqliteStatement &) = delete;
    SqliteStatement &operator=(const SqliteStatement &) = delete;

    SqliteStatement &bind(const std::string &text);
    SqliteStatement &bind(int64_t value);
    SqliteStatement &bind(double value);
    template<typename T>
    SqliteStatement &bind(const std::optional<T> &value) {
        if (value) {
            return bind(*value);
        }
        sqlite3_bind_null(statement_, ++bound_);
        return *this;
    }

    /** Is there one more row? */
    bool step();

    std::string text(int column) const;
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
    const SqliteFile &file_;
    sqlite3_stmt *statement_ = nullptr;
    int bound_ = 0;
};

}  // namespace eutectic
