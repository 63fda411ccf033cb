#include "tests/numerics/guarded_tensor.h"

#include "tests/numerics/small_float.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

namespace eutectic::numerics {

namespace {

constexpr size_t guard_bytes = 256;

constexpr size_t period = 4096;

/// Quiet NaNs as float32, a different one at each place: what a kernel reads outside spoils its result, and
/// what it copies is noticed. The pattern of a byte is the one of its offset modulo the period.
const uint8_t *pattern() {
    static const std::vector<uint8_t> bytes = [] {
        std::vector<uint8_t> all(period);
        for (size_t offset = 0; offset < period; offset++) {
            const uint32_t word = 0x7FC00000u | (static_cast<uint32_t>(offset / 4) * 0x9E3779B1u >> 10);
            all[offset] = static_cast<uint8_t>(word >> (8 * (offset % 4)));
        }
        return all;
    }();
    return bytes.data();
}

template<typename Use>
auto with_type(halide_type_t type, Use use) {
    if (type == halide_type_of<float>())
        return use(float());
    if (type == halide_type_of<double>())
        return use(double());
    if (type == halide_type_t(halide_type_float, 16))
        return use(Float16());
    if (type == halide_type_t(halide_type_bfloat, 16))
        return use(Bfloat16());
    if (type == halide_type_of<int32_t>())
        return use(int32_t());
    if (type == halide_type_of<uint8_t>())
        return use(uint8_t());
    if (type == halide_type_of<int8_t>())
        return use(int8_t());
    if (type == halide_type_of<int16_t>())
        return use(int16_t());
    if (type == halide_type_of<uint16_t>())
        return use(uint16_t());
    throw std::logic_error("a kernel has a buffer of a type that tests/numerics does not know");
}

}  // namespace

GuardedTensor::GuardedTensor(halide_type_t type, std::vector<Range> ranges, Place place, int padding)
    : ranges_(std::move(ranges)), dims_(ranges_.size() + 1) {
    buffer_.type = type;
    buffer_.dimensions = static_cast<int32_t>(ranges_.size());
    lay_out(place, padding);
    for (uint8_t *p = begin_; p != end_; p += period) {
        std::memcpy(p, pattern(), period);
    }
}

void GuardedTensor::lay_out(Place place, int padding) {
    size_t stride = 1, last = 0;
    for (size_t d = 0; d < ranges_.size(); d++) {
        if (d > 0) {
            stride = stride * static_cast<size_t>(ranges_[d - 1].extent) + static_cast<size_t>(padding);
        }
        dims_[d] = halide_dimension_t(ranges_[d].min, ranges_[d].extent, static_cast<int32_t>(stride));
        last += stride * static_cast<size_t>(ranges_[d].extent - 1);
    }
    const size_t page = std::max(static_cast<size_t>(sysconf(_SC_PAGESIZE)), period),
                 element_bytes = static_cast<size_t>(buffer_.type.bytes());
    const size_t needed = (last + 1) * element_bytes;
    const size_t usable = (needed + 2 * guard_bytes + 64 + page - 1) / page * page;
    mapped_bytes_ = usable + 2 * page;
    void *mapping = mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) {
        throw std::bad_alloc();
    }
    mapping_ = static_cast<uint8_t *>(mapping);
    begin_ = mapping_ + page;
    end_ = begin_ + usable;
    mprotect(begin_, usable, PROT_READ | PROT_WRITE);
    // One element beyond a multiple of any vector's size.
    uint8_t *host = begin_ + guard_bytes + element_bytes;
    if (place == Place::at_begin) {
        host = begin_;
    } else if (place == Place::at_end) {
        host = end_ - needed;
    }
    buffer_.host = host;
}

GuardedTensor::~GuardedTensor() {
    release();
}

void GuardedTensor::release() {
    if (buffer_.device) {
        raw()->device_interface->device_free(nullptr, &buffer_);
    }
    if (mapping_) {
        munmap(mapping_, mapped_bytes_);
        mapping_ = nullptr;
    }
}

GuardedTensor::GuardedTensor(GuardedTensor &&other) noexcept
    : ranges_(std::move(other.ranges_)),
      dims_(std::move(other.dims_)),
      buffer_(other.buffer_),
      mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_bytes_(other.mapped_bytes_),
      begin_(other.begin_),
      end_(other.end_) {
    other.buffer_.device = 0;
}

GuardedTensor &GuardedTensor::operator=(GuardedTensor &&other) noexcept {
    if (this != &other) {
        release();
        ranges_ = std::move(other.ranges_);
        dims_ = std::move(other.dims_);
        buffer_ = other.buffer_;
        other.buffer_.device = 0;
        mapping_ = std::exchange(other.mapping_, nullptr);
        mapped_bytes_ = other.mapped_bytes_;
        begin_ = other.begin_;
        end_ = other.end_;
    }
    return *this;
}

halide_buffer_t *GuardedTensor::raw() {
    buffer_.dim = dims_.data();
    return &buffer_;
}

size_t GuardedTensor::size() const {
    size_t size = 1;
    for (const Range &r : ranges_) {
        size *= static_cast<size_t>(r.extent);
    }
    return size;
}

size_t GuardedTensor::row_elements() const {
    return static_cast<size_t>(ranges_.empty() ? 1 : ranges_[0].extent);
}

size_t GuardedTensor::row_bytes() const {
    return static_cast<size_t>(buffer_.type.bytes()) * row_elements();
}

uint8_t *GuardedTensor::element(size_t i) const {
    size_t offset = 0;
    for (size_t d = 0; d < ranges_.size(); d++) {
        const size_t extent = static_cast<size_t>(ranges_[d].extent);
        offset += i % extent * static_cast<size_t>(dims_[d].stride);
        i /= extent;
    }
    return buffer_.host + offset * static_cast<size_t>(buffer_.type.bytes());
}

std::vector<double> GuardedTensor::values() const {
    const std::vector<uint8_t> all = bytes();
    return with_type(buffer_.type, [&](auto kind) {
        std::vector<double> values(size());
        for (size_t i = 0; i < values.size(); i++) {
            std::memcpy(&kind, &all[i * sizeof kind], sizeof kind);
            values[i] = static_cast<double>(kind);
        }
        return values;
    });
}

void GuardedTensor::set(const std::function<double()> &next) {
    const size_t row = row_elements();
    with_type(buffer_.type, [&](auto kind) {
        for (size_t i = 0; i < size(); i += row) {
            uint8_t *first = element(i);
            for (size_t j = 0; j < row; j++) {
                kind = static_cast<decltype(kind)>(next());
                std::memcpy(first + j * sizeof kind, &kind, sizeof kind);
            }
        }
    });
}

std::string GuardedTensor::where(size_t i) const {
    std::string text;
    for (const Range &r : ranges_) {
        const size_t extent = static_cast<size_t>(r.extent);
        text += (text.empty() ? "" : ", ") + std::to_string(r.min + static_cast<int>(i % extent));
        i /= extent;
    }
    return "(" + text + ")";
}

void GuardedTensor::fill(uint8_t byte) {
    const size_t row = row_elements();
    for (size_t i = 0; i < size(); i += row) {
        std::memset(element(i), byte, row_bytes());
    }
}

std::vector<uint8_t> GuardedTensor::bytes() const {
    const size_t row = row_elements();
    std::vector<uint8_t> all;
    all.reserve(size() * static_cast<size_t>(buffer_.type.bytes()));
    for (size_t i = 0; i < size(); i += row) {
        const uint8_t *first = element(i);
        all.insert(all.end(), first, first + row_bytes());
    }
    return all;
}

std::optional<std::string> GuardedTensor::damage() const {
    const size_t row = row_elements();
    const uint8_t *p = begin_;
    // Rows lie one after the other, in the order of their elements.
    for (size_t i = 0; i <= size(); i += row) {
        const uint8_t *stop = i < size() ? element(i) : end_;
        while (p < stop) {
            const size_t offset = static_cast<size_t>(p - begin_) % period;
            const size_t length = std::min(static_cast<size_t>(stop - p), period - offset);
            if (std::memcmp(p, pattern() + offset, length) != 0) {
                const uint8_t *wrong = std::mismatch(p, p + length, pattern() + offset).first;
                return "a byte was written " + std::to_string(wrong - buffer_.host) +
                       " bytes from its first element" +
                       (i == 0       ? ", before it"
                        : i < size() ? ", in the padding before the row of " + where(i)
                                     : ", after the last one");
            }
            p += length;
        }
        p += row_bytes();
    }
    return std::nullopt;
}

}  // namespace eutectic::numerics
