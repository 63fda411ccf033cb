#include "apps/distributed/checkpoint.h"

#include "base/units.h"
#include "base/user_error.h"
#include "base/write_whole.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

namespace eutectic::distributed {

namespace {

using nlohmann::json;

constexpr const char *format = "eutectic distributed checkpoint 1";

[[noreturn]] void refuse(const std::string &path, const std::string &why) {
    throw UserError("'" + path + "' was given as a checkpoint of distributed, and " + why +
                    "; give one that --checkpoint has written, or begin anew without --resume.");
}

template<typename Network, typename Call>
void for_each_tensor(Network &network, const Call &call) {
    for (auto &parameter : network.parameters) {
        call(parameter.value);
        call(parameter.first_moment);
        call(parameter.second_moment);
    }
}

/** A member that counts something, from `least` on. Of another number, or none, a conversion is undefined. */
int count_of(const std::string &path, const json &header, const char *name, int least) {
    const json count = header.value(name, json());
    if (!count.is_number_integer() || count < least || count > std::numeric_limits<int>::max()) {
        refuse(path, std::string("its first line has no ") + name + " that there can be");
    }
    return count.get<int>();
}

json header_of(const std::string &path, const std::string &text) {
    json header = json::parse(text.substr(0, text.find('\n')), nullptr, false);
    if (!header.is_object() || header.value("format", json()) != format) {
        refuse(path, "does not begin with the line of one");
    }
    return header;
}

}  // namespace

void write_checkpoint(const std::string &path, const Checkpoint &checkpoint, const digits::Network &network) {
    std::string tensors;
    for_each_tensor(network, [&](const digits::Floats &tensor) {
        tensors.append(reinterpret_cast<const char *>(tensor.data()), tensor.size_in_bytes());
    });
    const json header = {{"format", format},
                         {"seed", checkpoint.settings.seed},
                         {"batch", checkpoint.settings.batch},
                         {"shards", checkpoint.settings.shards},
                         {"numerics", checkpoint.settings.numerics},
                         {"epoch", checkpoint.position.epoch},
                         {"step", checkpoint.position.step},
                         {"loss", checkpoint.position.loss},
                         {"updates", network.steps},
                         {"data", checkpoint.data},
                         {"bytes", tensors.size()},
                         {"hash", stable_hash(tensors)}};
    write_whole("checkpoint", path, header.dump() + "\n" + tensors);
}

std::string read_checkpoint(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file || text.str().empty()) {
        refuse(path, "cannot be read");
    }
    return text.str();
}

Checkpoint describe_checkpoint(const std::string &path, const std::string &text) {
    const json header = header_of(path, text);
    try {
        if (!header.at("seed").is_number_unsigned() || !header.at("loss").is_number()) {
            refuse(path, "its first line has no seed or no loss");
        }
        return {{header.at("seed").get<uint64_t>(), count_of(path, header, "batch", 1),
                 count_of(path, header, "shards", 1), header.at("numerics").get<std::string>()},
                {count_of(path, header, "epoch", 0), count_of(path, header, "step", 0),
                 header.at("loss").get<double>()},
                header.at("data").get<std::string>()};
    } catch (const json::exception &) {
        refuse(path, "its first line lacks something");
    }
}

void restore_checkpoint(const std::string &path, const std::string &text, digits::Network &network) {
    const json header = header_of(path, text);
    const std::string tensors = text.substr(std::min(text.size(), text.find('\n') + 1));
    size_t bytes = 0;
    for_each_tensor(network, [&](const digits::Floats &tensor) { bytes += tensor.size_in_bytes(); });
    if (header.value("bytes", json()) != tensors.size() ||
        header.value("hash", json()) != stable_hash(tensors)) {
        refuse(path, "what follows its first line is damaged");
    }
    const int updates = count_of(path, header, "updates", 0);
    if (tensors.size() != bytes) {
        refuse(path, "is of another network");
    }
    const char *from = tensors.data();
    for_each_tensor(network, [&](digits::Floats &tensor) {
        std::memcpy(tensor.data(), from, tensor.size_in_bytes());
        from += tensor.size_in_bytes();
    });
    network.steps = updates;
}

}  // namespace eutectic::distributed
