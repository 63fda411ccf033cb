#pragma once

#include <filesystem>
#include <string>

namespace eutectic {

/** A new folder for temporary files, which goes with this object. */
class TemporaryFolder {
public:
    /** `purpose`: what it is for, in a sentence: "assembling kernels". Throws UserError where none can be
     * made. */
    explicit TemporaryFolder(const std::string &purpose);
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
