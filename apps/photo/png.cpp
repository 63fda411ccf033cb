// PNG through libpng's simplified interface, which returns what is wrong with a file.

#include "apps/photo/format.h"

#include <png.h>

#include <memory>

namespace eutectic::photo {

namespace {

struct Image : png_image {
    Image() : png_image{} {
        version = PNG_IMAGE_VERSION;
    }
    ~Image() {
        png_image_free(this);
    }
    Image(const Image &) = delete;
    Image &operator=(const Image &) = delete;
};

std::string damage(const png_image &image) {
    return "the PNG is damaged (" + std::string(image.message) + "); fetch the file again";
}

}  // namespace

Picture decode_png(const std::string &bytes) {
    Image image;
    if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) {
        throw BadPicture(damage(image));
    }
    require_size(image.width, image.height);
    if (image.format & PNG_FORMAT_FLAG_COLORMAP) {
        throw BadPicture("the PNG has a palette; photo takes red, green and blue, so convert it first");
    }
    if (image.format & PNG_FORMAT_FLAG_LINEAR) {
        throw BadPicture("the PNG has 16 bits a colour; photo takes 8, so convert it first");
    }
    if (image.format & PNG_FORMAT_FLAG_ALPHA) {
        throw BadPicture("the PNG is transparent in places; photo takes opaque pictures, so fill it first");
    }
    image.format = PNG_FORMAT_RGB;  // gray becomes colours
    Picture picture{static_cast<int>(image.width), static_cast<int>(image.height)};
    picture.colours.resize(PNG_IMAGE_SIZE(image));
    if (!png_image_finish_read(&image, nullptr, picture.colours.data(), 0, nullptr)) {
        throw BadPicture(damage(image));
    }
    return picture;
}

std::string encode_png(const Picture &picture) {
    Image image;
    image.width = static_cast<png_uint_32>(picture.columns);
    image.height = static_cast<png_uint_32>(picture.rows);
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::string bytes(size, '\0');
    if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.colours.data(), 0, nullptr)) {
        throw BadPicture("the picture cannot be written as PNG (" + std::string(image.message) + ")");
    }
    bytes.resize(size);
    return bytes;
}

}  // namespace eutectic::photo
