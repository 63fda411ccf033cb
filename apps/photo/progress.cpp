#include "apps/photo/progress.h"

#include <unistd.h>

namespace eutectic::photo {

Progress::Progress(std::FILE *out, int steps)
    : out_(out), steps_(steps), terminal_(isatty(fileno(out)) != 0) {
}

void Progress::step(int number, double psnr, double seconds) {
    const bool last = number == steps_;
    if (!terminal_ && number != 1 && number % 20 != 0 && !last) {
        return;
    }
    std::fprintf(out_, "%sstep %4d/%d  PSNR %.2f dB  %.1f s%s", terminal_ ? "\r\033[K" : "", number, steps_,
                 psnr, seconds, !terminal_ || last ? "\n" : "");
    std::fflush(out_);
}

}  // namespace eutectic::photo
