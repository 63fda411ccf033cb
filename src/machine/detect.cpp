#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "machine/machine.h"

namespace eutectic {

namespace {

std::string first_line(const std::string &path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/** "32K", "1024K", "32M" as the kernel writes them; 0 when it is something else. */
Bytes parse_size(const std::string &text) {
    size_t used = 0;
    Bytes value = 0;
    try {
        value = std::stoll(text, &used);
    } catch (const std::exception &) {
        return 0;  // an absent or foreign file: the caller keeps the preset's value
    }
    if (used < text.size() && text[used] == 'K') {
        value *= 1024;
    } else if (used < text.size() && text[used] == 'M') {
        value *= 1024 * 1024;
    }
    return value;
}

/** How many processors a kernel list such as "0-3,8" names; what follows the first thing that is no number is
 * left out. */
int count_list(const std::string &list) {
    int count = 0;
    std::istringstream numbers(list);
    int first = 0;
    while (numbers >> first) {
        int last = first;
        if (numbers.peek() == '-' && (numbers.get(), !(numbers >> last))) {
            break;
        }
        count += std::max(0, last - first + 1);
        if (numbers.get() != ',') {
            break;
        }
    }
    return count;
}

int count_processors(const std::string &root) {
    return count_list(first_line(root + "sys/devices/system/cpu/online"));
}

void read_caches(const std::string &root, Machine &m) {
    for (int index = 0; index < 8; index++) {
        const std::string folder =
            root + "sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
        const Bytes size = parse_size(first_line(folder + "size"));
        const std::string type = first_line(folder + "type");
        const std::string level = first_line(folder + "level");
        if (size <= 0 || type == "Instruction") {
            continue;
        }
        const int sharers =
            std::max(1, std::min(m.cores, count_list(first_line(folder + "shared_cpu_list"))));
        if (level == "1") {
            m.l1.bytes = size;
        } else if (level == "2") {
            m.l2.bytes = size / sharers;
        } else if (level == "3") {
            m.l3.bytes = size / sharers;
        }
    }
}

}  // namespace

Machine machine_from_host(const TargetDescription &target, int parallelism, const std::string &root) {
    Machine m = machine_from_target(target, parallelism);
    const int found = count_processors(root);
    if (found > 0) {
        m.cores = parallelism > 0 ? std::min(found, parallelism) : found;
    }
    read_caches(root, m);
    m.name = "host (" + target.arch + " " + std::to_string(target.vector_bits) + "-bit, " +
             std::to_string(m.cores) + " cores)";
    return m;
}

}  // namespace eutectic
