#pragma once

// What a derivative passes through on its way from the inputs asked for to the outputs.

#include <Halide.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace eutectic {

/// The Funcs, and of tuple-valued ones the elements, that depend on inputs asked for in any way but through a
/// Func that stops gradients.
class Activity {
public:
    /// `order`: every forward Func, producers first. `wrt`: the names of the Funcs of the inputs asked for.
    /// `outputs`: of those of the outputs. The maxima that only keep a softmax's numbers small (shifts.h) are
    /// not active.
    Activity(const std::vector<Halide::Internal::Function> &order, const std::set<std::string> &wrt,
             const std::set<std::string> &outputs);

    bool is_active(const std::string &func) const {
        return active_.count(func) != 0;
    }
    bool is_active(const Halide::Internal::Function &f, int element) const {
        return is_active(f.name()) && (f.outputs() == 1 || elements_.count({f.name(), element}) != 0);
    }
    /// `f` stands for `like`, element by element.
    void add_as(const Halide::Internal::Function &f, const Halide::Internal::Function &like);

private:
    void find_elements(const Halide::Internal::Function &f);

    std::set<std::string> active_;
    std::set<std::pair<std::string, int>> elements_;  // of tuple-valued Funcs
};

}  // namespace eutectic
