// The two functions of a pair as calls of XLA's foreign function interface: arrays are read and written where
// they lie. Compiled for each pair, which EUTECTIC_FORWARD and EUTECTIC_BACKWARD name.

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "HalideRuntime.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

extern "C" int EUTECTIC_FORWARD(void **arguments);
extern "C" int EUTECTIC_BACKWARD(void **arguments);

namespace {

// What a kernel says in one of Halide's threads belongs to the call that waits for it: the latest one is
// told.
std::mutex saying;
std::string said;

void keep(void *, const char *message) {
    const std::lock_guard<std::mutex> lock(saying);
    said = message;
}

halide_type_t type_of(ffi::DataType type) {
    switch (type) {
    case ffi::DataType::PRED: return {halide_type_uint, 1};
    case ffi::DataType::U8: return {halide_type_uint, 8};
    case ffi::DataType::U16: return {halide_type_uint, 16};
    case ffi::DataType::U32: return {halide_type_uint, 32};
    case ffi::DataType::U64: return {halide_type_uint, 64};
    case ffi::DataType::S8: return {halide_type_int, 8};
    case ffi::DataType::S16: return {halide_type_int, 16};
    case ffi::DataType::S32: return {halide_type_int, 32};
    case ffi::DataType::S64: return {halide_type_int, 64};
    case ffi::DataType::F16: return {halide_type_float, 16};
    case ffi::DataType::BF16: return {halide_type_bfloat, 16};
    case ffi::DataType::F64: return {halide_type_float, 64};
    default: return {halide_type_float, 32};
    }
}

struct Buffer {
    halide_buffer_t buffer = {};
    std::vector<halide_dimension_t> dims;
};

/** A dense array, whose last dimension is Halide's first; `mins` has what each is counted from, outermost
 * first. */
void fill(Buffer &b, ffi::AnyBuffer array, const int64_t *mins) {
    const auto extents = array.dimensions();
    b.dims.resize(extents.size());
    int64_t stride = 1;
    for (size_t d = 0; d < extents.size(); d++) {
        const size_t at = extents.size() - 1 - d;
        b.dims[d] = halide_dimension_t(static_cast<int32_t>(mins[at]), static_cast<int32_t>(extents[at]),
                                       static_cast<int32_t>(stride));
        stride *= extents[at];
    }
    static uint64_t somewhere = 0;  // of an empty array: a null host is a question about sizes
    b.buffer.host = static_cast<uint8_t *>(array.untyped_data());
    b.buffer.host = b.buffer.host ? b.buffer.host : reinterpret_cast<uint8_t *>(&somewhere);
    b.buffer.type = type_of(array.element_type());
    b.buffer.dimensions = static_cast<int32_t>(extents.size());
    b.buffer.dim = b.dims.data();
}

/** `places`: of each argument of the function, which of the arrays it is, those that are read before those
 * that are written, or, for a number that is read, -1 less it; past all of them: none, a null pointer.
 * `mins`: of all of them that are no numbers, in a row. */
ffi::Error call(int (*function)(void **), ffi::RemainingArgs read, ffi::RemainingRets written,
                ffi::Span<const int64_t> places, ffi::Span<const int64_t> mins) {
    std::vector<Buffer> buffers(places.size());
    std::vector<void *> arguments(places.size());
    const int64_t *begins = mins.begin();
    for (size_t i = 0; i < places.size(); i++) {
        const bool number = places[i] < 0;
        const auto at = static_cast<size_t>(number ? -1 - places[i] : places[i]);
        if (at >= read.size() + written.size()) {
            continue;
        }
        if (at < read.size()) {
            const auto array = read.get<ffi::AnyBuffer>(at);
            if (!array.has_value()) {
                return array.error();
            }
            arguments[i] = array->untyped_data();
            if (!number) {
                fill(buffers[i], *array, begins);
                begins += array->dimensions().size();
            }
        } else {
            auto array = written.get<ffi::AnyBuffer>(at - read.size());
            if (!array.has_value()) {
                return array.error();
            }
            fill(buffers[i], **array, begins);
            begins += (*array)->dimensions().size();
        }
        arguments[i] = number ? arguments[i] : &buffers[i].buffer;
    }
    if (function(arguments.data()) != 0) {
        const std::lock_guard<std::mutex> lock(saying);
        return ffi::Error(ffi::ErrorCode::kInvalidArgument, said);
    }
    return ffi::Error::Success();
}

ffi::Error forward(ffi::RemainingArgs read, ffi::RemainingRets written, ffi::Span<const int64_t> places,
                   ffi::Span<const int64_t> mins) {
    return call(EUTECTIC_FORWARD, read, written, places, mins);
}

ffi::Error backward(ffi::RemainingArgs read, ffi::RemainingRets written, ffi::Span<const int64_t> places,
                    ffi::Span<const int64_t> mins) {
    return call(EUTECTIC_BACKWARD, read, written, places, mins);
}

const auto handler_before = halide_set_error_handler(keep);

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(eutectic_forward, forward,
                              ffi::Ffi::Bind()
                                  .RemainingArgs()
                                  .RemainingRets()
                                  .Attr<ffi::Span<const int64_t>>("places")
                                  .Attr<ffi::Span<const int64_t>>("mins"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(eutectic_backward, backward,
                              ffi::Ffi::Bind()
                                  .RemainingArgs()
                                  .RemainingRets()
                                  .Attr<ffi::Span<const int64_t>>("places")
                                  .Attr<ffi::Span<const int64_t>>("mins"));
