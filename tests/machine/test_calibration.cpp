// Machine files: what is written is read again, and every mistake is one sentence. Rates: made of made-up
// kernels whose time is known.

#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <fstream>

#include <nlohmann/json.hpp>

#include "base/user_error.h"
#include "machine/measure.h"

using namespace eutectic;
using nlohmann::json;

namespace {

const TargetDescription avx512{"x86", 512, true};

Calibration made_up() {
    Calibration c;
    c.machine = machine_from_target(avx512, 4);
    c.machine.name = "made up";
    c.machine.hertz = 2.5e9;
    c.machine.lone_core_share = 0.4;
    c.machine.memory_bytes_per_second = 4e10;
    c.target = "x86-64-linux";
    c.processor = "an abacus";
    c.date = "2026-01-31";
    c.seconds = 12.5;
    c.origins = {{"hertz", Origin::measured}, {"cores", Origin::system}, {"loop_cycles", Origin::fitted}};
    c.spreads = {{"hertz", 0.125}};
    c.also = {{"adds_per_cycle", "vectors", 1.5}};
    return c;
}

json document() {
    return json::parse(to_json(made_up()));
}

std::string refusal(const std::string &text) {
    try {
        parse_calibration(text, "m.json");
    } catch (const UserError &e) {
        return e.what();
    }
    return "accepted";
}

std::string refusal(const json &j) {
    return refusal(j.dump());
}

/** A file of that content, removed in the end. */
struct File {
    std::string path;
    File(const std::string &name, const std::string &content) : path(name) {
        std::ofstream(path) << content;
    }
    ~File() {
        std::remove(path.c_str());
    }
};

}  // namespace

TEST_CASE("a machine file is read as it was written") {
    const Calibration c = made_up(), r = parse_calibration(to_json(c), "m.json");
    CHECK(to_string(r.machine) == to_string(c.machine));
    CHECK(r.machine.name == "made up");
    CHECK(r.target == c.target);
    CHECK(r.processor == c.processor);
    CHECK(r.date == c.date);
    CHECK(r.seconds == c.seconds);
    CHECK(r.origins.at("hertz") == Origin::measured);
    CHECK(r.origins.at("cores") == Origin::system);
    CHECK(r.origins.at("loop_cycles") == Origin::fitted);
    CHECK(r.origins.at("exp_cycles") == Origin::preset);
    CHECK(r.spreads.at("hertz") == 0.125);
    CHECK(r.spreads.size() == 1);
    REQUIRE(r.also.size() == 1);
    CHECK(r.also[0].key == "adds_per_cycle");
    CHECK(r.also[0].value == 1.5);
    CHECK(to_json(r) == to_json(c));
}

TEST_CASE("a mistake in a machine file is one sentence with the file, the key and the remedy") {
    CHECK(refusal(std::string("{")) ==
          "The machine file m.json is not a JSON object: write it anew with scripts/calibrate.");
    CHECK(refusal(std::string("[1]")) ==
          "The machine file m.json is not a JSON object: write it anew with scripts/calibrate.");
    json j = document();
    j["format"] = "eutectic machine 0";
    CHECK(refusal(j) == "The machine file m.json has the format \"eutectic machine 0\", and \"eutectic "
                        "machine 1\" is read: write it anew with scripts/calibrate.");
    j = document();
    j.erase("name");
    CHECK(refusal(j) ==
          "The machine file m.json lacks the key \"name\": write it anew with scripts/calibrate.");
    j = document();
    j["colour"] = "blue";
    CHECK(refusal(j) == "The machine file m.json has the unknown key \"colour\": remove it, or write it anew "
                        "with scripts/calibrate.");
    j = document();
    j["values"].erase("hertz");
    CHECK(refusal(j) ==
          "The machine file m.json lacks the key \"values.hertz\": write it anew with scripts/calibrate.");
    j = document();
    j["values"]["herz"] = 1;
    CHECK(refusal(j) == "The machine file m.json has the unknown key \"values.herz\": remove it, or write it "
                        "anew with scripts/calibrate.");
    j = document();
    j["values"]["hertz"]["value"] = "fast";
    CHECK(refusal(j) == "The machine file m.json gives \"values.hertz.value\" as \"fast\", which is not a "
                        "number: give a number from 1e+08 to 1e+11 (1/s).");
    j = document();
    j["values"]["hertz"]["value"] = 12;
    CHECK(refusal(j) == "The machine file m.json gives \"values.hertz.value\" as 12, which is out of range: "
                        "give a number from 1e+08 to 1e+11 (1/s).");
    j = document();
    j["values"]["cores"]["value"] = 1.5;
    CHECK(refusal(j) == "The machine file m.json gives \"values.cores.value\" as 1.5, which is out of range: "
                        "give a whole number from 1 to 4096 (threads).");
    j = document();
    j["values"]["cores"] = 2;
    CHECK(refusal(j) == "The machine file m.json gives \"values.cores\" as 2, and an object with value, unit "
                        "and origin is read: write it anew with scripts/calibrate.");
    j = document();
    j["values"]["hertz"]["unit"] = "GHz";
    CHECK(refusal(j) == "The machine file m.json gives \"values.hertz.unit\" as \"GHz\", and the unit is "
                        "\"1/s\": convert the value, or write it anew with scripts/calibrate.");
    j = document();
    j["values"]["hertz"]["origin"] = "a friend";
    CHECK(refusal(j) == "The machine file m.json gives \"values.hertz.origin\" as \"a friend\": give "
                        "\"system\", \"target\", \"measured\", \"fitted\" or \"preset\".");
    j = document();
    j["target"] = 7;
    CHECK(refusal(j) == "The machine file m.json gives \"target\" as 7, which is not text: put it in quotes, "
                        "or write it anew with scripts/calibrate.");
    j = document();
    j["also"]["adds_per_cycle"] = 3;
    CHECK(refusal(j) == "The machine file m.json gives \"also.adds_per_cycle\" as 3, and an object with "
                        "value and unit is read: remove it, or write it anew with scripts/calibrate.");
}

TEST_CASE("every number of a machine file counts: each one missing, and each one out of range, is refused") {
    for (const MachineField &f : machine_fields()) {
        INFO(f.key);
        json j = document();
        j["values"].erase(f.key);
        CHECK(refusal(j).find(std::string("lacks the key \"values.") + f.key + "\"") != std::string::npos);
        for (const double bad : {f.low - 1, f.high * 2}) {
            j = document();
            j["values"][f.key]["value"] = bad;
            CHECK(refusal(j).find("out of range") != std::string::npos);
        }
    }
}

TEST_CASE("the machine that prices were studied on has every number") {
    CHECK(read_calibration(STUDIED_MACHINE).machine.cores == 2);
}

TEST_CASE("a machine file through a target: vectors must fit, fewer threads draw less memory") {
    const File file("machine_for_test.json", to_json(made_up()));
    CHECK(to_string(machine_from_file(file.path, avx512, 0)) == to_string(made_up().machine));
    CHECK(to_string(machine_from_file(file.path, avx512, 16)) == to_string(made_up().machine));
    const Machine two = machine_from_file(file.path, avx512, 2),
                  one = machine_from_file(file.path, avx512, 1);
    CHECK(two.cores == 2);
    CHECK(two.memory_bytes_per_second == doctest::Approx(3.2e10));
    CHECK(two.lone_core_share == doctest::Approx(0.5));
    CHECK(two.l3.bytes == 2 * made_up().machine.l3.bytes);
    CHECK(one.memory_bytes_per_second == doctest::Approx(1.6e10));
    CHECK(one.lone_core_share == 1);
    CHECK_THROWS_WITH_AS(
        machine_from_file(file.path, {"x86", 256, true}, 2),
        "The machine file machine_for_test.json was measured with vectors of 512 bits, and those of the "
        "target have 256: give scripts/calibrate the target, or use another file.",
        UserError);
    CHECK_THROWS_WITH_AS(
        machine_from_file("none.json", avx512, 2),
        "The machine file none.json cannot be read: give the path of a file that scripts/calibrate wrote.",
        UserError);
}

TEST_CASE("a probe's fastest batch is its time") {
    int runs = 0;
    const Probe probe{1, [&] {
                          // Every 7th run is disturbed.
                          const auto end = std::chrono::steady_clock::now() +
                                           std::chrono::microseconds(++runs % 7 == 0 ? 2000 : 200);
                          while (std::chrono::steady_clock::now() < end) {
                          }
                      }};
    const Timing t = time_probe(probe, 0.03, false);
    CHECK(t.fastest >= 200e-6);
    CHECK(t.spread >= 0);
    CHECK(runs > 3);
    // CPU time of a thread does not pass while it sleeps.
    const Timing asleep = time_probe({1,
                                      [] {
                                          timespec nap{0, 300000};
                                          nanosleep(&nap, nullptr);
                                      }},
                                     0.02, true);
    CHECK(asleep.fastest < 250e-6);
}

namespace {

/** Waits for `seconds` of CPU time. */
Probe lasting(Seconds seconds, double work) {
    return {work, [seconds] {
                const auto now = [] {
                    timespec t{};
                    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
                    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
                };
                const double end = now() + seconds;
                while (now() < end) {
                }
            }};
}

/** Kernels that last as long as a machine's whose times are round; `unit` s: of a probe whose work is a
 * million units. */
MachineKernels kernels_of_round_times(Seconds unit) {
    MachineKernels k;
    k.description = avx512;
    k.target = "made-up";
    k.threads = 2;
    const double million = 1e6;
    k.half_multiply_add = lasting(unit, million / 11);  // a little more than half of a whole one's 2 ns
    for (Probe *p : {&k.multiply_add, &k.add, &k.multiply, &k.load, &k.broadcast, &k.divide, &k.exp, &k.log,
                     &k.tanh, &k.sin, &k.exp_double, &k.gather, &k.scatter, &k.conflicts, &k.strided}) {
        *p = lasting(unit, million / 20);  // 2 ns
    }
    k.store = lasting(unit, million / 50);                                 // 5 ns
    k.multiply_add_chain = lasting(unit, million / 40);                    // 4 ns
    k.memory_chain = lasting(unit, million / 140);                         // 14 ns
    k.typed = {{TypedOperation::multiply_8, lasting(unit, million / 20)},  // 2 and 8 ns
               {TypedOperation::multiply_8, lasting(unit, million / 80)},
               {TypedOperation::long_conversion, lasting(unit, million / 60), 2, 1}};  // 6 ns of three
    k.read = [=](Bytes, bool all) { return lasting(unit, all ? 3e6 : 2e6); };
    k.copy = [=](Bytes, bool) { return lasting(unit, 3e6); };
    k.task_loop = [=](int tasks, int steps) {
        return lasting(unit * (steps > 1000 && tasks > 1 ? 3 : 1), 1);
    };
    k.allocate = [=](Bytes bytes) { return lasting(bytes > 1000000 ? 3e-3 : unit, 1); };
    return k;
}

}  // namespace

TEST_CASE("rates are made of the kernels' times, and each says where it comes from") {
    const Seconds unit = 100e-6;  // 1e-10 s each
    const MachineKernels k = kernels_of_round_times(unit);
    MeasureOptions options;
    options.seconds_per_probe = 0.002;
    std::vector<std::string> steps;
    options.progress = [&](const std::string &what, int done, int of) {
        CHECK(done == static_cast<int>(steps.size()));
        CHECK(done < of);
        steps.push_back(what);
    };
    const Calibration c = measure_machine(k, options, "/nowhere/");
    CHECK(steps.size() == 9);
    const Machine &m = c.machine;
    const auto about = [](double value) {
        return doctest::Approx(value).epsilon(0.25);
    };  // a busy machine, and the clock's own time
    CHECK(m.hertz > 1e8);
    CHECK(m.vector_ops_per_cycle * m.hertz == about(5e8));
    CHECK(m.datapath_bits == 256);
    CHECK(m.fma_latency_cycles / m.hertz == about(4e-9));
    CHECK(m.store_forwarding_cycles / m.hertz == about(10e-9));
    CHECK(m.stores_per_cycle * m.hertz == about(2e8));
    CHECK(m.exp_cycles / m.hertz == about(2e-9));
    CHECK(m.libm_seconds == about(2e-9));
    const auto price = [&](TypedOperation o) { return m.typed_cycles[static_cast<size_t>(o)] / m.hertz; };
    CHECK(price(TypedOperation::multiply_8) == about(4e-9));
    CHECK(price(TypedOperation::long_conversion) == about(2e-9));
    CHECK(c.origins.at("multiply_16_cycles") == Origin::preset);
    CHECK(m.l2.bytes_per_second == about(2e10));
    CHECK(m.memory_bytes_per_second == about(3e10));
    CHECK(m.lone_core_share == about(2.0 / 3));
    CHECK(m.store_transfers == about(2));
    CHECK(m.launch_seconds == about(200e-6));
    CHECK(m.allocation_seconds == about(100e-6));
    CHECK(m.fresh_page_seconds == about(3e-3 / (64 << 20) * 4096));
    CHECK(c.origins.at("hertz") == Origin::measured);
    CHECK(c.origins.at("cores") == Origin::system);
    CHECK(c.origins.at("usable_cache") == Origin::preset);
    CHECK(c.origins.at("line_bytes") == Origin::preset);
    // 512 tasks a core in the time of one: less than nothing for each, so the preset's stays and says so.
    CHECK(c.origins.at("task_seconds") == Origin::preset);
    CHECK(m.task_seconds == machine_from_target(avx512, 2).task_seconds);
    CHECK(parse_calibration(to_json(c), "m.json").origins == c.origins);
}
