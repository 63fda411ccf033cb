#include "base/temporary_folder.h"

#include <stdlib.h>

#include "base/user_error.h"

namespace eutectic {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const std::string &purpose, const std::string &otherwise) {
    std::string pattern = (fs::temp_directory_path() / "eutectic-XXXXXX").string();
    if (!mkdtemp(pattern.data())) {
        throw UserError("No folder can be made in " + fs::temp_directory_path().string() + " for " + purpose +
                        ": give TMPDIR a folder that is writable, or " + otherwise + ".");
    }
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code none;
    fs::remove_all(path_, none);
}

}  // namespace eutectic
