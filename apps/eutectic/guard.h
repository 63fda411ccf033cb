#pragma once

#include <functional>
#include <string>

namespace eutectic {

/** Runs `work` in a process of its own, since reading a damaged pipeline or compiling onto a full disk ends a
 * process (neither Halide nor LLVM asks first), and a generator may never come to its end. Returns what
 * `work` returns. What it and its children make in the folder for temporary files is removed, and so are its
 * ScratchFolders.
 *
 * If the process was ended before that, by a signal or by LLVM, prints the sentence of begin_step(), and
 * returns 2; or `too_late` and a sentence when a step took longer than it may. When this process is asked to
 * end (base/signals.h), so are the other and its children, and this one ends by that signal; so it does by
 * SIGPIPE, where nobody reads the output any more. */
int guarded(const std::function<int()> &work);

constexpr int too_late = 124;  // as timeout(1) has it

/** Inside `work`: what is being done from now on, as a sentence begins: "Compiling dense.hlpipe". Standard
 * error tells when it takes long. `ended`: what is said if the process is ended, in which "{}" becomes the
 * signal's name, or what was said inside a QuietErrors; empty: "STEP ended with: {}.". `most`: seconds that
 * it may take, unless limit_steps() says otherwise; 0: any. An empty step is nothing to speak of. */
void begin_step(const std::string &step, const std::string &ended = "", double most = 0);

/** Inside `work`: no step that begins from now on may take longer. 0: each as long as it says. */
void limit_steps(double seconds);

/** A step for as long as this object is there; then what was done before goes on. */
class InnerStep {
public:
    InnerStep(const std::string &step, double most);
    ~InnerStep();
    InnerStep(const InnerStep &) = delete;
    InnerStep &operator=(const InnerStep &) = delete;

private:
    std::string before_, ended_before_;
};

/** While it is there, the process may take a minute and 2 GiB beyond what it has: a damaged count in a file
 * makes the reader allocate and read without end. What goes beyond that throws std::bad_alloc, or ends the
 * process. */
class ReadingLimits {
public:
    ReadingLimits();
    ~ReadingLimits();
    ReadingLimits(const ReadingLimits &) = delete;
    ReadingLimits &operator=(const ReadingLimits &) = delete;
};

/** A new folder, which goes with this object, or with the process. */
class ScratchFolder {
public:
    /** In `parent`, which exists. Throws UserError when it cannot be made there. */
    explicit ScratchFolder(const std::string &parent);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder &) = delete;
    ScratchFolder &operator=(const ScratchFolder &) = delete;

    std::string file(const std::string &name) const {
        return path_ + "/" + name;
    }

private:
    std::string path_;
    char *slot_ = nullptr;  // where the waiting process reads it
};

/** Keeps what is written to standard error until it goes, and then lets it out; if the process is ended, that
 * is told as one sentence. */
class QuietErrors {
public:
    QuietErrors();
    ~QuietErrors();
    QuietErrors(const QuietErrors &) = delete;
    QuietErrors &operator=(const QuietErrors &) = delete;

private:
    int errors_ = -1;
};

}  // namespace eutectic
