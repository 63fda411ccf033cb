#pragma once

#include <HalideBuffer.h>

#include <map>
#include <string>
#include <vector>

namespace eutectic {

using Tensor = Halide::Runtime::Buffer<void>;

/// One argument of a compiled kernel, as its own metadata describes it.
struct Argument {
    std::string name;
    halide_argument_kind_t kind;
    halide_type_t type;
    int dimensions;  ///< 0 for scalars and for buffers of one value
    std::vector<int>
        extents;  ///< of buffers: the estimates, innermost first; empty where the generator gave none
    const halide_scalar_value_t
        *scalar;  ///< of scalars: the estimate, else the default, or nullptr where the generator gave neither
    std::vector<int> mins;  ///< of buffers: the estimates, as many as extents

    bool is_output() const {
        return kind == halide_argument_kind_output_buffer;
    }
    bool is_scalar() const {
        return kind == halide_argument_kind_input_scalar;
    }
};

/// What a call is given, by argument name. Buffers and scalars are referred to, not copied: they must outlive
/// the calls.
class Values {
public:
    template<typename T, int Dims>
    void set(const std::string &name, Halide::Runtime::Buffer<T, Dims> &buffer) {
        values_[name] = buffer.raw_buffer();
    }
    void set(const std::string &name, halide_buffer_t &buffer) {
        values_[name] = &buffer;
    }
    void set_scalar(const std::string &name, void *value) {
        values_[name] = value;
    }
    /// What was set under a name, or nullptr.
    void *find(const std::string &name) const;

private:
    std::map<std::string, void *> values_;
};

/// An ahead-of-time compiled kernel: the two functions NAME_argv and NAME_metadata that Halide's header
/// declares. Arguments are bound by name, so that a caller does not depend on their order, nor on which
/// residuals a forward hands to its backward.
class Kernel {
public:
    using Call = int (*)(void **);

    Kernel(Call call, const halide_filter_metadata_t *metadata);

    const std::string &name() const {
        return name_;
    }
    const std::vector<Argument> &arguments() const {
        return arguments_;
    }
    /// The argument of that name, or nullptr.
    const Argument *find(const std::string &name) const;

    /// Pointers in the kernel's own order, to call many times. Throws std::logic_error if an argument has no
    /// value.
    std::vector<void *> bind(const Values &values) const;
    /// Runs with what bind() gave. Throws std::runtime_error if the kernel returns an error.
    void run(std::vector<void *> &bound) const;
    void run(const Values &values) const;

private:
    Call call_;
    std::string name_;
    std::vector<Argument> arguments_;
};

/// A zeroed tensor of an argument's type with these extents; none makes a tensor of one value.
/// Throws std::logic_error if there are more or fewer of them than the argument has dimensions.
Tensor make_tensor(const Argument &argument, const std::vector<int> &extents);

}  // namespace eutectic
