#pragma once

#include <functional>
#include <string>

namespace eutectic {

/** Runs `work` in a process of its own, since reading a damaged pipeline or compiling onto a full disk ends a
 * process (neither Halide nor LLVM asks first). Returns what `work` returns. If the process was ended before
 * that, by a signal or by LLVM: prints the sentence that set_crash_sentence() left, removes its
 * ScratchFolders, and returns 2; 128 and the signal, without a sentence, after Ctrl-C and where nobody
 * reads the output any more. */
int guarded(const std::function<int()> &work);

/** Inside `work`: what is to be said if the process is ended from now on. "{}" in it becomes the signal's
 * name, or what was said last inside a QuietErrors. */
void set_crash_sentence(const std::string &sentence);

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

/** Keeps what is written to standard error until it goes, and then lets it out; if the process is ended, only
 * the last line is told. */
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
