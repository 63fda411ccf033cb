#pragma once

#include <functional>
#include <string>

namespace eutectic {

/** Runs `work` in a process of its own, since reading a damaged pipeline or compiling onto a full disk ends a process (neither Halide nor LLVM asks first). Returns its exit
 *  status. If it was ended by a signal: prints the sentence that set_crash_sentence() left, removes its ScratchFolders, and returns 2; 128 and the signal after Ctrl-C. */
int guarded(const std::function<int()> &work);

/** Inside `work`: what is to be said if the process is ended from now on. "{}" in it becomes the signal's name. */
void set_crash_sentence(const std::string &sentence);

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

}  // namespace eutectic
