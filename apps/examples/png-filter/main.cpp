// Sharpens a picture. libpng's simplified interface reads and writes: it returns what is wrong with a file.
//
// usage: filter IN.png OUT.png

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include <HalideBuffer.h>
#include <png.h>

#include "sharpen.h"

using Halide::Runtime::Buffer;

namespace {

constexpr int colours = 3;
constexpr int64_t most_points = INT32_MAX / colours;  // a buffer of Halide's has no more bytes

int refuse(const char *path, const char *what) {
    std::fprintf(stderr, "filter: %s: %s.\n", path, what);
    return 2;
}

/// Without it, an error of a kernel ends the process. With it, the kernel returns what went wrong.
void say(void *, const char *sentence) {
    std::fprintf(stderr, "filter: %s\n", sentence);
}

/// Into a file that is opened here: when writing fails, png_image_write_to_file() removes whatever has the
/// name.
int write(png_image &image, const uint8_t *points, const char *path) {
    std::FILE *file = std::fopen(path, "wb");
    if (!file) {
        return refuse(path, std::strerror(errno));
    }
    if (!png_image_write_to_stdio(&image, file, 0, points, 0, nullptr)) {
        std::fclose(file);
        return refuse(path, image.message);
    }
    return std::fclose(file) == 0 ? 0 : refuse(path, std::strerror(errno));
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: filter IN.png OUT.png\n");
        return 2;
    }
    halide_set_error_handler(say);

    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, argv[1])) {
        return refuse(argv[1], image.message);
    }
    image.format = PNG_FORMAT_RGB;  // gray becomes colours, 16 bits become 8
    const int64_t points = int64_t{image.width} * image.height;
    std::unique_ptr<uint8_t[]> read, written;
    if (points <= most_points) {
        read.reset(new (std::nothrow) uint8_t[points * colours]);
        written.reset(new (std::nothrow) uint8_t[points * colours]);
    }
    if (!read || !written) {
        png_image_free(&image);
        return refuse(argv[1], "there is no memory for a picture of this size");
    }
    const png_color white = {255, 255, 255};  // behind what is transparent
    if (!png_image_finish_read(&image, &white, read.get(), 0, nullptr)) {
        return refuse(argv[1], image.message);
    }

    const int columns = static_cast<int>(image.width), rows = static_cast<int>(image.height);
    auto in = Buffer<uint8_t, 3>::make_interleaved(read.get(), columns, rows, colours);
    auto out = Buffer<uint8_t, 3>::make_interleaved(written.get(), columns, rows, colours);
    if (sharpen(in, out) != 0) {
        return 2;
    }
    if (const int status = write(image, written.get(), argv[2])) {
        return status;
    }
    std::printf("%s: %d x %d points, sharpened into %s\n", argv[1], columns, rows, argv[2]);
    return 0;
}
