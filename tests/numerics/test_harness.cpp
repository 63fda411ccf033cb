// The tests' own tools must notice what they are there to notice.

#include "tests/numerics/evaluate.h"
#include "tests/numerics/small_float.h"

#include <doctest/doctest.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>

using namespace eutectic;
using namespace eutectic::numerics;
using Place = GuardedTensor::Place;

namespace {

GuardedTensor tensor(Place place, int padding) {
    return {halide_type_of<float>(), {{5, 7}, {-3, 4}}, place, padding};
}

float *at(GuardedTensor &t, int j, int i) {
    const halide_buffer_t &b = *t.raw();
    return reinterpret_cast<float *>(b.host) + (j - b.dim[0].min) + (i - b.dim[1].min) * b.dim[1].stride;
}

/// The signal that ends a process which reads there.
int signal_of_reading(const volatile uint8_t *address) {
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGSEGV, SIG_DFL);
        const uint8_t value = *address;
        _exit(value & 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

std::vector<Result> results(double first, double second) {
    std::vector<Result> all;
    all.push_back({"kernel", "y", GuardedTensor(halide_type_of<float>(), {{0, 2}}, Place::middle, 0)});
    all.back().tensor.set([&, i = 0]() mutable { return i++ == 0 ? first : second; });
    return all;
}

}  // namespace

TEST_CASE("writing elements leaves the pattern whole, wherever they lie") {
    for (const Place place : {Place::middle, Place::at_begin, Place::at_end}) {
        GuardedTensor t = tensor(place, 3);
        t.fill(0xFF);
        double next = 0;
        t.set([&] { return next++; });
        CHECK_FALSE(t.damage());
        CHECK(*at(t, 5, -3) == 0);
        CHECK(*at(t, 11, -3) == 6);
        CHECK(*at(t, 5, -2) == 7);
        CHECK(*at(t, 11, 0) == 27);
        CHECK(t.values()[27] == 27);
        CHECK(t.where(27) == "(11, 0)");
        CHECK(t.bytes().size() == 28 * sizeof(float));
    }
}

TEST_CASE("a write before, after or between rows is noticed") {
    for (const auto &[j, i] :
         {std::pair(4, -3), std::pair(12, 0), std::pair(12, -3), std::pair(14, -1), std::pair(4, 0)}) {
        GuardedTensor t = tensor(Place::middle, 3);
        *at(t, j, i) = 0;
        CHECK(t.damage());
    }
    // In the middle the pattern reaches 256 bytes on both sides.
    for (const int bytes : {-256, 256}) {
        GuardedTensor t = tensor(Place::middle, 0);
        uint8_t *end = bytes < 0 ? t.raw()->host : t.raw()->host + t.bytes().size() - 1;
        end[bytes] ^= 1;
        CHECK(t.damage());
    }
}

TEST_CASE("reading one byte beyond the page's side ends the program") {
    GuardedTensor first = tensor(Place::at_begin, 3), last = tensor(Place::at_end, 3);
    CHECK(signal_of_reading(first.raw()->host) == 0);
    CHECK(signal_of_reading(first.raw()->host - 1) == SIGSEGV);
    const uint8_t *end = reinterpret_cast<uint8_t *>(at(last, 11, 0) + 1);
    CHECK(signal_of_reading(end - 1) == 0);
    CHECK(signal_of_reading(end) == SIGSEGV);
}

TEST_CASE("comparison: within the tolerance, beyond it, never written, other bits") {
    Failures failures;
    compare(results(1, 2), results(1, 2), 8, failures);
    compare(results(1, 2.000001), results(1, 2), 8, failures);
    CHECK(failures.empty());
    compare(results(1.00001, 2), results(1, 2), 8, failures);
    CHECK(failures.size() == 1);
    std::vector<Result> unwritten = results(1, 2);
    unwritten[0].tensor.fill(0xFF);
    compare(unwritten, results(1, 2), 8, failures);
    CHECK(failures.size() == 2);
    compare_bits(results(1, 2), results(1, 2), "a run", failures);
    CHECK(failures.size() == 2);
    compare_bits(results(0.0, 2), results(-0.0, 2), "a run", failures);
    CHECK(failures.size() == 3);
}

TEST_CASE("numbers of 16 bits: known codes, rounding to even, subnormals, the ends") {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::tuple<double, int, int> codes[] = {
        {0, 0, 0},
        {1, 0x3C00, 0x3F80},
        {-2, 0xC000, 0xC000},
        {0.125, 0x3000, 0x3E00},
        {1 + 0x1p-11, 0x3C00, 0x3F80},
        {1 + 3 * 0x1p-11, 0x3C02, 0x3F80},
        {1 + 3 * 0x1p-8, 0x3C0C, 0x3F82},
        {0x1p-24, 0x0001, 0x3380},
        {0x1p-25, 0, 0x3300},
        {65504, 0x7BFF, 0x4780},
        {65520, 0x7C00, 0x4780},
        {-infinity, 0xFC00, 0xFF80},
    };
    for (const auto &[value, half, brain] : codes) {
        CAPTURE(value);
        CHECK(Float16(value).bits() == half);
        CHECK(Bfloat16(value).bits() == brain);
    }
    for (int i = -256; i <= 256; i++) {
        CHECK(static_cast<double>(Float16(i / 64.0)) == i / 64.0);
        CHECK(static_cast<double>(Bfloat16(i / 64.0)) == i / 64.0);
    }
    CHECK(static_cast<double>(Float16(0x1p-24)) == 0x1p-24);
    CHECK(static_cast<double>(Float16(-infinity)) == -infinity);
    CHECK(std::isnan(static_cast<double>(Float16(std::nan("")))));
    CHECK(std::isnan(static_cast<double>(Bfloat16(std::nan("")))));
}

TEST_CASE("sizes that follow from others") {
    const Sizes sizes = {{"a", {-3, 5}}, {"b", {7, 2}}};
    const auto same = [&](const std::string &dim, int min, int extent) {
        const Range range = range_of(dim, sizes);
        CAPTURE(dim);
        CHECK(range.min == min);
        CHECK(range.extent == extent);
    };
    same("a", -3, 5);
    same("a*2", -6, 10);
    same("a*2-1", -6, 9);
    same("a+b", -3, 7);
    same("b+3", 7, 5);
    same("a/2", -3, 2);
    same("b/3", 7, 1);
    same("a*b", 0, 10);
}
