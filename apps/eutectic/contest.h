#pragma once

// One pipeline under several schedulers, each in a process of its own.

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "apps/eutectic/comparison.h"
#include "apps/eutectic/entrant.h"
#include "apps/eutectic/schedulers.h"

namespace eutectic {

/** What is being done, where someone looks on. */
class Progress {
public:
    Progress();
    ~Progress();
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;

    void show(const std::string &what) const;

private:
    const bool on_;
};

struct Contest {
    std::string file;     ///< as rows name it
    std::string title;    ///< as it is called while it runs
    nlohmann::json task;  ///< what all contenders have in common
    std::vector<Scheduler> schedulers;
    ContestLimits limits;
};

/** A row for each scheduler that the user did not stop. `refused` becomes the sentence by which the pipeline
 * itself was refused. */
std::vector<ComparisonRow> hold(const Contest &contest, const Progress &progress, std::string &refused);

}  // namespace eutectic
