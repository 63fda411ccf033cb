#pragma once

#include <HalideRuntime.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace eutectic::numerics {

/// The points of one dimension: min … min + extent - 1.
struct Range {
    int min = 0, extent = 1;
};

/// A tensor for a kernel that is not trusted. Its elements lie between two pages that nobody may touch, so
/// that an access far outside ends the program; every byte around them and between their rows holds a known
/// pattern, so that a write next to them is seen.
class GuardedTensor {
public:
    /// Where the elements lie between the two pages: `middle` leaves at least 256 bytes of pattern on both
    /// sides; the others leave none on their side, so that even a read one byte beyond ends the program.
    /// Elements have their natural alignment and no more.
    enum class Place { middle, at_begin, at_end };

    /// `ranges` innermost first; none makes one value. The innermost stride is 1; each further one is
    /// `padding` elements longer than the rows need.
    GuardedTensor(halide_type_t type, std::vector<Range> ranges, Place place, int padding);
    ~GuardedTensor();
    GuardedTensor(GuardedTensor &&other) noexcept;
    GuardedTensor &operator=(GuardedTensor &&other) noexcept;

    halide_buffer_t *raw();

    const std::vector<Range> &ranges() const {
        return ranges_;
    }
    halide_type_t type() const {
        return buffer_.type;
    }

    /// Elements are counted from 0, innermost dimension first.
    size_t size() const;
    std::vector<double> values() const;
    /// Sets every element to what `next` gives, in order.
    void set(const std::function<double()> &next);
    /// "(3, -7)": where element i is.
    std::string where(size_t i) const;

    /// Sets every byte of every element.
    void fill(uint8_t byte);
    /// The bytes of all elements, without what is between them.
    std::vector<uint8_t> bytes() const;
    /// What was written outside of the elements, in words; nothing if the pattern is whole.
    std::optional<std::string> damage() const;

private:
    uint8_t *element(size_t i) const;
    size_t row_elements() const;
    size_t row_bytes() const;
    void lay_out(Place place, int padding);
    void release();

    std::vector<Range> ranges_;
    std::vector<halide_dimension_t> dims_;
    halide_buffer_t buffer_{};
    uint8_t *mapping_ = nullptr;  ///< the two untouchable pages and what is between them
    size_t mapped_bytes_ = 0;
    uint8_t *begin_ = nullptr, *end_ = nullptr;  ///< between the two pages
};

}  // namespace eutectic::numerics
