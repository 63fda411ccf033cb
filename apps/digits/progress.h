#pragma once

#include <cstdio>

namespace eutectic::digits {

/// One line an epoch; on a terminal one line in place, in a log a line for the first, every fifth and the
/// last epoch.
class Progress {
public:
    Progress(std::FILE *out, int epochs);
    /// What `out` is, where it does not tell by itself: under mpirun it is a terminal that nobody sees.
    Progress(std::FILE *out, int epochs, bool terminal);

    /// Epochs count from 1. Loss is the epoch's mean, accuracy that of the training samples after it.
    void epoch(int number, double loss, double accuracy, double seconds);

private:
    std::FILE *out_;
    int epochs_;
    bool terminal_;
};

}  // namespace eutectic::digits
