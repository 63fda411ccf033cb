#include "apps/eutectic/watch.h"

#include <sys/wait.h>

#include <chrono>
#include <cstdio>

namespace eutectic {

namespace {

constexpr timespec tick = {0, 200'000'000};  // between two looks
constexpr double first_line = 10;  // seconds that a step takes before it is told; then twice as many
constexpr double grace = 5;        // seconds to end by oneself: compare prints the table of what was done

class Watcher {
public:
    Watcher(pid_t child, const sigset_t &signals, const std::function<std::optional<Doing>()> &now)
        : child_(child), signals_(signals), now_(now) {
    }

    Watched wait() {
        for (;;) {
            const int signal = sigtimedwait(&signals_, nullptr, &tick);
            if (signal > 0 && signal != SIGCHLD) {
                watched_.asked = signal;
                end(signal);
            }
            if (waitpid(child_, &watched_.status, WNOHANG) == child_) {
                return watched_;
            }
            if (ending_ > 0 && seconds_now() - ending_ > grace) {
                kill(child_, SIGKILL);
            } else if (const std::optional<Doing> step = now_(); step && ending_ == 0) {
                look(*step);
            }
        }
    }

private:
    const pid_t child_;
    const sigset_t &signals_;
    const std::function<std::optional<Doing>()> &now_;
    Watched watched_;
    double ending_ = 0;  // since when it is asked to end
    unsigned turn_ = 0;  // of the step that is told next
    double line_ = first_line;

    void end(int signal) {
        kill(child_, ending_ > 0 ? SIGKILL : signal);
        ending_ = seconds_now();
    }

    void look(const Doing &step) {
        const double seconds = seconds_now() - step.began;
        if (step.turn != turn_) {
            turn_ = step.turn;
            line_ = first_line;
        }
        if (step.what.empty()) {
            return;
        }
        if (step.most > 0 && seconds > step.most) {
            watched_.late = step;
            end(SIGTERM);
        } else if (seconds > line_) {
            std::fprintf(stderr, "eutectic: %s: %.0f s so far\n", step.what.c_str(), seconds);
            line_ *= 2;
        }
    }
};

}  // namespace

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Watched watch(pid_t child, const sigset_t &signals, const std::function<std::optional<Doing>()> &now) {
    return Watcher(child, signals, now).wait();
}

}  // namespace eutectic
