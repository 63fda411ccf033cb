#pragma once

#include "apps/bench/photograph.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace eutectic::bench {

/// What runs in a row: a generator with its parameters.
struct KernelSpec {
    std::string generator;
    std::map<std::string, std::string> params;
};

/// What a machine can do at best, measured beside a row: a kernel of generators/yardsticks.cpp with its
/// hand-written schedule.
struct Yardstick {
    std::string name;   ///< of the contender in the results
    KernelSpec kernel;  ///< that does `work`
    double work = 1;    ///< in the unit of the row's `work`
};

/// One thing to time: kernels that run one after the other. An output of one is the input of the same name of
/// a later one; every other input is drawn at random, as large as the generator's estimates.
struct Row {
    std::string name;
    std::vector<KernelSpec> kernels;
    /// The kernels are the two halves of a generator's gradient, forward and backward. In their place a joint
    /// contender gets one kernel, the generator's values and gradients, Halide's own schedulers
    /// `plain_gradient` of the generator (autodiff/plain_gradient.cpp).
    bool gradient = false;
    /// The lowest and highest value of an input, by name. Needed for integer inputs; floats are drawn from
    /// −0.5 … 0.5 without.
    std::map<std::string, std::pair<double, double>> ranges;
    std::map<std::string, Exposure> photographs;  ///< inputs that are a photograph, by name
    /// Sizes of tensors that are not the generator's estimates, by name.
    std::map<std::string, std::vector<int>> extents;
    /// The row of the same kernels at their estimates, which this one's time per point is compared with.
    std::string like;
    bool rounds = false;  ///< integer outputs are rounded: 1 more or less in 1 of 100 is the same
    /// Elements from one row to the next of tensors that do not lie dense, by name.
    std::map<std::string, int> pitches;
    std::vector<std::string> contenders;  ///< the only ones; all if empty. `before` is where eutectic is
    /// Whose results are right. Where the scalar one takes minutes, "unfused": a peer is compared with it,
    /// too.
    std::string reference = "reference";
    std::optional<Yardstick> yardstick;
    double work = 1;             ///< flops, or whatever the yardstick's is counted in
    double transcendentals = 0;  ///< exp and log that the row takes, one for each element
    bool counts = true;          ///< in geometric means
    /// How many times as fast as the best peer a hand schedule is known to be; 0 if that is not known. A row
    /// with it belongs to the "table".
    double by_hand = 0;
    /// How many variants of the manual schedule were tried.
    int variants = 0;

    bool admits(const std::string &contender) const;
    /// What a contender's (or a reference's) kernel is compiled from.
    std::string generator_of(const std::string &contender, size_t kernel) const;
    /// The yardstick as a row of its own. Only if there is one.
    Row yardstick_row() const;
};

struct Suite {
    std::string name;
    std::vector<Row> rows;
    std::string device = "cpu";   ///< that its kernels run on: "cpu", "cuda" or "opencl"
    std::string isa = "";         ///< that everybody is restricted to; "" for what the machine has
    std::string target = "host";  ///< Halide's, of its kernels

    /// What its targets and folders of kernels are called.
    std::string built_as() const {
        return isa.empty() ? name : name + "-" + isa;
    }
};

enum class ContenderKind {
    eutectic,  ///< this scheduler
    before,    ///< another build of it, which takes part only where its plugin is named
    joint,     ///< this scheduler, values and gradients by one kernel; only in rows of gradients
    unfused,   ///< this scheduler, every Func in memory
    manual,    ///< hand-written
    halide,    ///< a scheduler that ships with Halide
    library,   ///< this scheduler, products by a library where that is predicted faster
    call,      ///< a library's product by itself
    peer
};  ///< another framework

struct Contender {
    std::string name;
    ContenderKind kind;
};

/// Who is timed, in the order of the table. "reference" is not among them: it only says what is right.
const std::vector<Contender> &all_contenders();
/// Those who take part unless others are wanted: all but `before`.
std::vector<std::string> contender_names();

/// Throws UserError, with the known names, if there is none.
ContenderKind kind_of(const std::string &contender);

/// Reads suites/NAME.json as it was when the program was built. `isa`: restricted to that (isa.h); "" for
/// what the machine has. Throws UserError, with the known names, if there is none, or none so restricted.
Suite find_suite(const std::string &name, const std::string &isa = "");

/// Those of the contenders that `wanted` names; all if it is empty. With `before`, that and eutectic are
/// among them in any case. Throws UserError, with the known names, on one that is not there, and on `before`
/// without its plugin.
std::vector<std::string> choose_contenders(const std::vector<std::string> &wanted, bool with_before);

/// Separated by commas.
std::string listed(const std::vector<std::string> &names);

/// `all` without those that `wanted` does not name; everything if `wanted` is empty. Throws UserError, with
/// the known names, on a wanted one that is not there; `what` is "row" or "contender".
std::vector<std::string> choose(const std::string &what, const std::vector<std::string> &all,
                                const std::vector<std::string> &wanted);

}  // namespace eutectic::bench
