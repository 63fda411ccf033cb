#include "apps/eutectic/rules.h"

#include <dlfcn.h>

#include <filesystem>

#include "autodiff/rules/rule_list.h"
#include "base/user_error.h"

namespace eutectic {

RuleList load_rules(const std::string &path) {
    // A name without a folder would be looked for among the system's libraries.
    void *library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        throw UserError("The rules " + path + " cannot be loaded (" + (why ? why : "no reason was given") +
                        "): give a shared library that was made for this Halide.");
    }
    void *function = dlsym(library, "eutectic_rules");
    if (!function) {
        throw UserError(
            "The rules " + path +
            " have no function eutectic_rules: write extern \"C\" void eutectic_rules(eutectic::RuleList "
            "&rules), which adds them.");
    }
    RuleList rules = default_rules();
    reinterpret_cast<void (*)(RuleList &)>(function)(rules);
    return rules;
}

}  // namespace eutectic
