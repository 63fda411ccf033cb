#pragma once

// Processes of one search that are on one machine do not disturb each other's times.

namespace eutectic {

/** What the turns are of: this machine, for this user. Without company there is nothing to take turns with.
 */
class Turns {
public:
    explicit Turns(bool in_company);
    ~Turns();
    Turns(const Turns &) = delete;
    Turns &operator=(const Turns &) = delete;

private:
    friend class Turn;
    int file_ = -1;
};

/** While it is there, others work as well (shared: compiling), or nobody does (alone: timing). Who wants to
 * be alone is waited for by those who come after. The system ends a turn with its process. */
class Turn {
public:
    enum Kind { shared, alone };

    Turn(const Turns &turns, Kind kind);
    ~Turn();
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

private:
    const int file_;
};

}  // namespace eutectic
