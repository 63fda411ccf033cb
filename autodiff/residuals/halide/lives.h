#pragma once

// Where a pipeline's Funcs are likely to have their values, before anybody plans it.

#include "autodiff/expr_tools.h"
#include "autodiff/residuals/choice/rates.h"

#include <Halide.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace eutectic {

/// Funcs in the order in which they are computed, who reads whom, and from when to when each is a tensor. A
/// cheap Func that several or an update read may be inlined into each of them, if `inlines_shared`: it is no
/// tensor then, but what it reads lives longer.
class Lives {
public:
    using Function = Halide::Internal::Function;
    using Points = std::function<double(const Function &, const StageBody &)>;

    /// `loop_points`: of a definition; of a Func's pure definition they are its size. Refers to `order`.
    Lives(const std::vector<Function> &order, const std::function<bool(const Function &)> &is_output,
          const Points &loop_points, bool inlines_shared);

    int place(const std::string &name) const;
    bool is_tensor(const std::string &name) const;
    /// Where a Func is computed: by itself, or with the last that reads it.
    int at_work(int place) const;
    /// How often each point of a Func that is no tensor is evaluated; 1 for tensors.
    double evaluated(const std::string &name) const;
    int last_read(const std::string &name) const;

    /// How often each point is read, through what is inlined.
    double read(const std::string &name) const;
    /// Is it made of an update's result, point by point, and the only one to read that?
    bool ends_update(const std::string &name) const;
    /// Where the forward has a Func's values. What is read more often than anybody would evaluate it again is
    /// in memory, as is the result of an update that is; but what pure Funcs make of that, point by point, is
    /// written in its place.
    ForwardPlace forward_place(const std::string &name) const;

private:
    struct Readers {
        std::map<int, double> points;  // by place: of the definitions that read, once for each read
        bool in_update = false;
    };

    void add_reads(size_t reader, const StageBody &body, double points, bool is_update);
    void place_in_memory(size_t i, bool is_output, bool inlines_shared);
    bool read_pointwise(size_t i) const;
    size_t index(const std::string &name) const;

    const std::vector<Function> &order_;
    std::map<std::string, int> place_;
    std::vector<Readers> readers_;
    std::vector<int> last_;
    std::vector<double> sizes_, evaluated_;   // points, and how often each of them is evaluated
    std::vector<double> read_, read_by_one_;  // how often each is read by all, and by one Func at most
    std::vector<bool> ends_update_;
    std::map<std::string, bool> tensor_;
};

}  // namespace eutectic
