#pragma once

#include <filesystem>
#include <string>

namespace eutectic {

/** A new folder for temporary files, which goes with this object. */
class TemporaryFolder {
public:
    /** `purpose`: what it is for, in a sentence: "assembling kernels"; `otherwise`: what may be done without
     * one: "leave feedback out". Throws UserError where none can be made. */
    TemporaryFolder(const std::string &purpose, const std::string &otherwise);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    std::string file(const std::string &name) const {
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

}  // namespace eutectic
