// JPEG through libjpeg. Its errors leave by longjmp, over C functions only: what C++ has to destroy lies
// outside of the functions that call setjmp().

#include "apps/photo/format.h"
#include "apps/photo/orientation.h"

#include <cstddef>
#include <cstdio>

#include <csetjmp>
#include <cstdlib>
#include <utility>

#include <jpeglib.h>

#include <jerror.h>

namespace eutectic::photo {

namespace {

constexpr int quality = 92;
/// A file of some kilobytes can name thousands of passes over a picture of millions of pixels; ten or so
/// are usual.
constexpr int most_passes = 200;

struct Errors : jpeg_error_mgr {
    std::jmp_buf leave;
    char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void leave(j_common_ptr info) {
    auto &errors = *static_cast<Errors *>(info->err);
    errors.format_message(info, errors.message);
    std::longjmp(errors.leave, 1);
}

/// libjpeg fills what is missing with gray and warns. Bytes between the parts of a file do no harm.
void take_warning(j_common_ptr info, int level) {
    if (level < 0 && info->err->msg_code != JWRN_EXTRANEOUS_DATA) {
        leave(info);
    }
}

void look_at_pass(j_common_ptr info) {
    if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > most_passes) {
        auto &errors = *static_cast<Errors *>(info->err);
        std::snprintf(errors.message, sizeof errors.message, "it has more than %d passes", most_passes);
        std::longjmp(errors.leave, 1);
    }
}

void set_errors(Errors &errors, jpeg_error_mgr *&place) {
    place = jpeg_std_error(&errors);
    errors.error_exit = leave;
    errors.emit_message = take_warning;
}

struct Decoder {
    jpeg_decompress_struct info{};
    Errors errors{};
    jpeg_progress_mgr progress{};

    Decoder() {
        set_errors(errors, info.err);
        progress.progress_monitor = look_at_pass;
    }
    ~Decoder() {
        jpeg_destroy_decompress(&info);
    }
    Decoder(const Decoder &) = delete;
    Decoder &operator=(const Decoder &) = delete;

    bool read_header(const std::string &bytes) {
        if (setjmp(errors.leave)) {
            return false;
        }
        jpeg_create_decompress(&info);
        info.progress = &progress;
        jpeg_save_markers(&info, JPEG_APP0 + 1, 0xffff);
        jpeg_mem_src(&info, reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size());
        jpeg_read_header(&info, TRUE);
        return true;
    }
    /// Of the first marker that says it.
    int orientation() const {
        for (jpeg_saved_marker_ptr marker = info.marker_list; marker; marker = marker->next) {
            const int found = orientation_in(marker->data, marker->data_length);
            if (found != 1) {
                return found;
            }
        }
        return 1;
    }
    bool read_rows(uint8_t *colours) {
        if (setjmp(errors.leave)) {
            return false;
        }
        info.out_color_space = JCS_RGB;
        jpeg_start_decompress(&info);
        while (info.output_scanline < info.output_height) {
            JSAMPROW row = colours + size_t{3} * info.output_width * info.output_scanline;
            jpeg_read_scanlines(&info, &row, 1);
        }
        jpeg_finish_decompress(&info);
        return true;
    }
};

struct Encoder {
    jpeg_compress_struct info{};
    Errors errors{};
    unsigned char *bytes = nullptr;
    unsigned long size = 0;

    Encoder() {
        set_errors(errors, info.err);
    }
    ~Encoder() {
        jpeg_destroy_compress(&info);
        std::free(bytes);
    }
    Encoder(const Encoder &) = delete;
    Encoder &operator=(const Encoder &) = delete;

    bool write(const Picture &picture) {
        if (setjmp(errors.leave)) {
            return false;
        }
        jpeg_create_compress(&info);
        jpeg_mem_dest(&info, &bytes, &size);
        info.image_width = static_cast<JDIMENSION>(picture.columns);
        info.image_height = static_cast<JDIMENSION>(picture.rows);
        info.input_components = 3;
        info.in_color_space = JCS_RGB;
        jpeg_set_defaults(&info);
        jpeg_set_quality(&info, quality, TRUE);
        jpeg_start_compress(&info, TRUE);
        while (info.next_scanline < info.image_height) {
            JSAMPROW row = const_cast<uint8_t *>(picture.colours.data()) +
                           size_t{3} * info.image_width * info.next_scanline;
            jpeg_write_scanlines(&info, &row, 1);
        }
        jpeg_finish_compress(&info);
        return true;
    }
};

std::string damage(const Errors &errors) {
    return "the JPEG is damaged or of a kind that libjpeg has not (" + std::string(errors.message) +
           "); fetch the file again";
}

}  // namespace

Picture decode_jpeg(const std::string &bytes) {
    Decoder decoder;
    if (!decoder.read_header(bytes)) {
        throw BadPicture(damage(decoder.errors));
    }
    require_size(decoder.info.image_width, decoder.info.image_height);
    const J_COLOR_SPACE colours = decoder.info.jpeg_color_space;
    if (colours == JCS_CMYK || colours == JCS_YCCK) {
        throw BadPicture("the JPEG has the four colours of print (CMYK); photo takes red, green and blue, so "
                         "convert it first");
    }
    Picture picture{static_cast<int>(decoder.info.image_width), static_cast<int>(decoder.info.image_height)};
    picture.colours.resize(size_t{3} * decoder.info.image_width * decoder.info.image_height);
    const int orientation = decoder.orientation();  // what reads the rows frees the markers
    if (!decoder.read_rows(picture.colours.data())) {
        throw BadPicture(damage(decoder.errors));
    }
    return upright(std::move(picture), orientation);
}

std::string encode_jpeg(const Picture &picture) {
    if (picture.columns > JPEG_MAX_DIMENSION || picture.rows > JPEG_MAX_DIMENSION) {
        throw BadPicture("a JPEG has at most " + std::to_string(JPEG_MAX_DIMENSION) +
                         " columns and rows; let the name end in .png");
    }
    Encoder encoder;
    if (!encoder.write(picture)) {
        throw BadPicture("the picture cannot be written as JPEG (" + std::string(encoder.errors.message) +
                         ")");
    }
    return std::string(reinterpret_cast<const char *>(encoder.bytes), encoder.size);
}

}  // namespace eutectic::photo
