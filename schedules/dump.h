#pragma once

#include <string>
#include <vector>

#include "schedules/autoschedule.h"

namespace eutectic {

/** The folder that holds all of one plan, in the folder that the environment variable EUTECTIC_DUMP names:
 * called after what the pipeline puts out, with a number where that is taken. It appears when all is in it,
 * or not at all. */
class Dump {
public:
    /** Takes a place, before there is something to write; does nothing without EUTECTIC_DUMP. `outputs`: the
     * pipeline's names of what it puts out. Throws UserError when the folder cannot be written to. */
    explicit Dump(const std::vector<std::string> &outputs);
    ~Dump();
    Dump(const Dump &) = delete;
    Dump &operator=(const Dump &) = delete;

    bool wanted() const {
        return !folder_.empty();
    }
    /** Writes what is known of the plan, if that is wanted. Throws UserError. */
    void write(const Scheduled &scheduled);

private:
    std::string folder_, name_;
    std::string hidden_;  ///< where it grows

    void put(const std::string &file, const std::string &content) const;
    void publish();
    [[noreturn]] void refuse(const std::string &why) const;
};

}  // namespace eutectic
