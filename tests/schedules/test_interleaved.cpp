// Colours that lie side by side: the version for known strides and the other have the values of the
// definition, whatever the pitch of pixels and rows, and write nothing beside their points.

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "Halide.h"

#include "schedules/autoschedule.h"

using namespace Halide;
using namespace eutectic;

namespace {

constexpr int colours = 3;

/** An image of bytes with room between pixels, rows and colours, at (colour, column, row). */
class Image {
public:
    /** Elements from one colour, column and row to the next. */
    Image(int columns, int rows, int colour_step, int column_step, int row_step)
        : columns_(columns),
          rows_(rows),
          steps_{colour_step, column_step, row_step},
          bytes_(static_cast<size_t>(colour_step) * colours + static_cast<size_t>(column_step) * columns +
                 static_cast<size_t>(row_step) * rows) {
        for (size_t i = 0; i < bytes_.size(); i++) {
            bytes_[i] = static_cast<uint8_t>((i * 37 + i / 11) % 100);
        }
    }

    uint8_t &at(int c, int x, int y) {
        return bytes_.at(static_cast<size_t>(c * steps_[0] + x * steps_[1] + y * steps_[2]));
    }

    /** With dimensions (colours, columns, rows), or (columns, rows, colours). */
    Buffer<> buffer(bool planes) {
        const halide_dimension_t c(0, colours, steps_[0]), x(0, columns_, steps_[1]), y(0, rows_, steps_[2]);
        const halide_dimension_t shape[] = {planes ? x : c, planes ? y : x, planes ? c : y};
        return Buffer<>(Runtime::Buffer<>(UInt(8), bytes_.data(), 3, shape));
    }

    const std::vector<uint8_t> &bytes() const {
        return bytes_;
    }

private:
    int columns_, rows_;
    std::vector<int> steps_;
    std::vector<uint8_t> bytes_;
};

/** Each colour from two of them, of which each result needs its own, too. */
int mixed(int first, int second, int own, int c) {
    return (first * 2 + second * (c + 1) + own) >> 2;
}

enum class Sets { nothing, input, output, both };

struct Pipe {
    ImageParam in{UInt(8), 3, "in"};
    Pipeline pipeline;
    std::string schedule;

    Pipe(bool planes, Sets strides) {
        Var c("c"), x("x"), y("y");
        Func out("out");
        const auto at = [&](const Expr &i) { return cast<int32_t>(planes ? in(x, y, i) : in(i, x, y)); };
        const Expr value = cast<uint8_t>((at(0) * 2 + at(1) * (c + 1) + at(c)) >> 2);
        planes ? out(x, y, c) = value : out(c, x, y) = value;
        const Region size =
            planes ? Region{{0, 1000}, {0, 500}, {0, colours}} : Region{{0, colours}, {0, 1000}, {0, 500}};
        in.set_estimates(size);
        out.set_estimates(size);
        const auto interleave = [](auto &&buffer) {
            buffer.dim(0).set_stride(colours);
            buffer.dim(2).set_stride(1);
        };
        if (strides == Sets::input || strides == Sets::both) {
            interleave(in);
        }
        if (strides == Sets::output || strides == Sets::both) {
            interleave(out.output_buffer());
        }
        pipeline = Pipeline(out);
        schedule = autoschedule(
            pipeline, Target("x86-64-linux-sse41-avx-f16c-fma-avx2-avx512-avx512_skylake"), Parameters());
        pipeline.compile_jit(get_jit_target_from_environment());
    }

    void check(Image input, Image output, bool planes, int columns, int rows) {
        CAPTURE(columns);
        CAPTURE(rows);
        INFO(schedule);
        Image expected = output;
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < columns; x++) {
                const int first = input.at(0, x, y), second = input.at(1, x, y);
                for (int c = 0; c < colours; c++) {
                    expected.at(c, x, y) = static_cast<uint8_t>(mixed(first, second, input.at(c, x, y), c));
                }
            }
        }
        in.set(input.buffer(planes));
        Realization results({output.buffer(planes)});
        pipeline.realize(results);
        CHECK(output.bytes() == expected.bytes());
    }
};

Image pixels(int columns, int rows, int pitch, int more_columns = 0) {
    return Image(columns, rows, 1, pitch, pitch * (columns + more_columns));
}

Image plane_by_plane(int columns, int rows) {
    return Image(columns, rows, columns * rows, 1, columns);
}

const std::vector<std::pair<int, int>> sizes = {{1000, 9}, {1, 1},  {3, 2},   {15, 1},
                                                {16, 3},   {65, 7}, {129, 33}};

}  // namespace

TEST_CASE("pixels of three colours and of four: strides are asked for") {
    Pipe pipe(false, Sets::nothing);
    CHECK(pipe.schedule.find("eutectic::input_stride(") != std::string::npos);
    for (const auto &[columns, rows] : sizes) {
        for (const int in_pitch : {3, 4}) {
            for (const int out_pitch : {3, 4}) {
                pipe.check(pixels(columns, rows, in_pitch, 5), pixels(columns, rows, out_pitch), false,
                           columns, rows);
            }
        }
    }
}

TEST_CASE("dimensions in the order of planes whose author has set the strides of pixels") {
    for (const Sets strides : {Sets::both, Sets::input, Sets::output}) {
        Pipe pipe(true, strides);
        CHECK(pipe.schedule.find("input_stride(") == std::string::npos);
        for (const auto &[columns, rows] : sizes) {
            pipe.check(
                strides == Sets::output ? plane_by_plane(columns, rows) : pixels(columns, rows, colours, 2),
                strides == Sets::input ? plane_by_plane(columns, rows) : pixels(columns, rows, colours), true,
                columns, rows);
        }
    }
}

TEST_CASE("grey of pixels: the strides alone are asked for, so that images of less than a vector are right") {
    ImageParam in(UInt(8), 3, "in");
    Var x("x"), y("y");
    Func grey("grey");
    grey(x, y) = cast<uint8_t>((cast<int32_t>(in(0, x, y)) + in(1, x, y) * 2 + in(2, x, y)) >> 2);
    in.set_estimates({{0, colours}, {0, 1000}, {0, 500}});
    grey.set_estimates({{0, 1000}, {0, 500}});
    Pipeline pipeline(grey);
    const std::string schedule = autoschedule(
        pipeline, Target("x86-64-linux-sse41-avx-f16c-fma-avx2-avx512-avx512_skylake"), Parameters());
    INFO(schedule);
    CHECK(schedule.find("eutectic::input_stride(") != std::string::npos);
    pipeline.compile_jit(get_jit_target_from_environment());
    for (const auto &[columns, rows] : sizes) {
        for (const int pitch : {3, 4}) {
            Image input = pixels(columns, rows, pitch, 1);
            in.set(input.buffer(false));
            Buffer<uint8_t> got = pipeline.realize({columns, rows});
            bool same = true;
            for (int j = 0; j < rows; j++) {
                for (int i = 0; i < columns; i++) {
                    const int sum = input.at(0, i, j) + input.at(1, i, j) * 2 + input.at(2, i, j);
                    same = same && got(i, j) == sum >> 2;
                }
            }
            CAPTURE(columns);
            CHECK(same);
        }
    }
}
