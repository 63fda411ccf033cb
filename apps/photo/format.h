#pragma once

#include "apps/photo/picture.h"

#include <stdexcept>
#include <string>

namespace eutectic::photo {

/// What is wrong with a file, as the end of a sentence that begins with its name.
class BadPicture : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws BadPicture for a size that cannot be held; before anything is allocated for it.
void require_size(int64_t columns, int64_t rows);

/// How a file format is read from a file's bytes and made of a picture. CMake builds those whose library it
/// finds. Decoders throw BadPicture.
Picture decode_png(const std::string &bytes);
std::string encode_png(const Picture &picture);
Picture decode_jpeg(const std::string &bytes);
std::string encode_jpeg(const Picture &picture);

}  // namespace eutectic::photo
