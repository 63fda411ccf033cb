#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "machine/calibration.h"

using namespace eutectic;
namespace fs = std::filesystem;

namespace {

/** A Linux host's files below a folder of its own, removed in the end. */
class FakedHost {
public:
    explicit FakedHost(const std::string &name) : root_(fs::current_path() / ("faked_host_" + name)) {
        fs::remove_all(root_);
        fs::create_directories(root_);
    }
    ~FakedHost() {
        fs::remove_all(root_);
    }
    FakedHost(const FakedHost &) = delete;
    FakedHost &operator=(const FakedHost &) = delete;

    FakedHost &file(const std::string &path, const std::string &line) {
        const fs::path at = root_ / "sys/devices/system/cpu" / path;
        fs::create_directories(at.parent_path());
        std::ofstream(at) << line << "\n";
        return *this;
    }
    FakedHost &cache(int index, const std::string &level, const std::string &type, const std::string &size,
                     const std::string &shared) {
        const std::string folder = "cpu0/cache/index" + std::to_string(index) + "/";
        return file(folder + "level", level)
            .file(folder + "type", type)
            .file(folder + "size", size)
            .file(folder + "shared_cpu_list", shared);
    }
    std::string root() const {
        return root_.string() + "/";
    }

private:
    fs::path root_;
};

const TargetDescription avx512{"x86", 512, true};

}  // namespace

TEST_CASE("lanes: elements in a vector, at least one") {
    Machine m;
    m.vector_bits = 256;
    CHECK(m.lanes(4) == 8);
    CHECK(m.lanes(8) == 4);
    CHECK(m.lanes(1) == 32);
    CHECK(m.lanes(64) == 1);
    CHECK(m.lanes(0) == 32);
}

TEST_CASE("the machine follows from target and parallelism alone") {
    CHECK(to_string(machine_from_target(avx512, 2)) == to_string(machine_from_target(avx512, 2)));
    const Machine m = machine_from_target(avx512, 3);
    CHECK(m.cores == 3);
    CHECK(m.vector_bits == 512);
    CHECK(m.vector_registers == 32);
    CHECK(m.name == "preset x86 512-bit fma, AMD Zen 4, parallelism 3");

    const std::string base = to_string(m);
    CHECK(to_string(machine_from_target(avx512, 4)) != base);
    CHECK(to_string(machine_from_target({"x86", 256, true}, 3)) != base);
    CHECK(to_string(machine_from_target({"x86", 512, false}, 3)) != base);
    CHECK(machine_from_target({"x86", 256, true}, 3).vector_registers == 16);
    CHECK(machine_from_target({"arm", 128, true}, 3).vector_registers == 32);
}

TEST_CASE("cores that execute 512 bits at once have a preset of their own") {
    const TargetDescription wide{"x86", 512, true, "", "sapphire_rapids"};
    const Machine m = machine_from_target(wide, 2), halves = machine_from_target(avx512, 2);
    CHECK(m.name == "preset x86 512-bit fma, Intel Sapphire Rapids, parallelism 2");
    CHECK(m.datapath_bits == 512);
    CHECK(halves.datapath_bits == 256);
    CHECK(m.vector_ops_per_cycle > 1.5 * halves.vector_ops_per_cycle);
    CHECK(m.cores == 2);
}

TEST_CASE("every preset is usable: positive rates, caches that grow and slow down") {
    for (const std::string arch : {"x86", "arm", "riscv", "other", "sapphire_rapids"}) {
        for (const int bits : {128, 256, 512}) {
            for (const bool fma : {false, true}) {
                const bool family = arch == "sapphire_rapids";
                const Machine m =
                    machine_from_target({family ? "x86" : arch, bits, fma, "", family ? arch : ""}, 16);
                INFO(m.name);
                for (const MachineField &f : machine_fields()) {
                    INFO(f.key);
                    CHECK(f.get(m) >= f.low);
                    CHECK(f.get(m) <= f.high);
                }
                CHECK(m.l1.bytes > 0);
                CHECK(m.l1.bytes < m.l2.bytes);
                CHECK(m.l2.bytes < m.l3.bytes);
                CHECK(m.l1.bytes_per_second > m.l2.bytes_per_second);
                CHECK(m.l2.bytes_per_second > m.l3.bytes_per_second);
            }
        }
    }
    CHECK(machine_from_target(avx512, 0).cores == 1);
    CHECK(machine_from_target(avx512, -5).cores == 1);
}

TEST_CASE(
    "to_string shows every number that a plan may depend on, and a field sets the number that it gets") {
    const Machine base = machine_from_target(avx512, 2);
    for (const MachineField &f : machine_fields()) {
        INFO(f.key);
        const double value = f.get(base), other = value == f.low ? f.high : f.low;
        CHECK(value >= f.low);
        CHECK(value <= f.high);
        Machine m = base;
        f.set(m, other);
        CHECK(f.get(m) == other);
        CHECK(to_string(m) != to_string(base));
        for (const MachineField &g : machine_fields()) {
            CHECK((g.get(m) == g.get(base)) == (&f != &g));
        }
        f.set(m, value);
        CHECK(to_string(m) == to_string(base));
    }
    // Every number has a field: they, the name, the instructions for dots, which the target says, and the GPU
    // and the library, whose fields are their own, and what is tried, are all that a Machine is (but for one
    // flag, which fits beside the integers).
    const size_t others = sizeof(std::string) + sizeof(Dots) + sizeof(std::optional<Gpu>) +
                          sizeof(std::optional<LibraryRates>) + sizeof(Experiment);
    CHECK(sizeof(Machine) <= others + machine_fields().size() * sizeof(double));
    CHECK(sizeof(Machine) > others + (machine_fields().size() - 4) * sizeof(double));
    Machine named = base;
    named.name = "another";
    CHECK(to_string(named) == to_string(base));
}

TEST_CASE("two hosts: the same machine by default, different ones when asked for the host") {
    FakedHost small("small"), large("large");
    small.file("online", "0-3")
        .cache(0, "1", "Data", "48K", "0")
        .cache(1, "1", "Instruction", "64K", "0")
        .cache(2, "2", "Unified", "2048K", "0-1")
        .cache(3, "3", "Unified", "8M", "0-3");
    large.file("online", "0-31,64-95")
        .cache(0, "1", "Data", "32K", "0,64")
        .cache(2, "2", "Unified", "1024K", "0,64")
        .cache(3, "3", "Unified", "96M", "0-31,64-95");

    const Machine on_small = machine_from_host(avx512, 16, small.root()),
                  on_large = machine_from_host(avx512, 16, large.root());
    CHECK(to_string(on_small) != to_string(on_large));
    CHECK(to_string(machine_from_target(avx512, 16)) == to_string(machine_from_target(avx512, 16)));

    CHECK(on_small.cores == 4);
    CHECK(on_small.l1.bytes == 48 * 1024);        // not the instruction cache
    CHECK(on_small.l2.bytes == 1024 * 1024);      // shared by two
    CHECK(on_small.l3.bytes == 2 * 1024 * 1024);  // shared by four
    CHECK(on_large.cores == 16);                  // parallelism is the smaller
    CHECK(on_large.l1.bytes == 32 * 1024);
    CHECK(on_large.l3.bytes == 96 * 1024 * 1024 / 16);  // no more cores than are used share it
    CHECK(machine_from_host(avx512, 0, large.root()).cores == 64);

    // Rates are the preset's: files do not tell them.
    const Machine preset = machine_from_target(avx512, 16);
    CHECK(on_small.hertz == preset.hertz);
    CHECK(on_small.l2.bytes_per_second == preset.l2.bytes_per_second);
}

TEST_CASE("what a host does not tell stays the preset's") {
    const Machine preset = machine_from_target(avx512, 16);
    FakedHost empty("empty");
    CHECK(to_string(machine_from_host(avx512, 16, empty.root())) == to_string(preset));

    // Only some files; an odd size; a level that nobody knows; a list that is not one.
    FakedHost odd("odd");
    odd.file("online", "all of them")
        .cache(0, "1", "Data", "big", "0")
        .cache(1, "2", "Unified", "512K", "")
        .cache(2, "4", "Unified", "64M", "0");
    const Machine m = machine_from_host(avx512, 16, odd.root());
    CHECK(m.cores == preset.cores);
    CHECK(m.l1.bytes == preset.l1.bytes);
    CHECK(m.l2.bytes == 512 * 1024);
    CHECK(m.l3.bytes == preset.l3.bytes);

    // Lists that break off, or count downwards.
    const std::pair<const char *, int> lists[] = {
        {"0-", 16}, {"0-1,", 2}, {"0-1,x", 2}, {"3-0", 16}, {"99999999999999", 16}, {"0,2,4-6", 5}};
    for (const auto &[list, cores] : lists) {
        INFO(list);
        CHECK(machine_from_host(avx512, 16, odd.file("online", list).root()).cores == cores);
    }
}
