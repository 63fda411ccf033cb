#pragma once

/// Sizes of tensors and what is computed of them, while an operation runs or torch.compile traces it with
/// symbols.

#include <map>
#include <string>
#include <vector>

#include <c10/core/SymInt.h>
#include <c10/core/SymIntArrayRef.h>

namespace eutectic::pytorch {

/// An integer, perhaps a symbol. Quotients are rounded down, as in Halide.
class Size {
public:
    Size(int64_t value) : value_(value) {
    }  // NOLINT: texts of sizes have literals in them
    explicit Size(c10::SymInt value) : value_(std::move(value)) {
    }

    const c10::SymInt &value() const {
        return value_;
    }

    friend Size operator+(const Size &a, const Size &b) {
        return Size(a.value_ + b.value_);
    }
    friend Size operator-(const Size &a, const Size &b) {
        return Size(a.value_ - b.value_);
    }
    friend Size operator*(const Size &a, const Size &b) {
        return Size(a.value_ * b.value_);
    }
    friend Size operator-(const Size &a) {
        return Size(c10::SymInt(0) - a.value_);
    }
    /// A c10::Error where b is 0.
    friend Size operator/(const Size &a, const Size &b);
    friend Size operator%(const Size &a, const Size &b) {
        return a - (a / b) * b;
    }
    friend Size min(const Size &a, const Size &b) {
        return Size(a.value_.min(b.value_));
    }
    friend Size max(const Size &a, const Size &b) {
        return Size(a.value_.max(b.value_));
    }

private:
    c10::SymInt value_;
};

/// Sizes of buffers and values of numbers, by the names of arguments.
class Known {
public:
    /// Sizes with the innermost dimension last, as tensors have them.
    void set_sizes(const std::string &name, c10::SymIntArrayRef sizes) {
        sizes_[name] = sizes.vec();
    }
    void set_number(const std::string &name, c10::SymInt value) {
        numbers_.insert_or_assign(name, std::move(value));
    }

    /// Of the buffer's dimension d, counted from the innermost one. A c10::Error where that is not known.
    Size extent(const std::string &name, int d) const;
    /// Tensors count from 0.
    Size min(const std::string & /*name*/, int /*d*/) const {
        return 0;
    }
    Size number(const std::string &name) const;

    const std::vector<c10::SymInt> &sizes(const std::string &name) const {
        return sizes_.at(name);
    }

private:
    std::map<std::string, std::vector<c10::SymInt>> sizes_;
    std::map<std::string, c10::SymInt> numbers_;
};

}  // namespace eutectic::pytorch
