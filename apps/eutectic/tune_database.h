#pragma once

#include <string>
#include <vector>

#include "apps/eutectic/sqlite_file.h"
#include "apps/eutectic/trials.h"

namespace eutectic {

/** What trials are of: plans of another pipeline, or for another machine, are others. */
struct TuneSubject {
    std::string pipeline, machine;  ///< hashes (PlanHash)
    std::string target, cpu, name;
    int threads = 1;
    std::string parameters;  ///< of the scheduler, as JSON
    std::string versions;    ///< "eutectic 0.1.0, Halide 21.0.0"

    /** Are times of one those of the other? */
    bool same_as(const TuneSubject &other) const;
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

    /** The trials of the subject that earlier runs have left, in their order. */
    std::vector<Trial> trials() const;

    /** Keeps one more. Throws UserError if it cannot be written. */
    void add(const Trial &trial);

private:
    SqliteFile file_;
    std::string path_;
    TuneSubject subject_;
    int64_t run_ = 0;

    void make_tables();
    void begin_run();
    int64_t plan_of(const Trial &trial);
};

/** All trials of one pipeline on one machine. */
struct TunedPipeline {
    TuneSubject subject;
    std::vector<Trial> trials;
};

/** What such a file holds, by pipeline. Throws UserError, naming the file, for what is none. */
std::vector<TunedPipeline> read_tuned(const std::string &path);

}  // namespace eutectic
