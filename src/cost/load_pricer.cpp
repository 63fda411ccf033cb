// A cost model out of a shared library.

#include <dlfcn.h>

#include <filesystem>

#include "base/nearest.h"
#include "base/user_error.h"
#include "cost/pricer.h"

namespace eutectic {

std::shared_ptr<const Pricer> load_pricer(const std::string &path);

namespace {

[[noreturn]] void refuse(const std::string &path, const std::string &why) {
    throw UserError("The cost model " + path + " was asked for, " + why);
}

void *function(void *library, const std::string &path, const char *name) {
    void *const found = dlsym(library, name);
    if (found == nullptr) {
        refuse(path,
               std::string("which exports no ") + name +
                   ": compile it with the functions that cost/priced_nest.h declares, as extern \"C\" in "
                   "C++.");
    }
    return found;
}

}  // namespace

std::shared_ptr<const Pricer> load_pricer(const std::string &path) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
        refuse(path, "which is neither a file nor a name that is known: " +
                         nearest_and_all(path, pricer_names(), "names are") +
                         "; or give the path of a shared library.");
    }
    // dlopen() looks for a name without a slash where the system's libraries are.
    const std::string whole = fs::absolute(path).string();
    const std::shared_ptr<void> library(dlopen(whole.c_str(), RTLD_NOW | RTLD_LOCAL), [](void *l) {
        if (l != nullptr) {
            dlclose(l);
        }
    });
    if (!library) {
        refuse(path, std::string("which is no shared library that can be loaded (") + dlerror() +
                         "): build it for this machine, with -shared -fPIC.");
    }
    const auto version = reinterpret_cast<eutectic_cost_model_version_function>(
        function(library.get(), path, "eutectic_cost_model_version"));
    const auto price =
        reinterpret_cast<eutectic_price_nest_function>(function(library.get(), path, "eutectic_price_nest"));
    if (version() != EUTECTIC_COST_MODEL_VERSION) {
        refuse(path, "which is for version " + std::to_string(version()) +
                         " of cost/priced_nest.h, and this is version " +
                         std::to_string(EUTECTIC_COST_MODEL_VERSION) +
                         ": compile it anew with the header that is installed.");
    }
    return std::make_shared<Pricer>(Pricer{path, price, library});
}

}  // namespace eutectic
