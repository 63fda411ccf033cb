#pragma once

#include <map>
#include <string>
#include <vector>

namespace eutectic::bench {

/// An instruction set that everybody can be restricted to on a machine with wider vectors: an entry of
/// isas.json, which also has what else peers/worker.py tells the frameworks.
struct Isa {
    std::string name;                ///< "avx2", "avx512"
    std::string target;              ///< Halide's, of every kernel
    std::vector<std::string> flags;  ///< a processor's, by the names of /proc/cpuinfo, that such kernels need
    std::map<std::string, std::string> environment;  ///< that libraries read
};

/// From the narrowest to the widest.
const std::vector<Isa> &all_isas();

/// Throws UserError, with the known names, if there is none.
const Isa &isa_named(const std::string &name);

/// What this processor has, by the names of /proc/cpuinfo; nothing where it does not say.
std::vector<std::string> processor_flags();

/// Throws UserError, with what is missing, unless a processor with these flags runs the instruction set.
void require_isa(const Isa &isa, const std::vector<std::string> &flags);

/// Libraries that are loaded from now on, here and in processes that are started, keep to it, but for Eigen,
/// which has no such setting.
void restrict_libraries(const Isa &isa);

/// The widest instruction set that code for a Halide target has, "host" being a processor with these flags;
/// "unknown" if it has none of them.
std::string widest_isa(const std::string &target, const std::vector<std::string> &flags);

}  // namespace eutectic::bench
