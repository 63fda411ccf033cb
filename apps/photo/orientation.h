#pragma once

#include "apps/photo/picture.h"

#include <cstddef>

namespace eutectic::photo {

/// How a camera was held, 1 to 8, as Exif 2.32 has it (tag 274), from the bytes of a JPEG's segment APP1; 1,
/// upright, where they do not say.
int orientation_in(const uint8_t *bytes, size_t size);

/// The picture upright.
Picture upright(Picture picture, int orientation);

}  // namespace eutectic::photo
