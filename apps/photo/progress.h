#pragma once

#include <cstdio>

namespace eutectic::photo {

/// On a terminal one line in place, in a log a line for the first, every twentieth and the last step.
class Progress {
public:
    Progress(std::FILE *out, int steps);

    /// Steps count from 1; `psnr`: of what it looked at, before it, in dB.
    void step(int number, double psnr, double seconds);

private:
    std::FILE *out_;
    int steps_;
    bool terminal_;
};

}  // namespace eutectic::photo
