// Processors as data files, and the families of targets.

#include <doctest/doctest.h>

#include <set>

#include "base/user_error.h"
#include "machine/calibration.h"
#include "machine/processors.h"

using namespace eutectic;

namespace {

std::string refusal(const std::string &text) {
    try {
        parse_processor(text, "mine");
    } catch (const UserError &e) {
        return e.what();
    }
    return "accepted";
}

const double *number(const Processor &p, const std::string &key) {
    const auto it = p.values.find(key);
    return it == p.values.end() ? nullptr : &it->second;
}

}  // namespace

TEST_CASE("a processor's file: a line a number, comments, and what it is called") {
    const Processor p = parse_processor("# about\nname  A core  # its maker's\narch arm\nvectors 128\n\n"
                                        "measured no\nlike other\nhertz 2.5e9\n  l2_bytes 524288 # half\n",
                                        "mine");
    CHECK(p.file == "mine");
    CHECK(p.name == "A core");
    CHECK(p.arch == "arm");
    CHECK(p.like == "other");
    CHECK(p.vectors == 128);
    CHECK_FALSE(p.measured);
    CHECK(p.values == std::map<std::string, double>{{"hertz", 2.5e9}, {"l2_bytes", 524288}});
}

TEST_CASE("what no file may say ends in a sentence with its line") {
    const std::string remedy = ": see src/machine/README.md for what its lines may be.";
    CHECK(refusal("name A\nhurts 3\n") ==
          "The processor file mine has \"hurts 3\", which means nothing, in line 2" + remedy);
    CHECK(refusal("hertz fast\n") ==
          "The processor file mine gives fast as \"hertz\", which is no number in its range, in line 1" +
              remedy);
    CHECK(refusal("hertz 3e9 or so\n").find("3e9 or so") != std::string::npos);
    CHECK(refusal("\n\nhertz 3\n").find("in line 3") != std::string::npos);
    CHECK(refusal("hertz\n") == "The processor file mine gives no value of \"hertz\" in line 1" + remedy);
    CHECK(refusal("measured perhaps\n").find("means nothing") != std::string::npos);
    CHECK(refusal("vectors 4\n").find("no number in its range") != std::string::npos);
}

TEST_CASE("a processor takes over what it does not give, for vectors of its own width") {
    Processor parent, child, grandchild;
    parent.vectors = 256;
    parent.values = {
        {"integer_divide_32_cycles", 48}, {"square_root_cycles", 5}, {"hertz", 3e9}, {"l1_bytes", 32768}};
    child.vectors = 128;
    child.like = "parent";
    child.values = {{"hertz", 2e9}};
    grandchild.vectors = 128;
    grandchild.like = "child";
    const std::map<std::string, Processor> all = {{"parent", parent}, {"child", child}};
    const Processor p = with_inherited(grandchild, all);
    CHECK(*number(p, "hertz") == 2e9);
    CHECK(*number(p, "l1_bytes") == 32768);
    CHECK(*number(p, "square_root_cycles") == 5);         // an instruction a vector
    CHECK(*number(p, "integer_divide_32_cycles") == 24);  // one a lane

    grandchild.like = "nobody";
    CHECK_THROWS_WITH_AS(with_inherited(grandchild, all),
                         "The processor file  is like nobody, of which there is no file: name another one.",
                         UserError);
    std::map<std::string, Processor> circle = all;
    circle.at("parent").like = "child";
    CHECK_THROWS_AS(with_inherited(child, circle), UserError);
}

TEST_CASE("every processor is whole, and its machine usable through every target of its families") {
    std::set<std::string> named;
    for (const auto &[file, p] : processors()) {
        INFO(file);
        CHECK(p.file == file);
        CHECK(named.insert(p.name).second);
        CHECK_FALSE(p.arch.empty());
        for (const char *key : {"hertz", "vector_ops_per_cycle", "l1_bytes", "l2_bytes", "l3_bytes"}) {
            CHECK(number(p, key));
        }
    }
    std::set<std::string> used;
    std::vector<TargetDescription> targets;
    for (const int bits : {128, 256, 512}) {
        for (const std::string arch : {"x86", "arm", "riscv", "other"}) {
            targets.push_back({arch, bits, true});
        }
        for (const auto &[file, p] : processors()) {
            for (const std::string &tune : p.tunes) {
                CHECK(processor_tuned_for(tune) == file);
                targets.push_back({p.arch, bits, true, "", file});
            }
        }
    }
    for (const TargetDescription &target : targets) {
        for (const Processor *p : family_of(target)) {
            used.insert(p->file);
            const Machine m = machine_of(*p, target, 2);
            INFO(m.name);
            CHECK(m.vector_bits == target.vector_bits);
            CHECK(m.datapath_bits <= target.vector_bits);
            for (const MachineField &f : machine_fields()) {
                INFO(f.key);
                CHECK(f.get(m) >= f.low);
                CHECK(f.get(m) <= f.high);
            }
            CHECK(m.l1.bytes < m.l2.bytes);
            CHECK(m.l2.bytes < m.l3.bytes);
            CHECK(m.l1.bytes_per_second > m.l2.bytes_per_second);
            CHECK(m.l2.bytes_per_second > m.l3.bytes_per_second);
            CHECK(m.l3.bytes_per_second * 2 > m.memory_bytes_per_second);
        }
    }
    CHECK(used.size() == processors().size());
}

TEST_CASE("the families differ in what plans depend on") {
    const auto second_levels = [](const TargetDescription &target) {
        std::set<Bytes> sizes;
        for (const Processor *p : family_of(target)) {
            sizes.insert(machine_of(*p, target, 2).l2.bytes);
        }
        return sizes;
    };
    CHECK(second_levels({"x86", 256, true}) ==
          std::set<Bytes>{256 * 1024, 512 * 1024, 1024 * 1024, 1280 * 1024});
    CHECK(second_levels({"x86", 512, true}) == std::set<Bytes>{1024 * 1024, 2048 * 1024});
    CHECK(second_levels({"arm", 128, true}).size() == 3);
    CHECK(family_of({"x86", 512, true, "", "sapphire_rapids"}).size() == 1);
    CHECK(machine_from_target({"arm", 128, true}, 2).name ==
          "preset arm 128-bit fma, Arm Neoverse N1 (as documented, not measured), parallelism 2");
    CHECK(machine_from_target({"riscv", 128, true}, 2).name ==
          "preset riscv 128-bit fma, AMD Zen 4 (none of riscv is known), parallelism 2");
}
