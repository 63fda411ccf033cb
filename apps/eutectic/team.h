#pragma once

// The processes that mpirun has started together with this one.

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

struct EutecticMessages;

namespace eutectic {

/** Ranks of one job, which send each other JSON. */
class Team {
public:
    explicit Team(const EutecticMessages &messages) : messages_(messages) {
    }

    int rank() const;
    int ranks() const;

    void send(int to, const nlohmann::json &message) const;

    struct Message {
        int from;
        nlohmann::json content;
    };
    /** The next that has arrived. */
    std::optional<Message> receive() const;
    /** The next, for which it sleeps meanwhile: a core that a waiting process keeps busy is not free for one
     * that is timed. None if the user wants no more. */
    std::optional<Message> wait() const;

    /** After the last message of all. */
    void end() const;

private:
    const EutecticMessages &messages_;
};

/** Those of `command`, or null where mpirun did not start this process, or started no other. Throws UserError
 * if it did and they cannot be met. */
std::unique_ptr<Team> join_team(const char *command);

}  // namespace eutectic
