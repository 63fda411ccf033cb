#include "apps/accuracy/study_file.h"

#include <zlib.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <vector>

#include "apps/bench/json_lines.h"
#include "base/write_whole.h"

namespace eutectic::accuracy {

namespace {

constexpr int plan_levels = 4;  // the file, "generators", one of them, "plans"

/// As the program gzip does it, without a name and a date: the same text gives the same bytes.
std::string packed(std::string text) {
    z_stream stream{};
    constexpr int gzip = 16;
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::runtime_error("zlib cannot be used");
    }
    std::string bytes(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef *>(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef *>(bytes.data());
    stream.avail_out = static_cast<uInt>(bytes.size());
    const int status = deflate(&stream, Z_FINISH);
    bytes.resize(stream.total_out);
    deflateEnd(&stream);
    if (status != Z_STREAM_END) {
        throw std::runtime_error("zlib did not pack the results");
    }
    return bytes;
}

}  // namespace

void write_study(const std::string &path, const nlohmann::ordered_json &study) {
    const std::string text = bench::json_lines(study, plan_levels);
    write_whole("results", path, std::filesystem::path(path).extension() == ".gz" ? packed(text) : text);
}

std::string read_study(const std::string &path) {
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
    std::string text;
    std::vector<char> chunk(1 << 16);
    int got = 0;
    while (file && (got = gzread(file.get(), chunk.data(), static_cast<unsigned>(chunk.size()))) > 0) {
        text.append(chunk.data(), static_cast<size_t>(got));
    }
    return text;
}

}  // namespace eutectic::accuracy
