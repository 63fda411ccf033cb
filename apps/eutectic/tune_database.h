#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/eutectic/trials.h"

struct sqlite3;

namespace eutectic {

/** What trials are of: plans of another pipeline, or for another machine, are others. */
struct TuneSubject {
    std::string pipeline, machine;  ///< hashes (PlanHash)
    std::string target, cpu, name;
    int threads = 1;
    std::string parameters;  ///< of the scheduler, as JSON
    std::string versions;    ///< "eutectic 0.1.0, Halide 21.0.0"
};

/** Trials in an SQLite file: `runs` (who measured what, when, by which versions), `plans` (decisions, pins,
 * predicted seconds, and what they were priced by), `trials` (one plan measured in one run) and `rounds` (the
 * seconds of each round). docs/eutectic.md has the columns. A trial is there whole or not at all, whenever
 * the process ends. */
class TuneDatabase {
public:
    /** Opens or makes the file; an empty path is a database in memory. Throws UserError, naming the file, for
     * what is no such database, or cannot be read or written. */
    TuneDatabase(const std::string &path, const TuneSubject &subject);
    ~TuneDatabase();
    TuneDatabase(const TuneDatabase &) = delete;
    TuneDatabase &operator=(const TuneDatabase &) = delete;

    /** The trials of the subject that earlier runs have left, in their order. */
    std::vector<Trial> trials() const;

    /** Keeps one more. Throws UserError if it cannot be written. */
    void add(const Trial &trial);

private:
    class Statement;

    std::string path_;
    sqlite3 *database_ = nullptr;
    TuneSubject subject_;
    int64_t run_ = 0;

    void execute(const std::string &sql) const;
    void make_tables();
    void begin_run();
    int64_t plan_of(const Trial &trial);
    [[noreturn]] void fail(const std::string &doing) const;
};

}  // namespace eutectic
