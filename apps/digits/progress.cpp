#include "apps/digits/progress.h"

#include <unistd.h>

namespace eutectic::digits {

Progress::Progress(std::FILE *out, int epochs) : Progress(out, epochs, isatty(fileno(out)) != 0) {
}

Progress::Progress(std::FILE *out, int epochs, bool terminal)
    : out_(out), epochs_(epochs), terminal_(terminal) {
}

void Progress::epoch(int number, double loss, double accuracy, double seconds) {
    const bool last = number == epochs_;
    if (!terminal_ && number != 1 && number % 5 != 0 && !last) {
        return;
    }
    const char *end = !terminal_ || last ? "\n" : "";
    std::fprintf(out_, "%sepoch %3d/%d  loss %.4f  training accuracy %.4f  %.1f s%s",
                 terminal_ ? "\r\033[K" : "", number, epochs_, loss, accuracy, seconds, end);
    std::fflush(out_);
}

}  // namespace eutectic::digits
