// What a user may set, what is refused, and in which words.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "Halide.h"

#include "base/user_error.h"
#include "cost/cost.h"
#include "schedules/autoschedule.h"
#include "schedules/mechanisms.h"
#include "schedules/prepare.h"
#include "schedules/rewrites/made_rewrite.h"
#include "schedules/target.h"
#include "tests/support/golden.h"
#include "tests/support/occurrences.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;
namespace fs = std::filesystem;

namespace {

const char *const known =
    "known parameters are parallelism, report, machine, effort, search, cost_model, numerics, disable, "
    "unfused, residuals, sample, priced, save, expect_hash, pin, compile_seconds, "
    "gpu, feedback, library, packed, arena, loaded.";

std::string refusal(const std::map<std::string, std::string> &extra) {
    try {
        parse_parameters(extra);
    } catch (const UserError &e) {
        return e.what();
    }
    return "accepted";
}

Pipeline small_pipeline() {
    Var x("x");
    const ImageParam in = image("in", {1024});
    Func a("a"), out("out");
    a(x) = in(x) * 2;
    out(x) = a(x) + 1;
    estimate(out, {1024});
    return Pipeline(out);
}

/** A folder of its own, removed in the end. */
struct Folder {
    fs::path path = fs::current_path() / "reports_of_test_parameters";
    Folder() {
        fs::remove_all(path);
        fs::create_directories(path);
    }
    ~Folder() {
        fs::remove_all(path);
    }
    std::string operator/(const std::string &name) const {
        return (path / name).string();
    }
    size_t files() const {
        return static_cast<size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
};

Parameters with_report(const std::string &path) {
    Parameters p;
    p.report = path;
    return p;
}

const Target target("x86-64-linux-avx2-fma");

}  // namespace

TEST_CASE("defaults and good values") {
    const Parameters none = parse_parameters({});
    CHECK(none.parallelism == 16);
    CHECK(none.report.empty());
    CHECK_FALSE(none.machine_host);
    CHECK(none.machine_file.empty());
    CHECK_FALSE(none.unfused);
    CHECK_FALSE(none.numerics.has_value());
    CHECK(none.disable.empty());
    CHECK(none.rules(Machine()).size() == cpu_rules(cpu_rewrite_rules()).size());
    const Parameters all =
        parse_parameters({{"parallelism", "3"}, {"report", "r.json"}, {"machine", "host"}, {"unfused", "1"}});
    CHECK(all.parallelism == 3);
    CHECK(all.report == "r.json");
    CHECK(all.machine_host);
    CHECK(all.machine_file.empty());
    CHECK(parse_parameters({{"machine", "calibration.json"}}).machine_file == "calibration.json");
    CHECK_FALSE(parse_parameters({{"machine", "calibration.json"}}).machine_host);
    CHECK(all.unfused);
    CHECK_FALSE(parse_parameters({{"unfused", "0"}}).unfused);
    CHECK(none.effort == Effort::fast);
    CHECK(parse_parameters({{"effort", "best"}}).effort == Effort::best);
    CHECK(parse_parameters({{"effort", "fast"}}).effort == Effort::fast);
    CHECK(refusal({{"effort", "high"}}) ==
          "The scheduler parameter effort was given as \"high\", which is neither fast nor best: give best "
          "for a search of some seconds, else leave it out.");
    CHECK_FALSE(none.compile_seconds);
    CHECK(parse_parameters({{"compile_seconds", "0.5"}}).compile_seconds == 0.5);
    for (const char *const bad : {"0", "-1", "soon", "1s", "inf", ""}) {
        CHECK(refusal({{"compile_seconds", bad}}) ==
              "The scheduler parameter compile_seconds was given as \"" + std::string(bad) +
                  "\", which is not a number of seconds above 0: give one, as 10 or 0.5, or leave it out.");
    }
    CHECK(parse_parameters({{"numerics", "strict"}}).numerics == Numerics::strict);
    CHECK(parse_parameters({{"numerics", "fast"}}).numerics == Numerics::fast);
}

TEST_CASE("unknown parameters are refused by name") {
    CHECK(refusal({{"paralellism", "4"}}) ==
          std::string("The scheduler parameter paralellism is unknown: the nearest is parallelism; ") +
              known);
    CHECK(refusal({{"xyz", "4"}}) == std::string("The scheduler parameter xyz is unknown: ") + known);
    const std::string machine = refusal({{"machine", "zen5"}});
    CHECK(
        machine.rfind("The machine zen5 was asked for, which is no processor that is known, and no file: the "
                      "nearest is zen",
                      0) == 0);
    CHECK(machine.find("; processors are ") != std::string::npos);
    CHECK(parse_parameters({{"feedback", "1"}}).feedback);
    CHECK_FALSE(parse_parameters({{"feedback", "0"}}).feedback);
    CHECK(refusal({{"feedback", "yes"}}) ==
          "The scheduler parameter feedback was given as \"yes\", which is neither 0 nor 1: give 1 to have "
          "the plan's code read back and what spills planned again.");
}

TEST_CASE("with an arena no machine of a plan gives pages back, and the plan's hash says so") {
    Parameters p = parse_parameters({{"arena", "1"}});
    CHECK(p.arena);
    CHECK(refusal({{"arena", "on"}}) ==
          "The scheduler parameter arena was given as \"on\", which is neither 0 nor 1: give 1 to plan for "
          "temporaries out of an arena.");
    const std::vector<Bytes> buffers = {Bytes{1} << 20, Bytes{1} << 20, Bytes{1} << 30};
    for (const Member &m : choose_family(target, p)) {
        INFO(m.name);
        CHECK(m.machine.arena);
        CHECK(trimming_cost(buffers, m.machine) == 0);
        CHECK(allocation_cost(buffers.back(), m.machine) == m.machine.allocation_seconds);
    }
    const Machine with = choose_machine(target, p), without = choose_machine(target, parse_parameters({}));
    CHECK(trimming_cost(buffers, without) > 0);
    CHECK(allocation_cost(buffers.back(), without) > without.allocation_seconds);
    CHECK(to_string(with) != to_string(without));
}

TEST_CASE("pins are a file's, of one plan") {
    CHECK(parse_parameters({{"pin", "p.json"}}).pin == "p.json");
    CHECK(refusal({{"pin", ""}}) ==
          "The scheduler parameter pin is empty: give the path of a JSON file, or leave it out.");
    for (const auto &[name, value] : {std::pair<std::string, std::string>{"unfused", "1"}, {"sample", "3"}}) {
        CHECK(refusal({{"pin", "p.json"}, {name, value}}) ==
              "The scheduler parameters pin and " + name +
                  " contradict each other: a pinned plan is neither unfused nor drawn at random; leave one "
                  "of them out.");
    }
}

TEST_CASE("packed inputs are named once each, for the best plan") {
    CHECK(parse_parameters({{"packed", "w,v"}}).packed == std::vector<std::string>{"w", "v"});
    for (const auto &[value, what] :
         {std::pair<std::string, std::string>{"", "no input"}, {"w,", "no input"}, {"w,v,w", "w twice"}}) {
        CHECK(refusal({{"packed", value}}) ==
              "The scheduler parameter packed was given as \"" + value + "\", which names " + what +
                  ": give names of inputs, separated by commas, or leave it out.");
    }
    CHECK(refusal({{"packed", "w"}, {"unfused", "1"}}) ==
          "The scheduler parameters packed and unfused contradict each other: panels are as wide as the "
          "tiles of the best plan; leave one of them out.");
    CHECK(refusal({{"packed", "w"}, {"library", "eigen"}}) ==
          "The scheduler parameters packed and library contradict each other: a library takes its operands "
          "as they are; leave one of them out.");
}

TEST_CASE("bad values are refused with what would be good ones") {
    for (const std::string value : {"", "0", "-1", "four", "4x", "4097", "99999999999999999999", "1.5"}) {
        CHECK(refusal({{"parallelism", value}}) ==
              "The scheduler parameter parallelism was given as \"" + value +
                  "\", which is not a whole number from 1 to 4096: give the number of threads.");
    }
    CHECK(refusal({{"machine", ""}}) ==
          "The scheduler parameter machine is empty: give host, a processor such as zen3, or the path of a "
          "file that "
          "scripts/calibrate wrote, or leave it out for what the target runs on.");
    CHECK(refusal({{"unfused", "yes"}}) == "The scheduler parameter unfused was given as \"yes\", which is "
                                           "neither 0 nor 1: give 1 to keep every Func in memory.");
}

TEST_CASE("rules are disabled by name") {
    const Parameters p = parse_parameters({{"disable", "inline_pointwise,fuse_on_write"}});
    CHECK(p.disable == std::vector<std::string>{"inline_pointwise", "fuse_on_write"});
    CHECK(p.rules(Machine()).size() == cpu_rules(cpu_rewrite_rules()).size() - 2);
    for (const Rule &rule : p.rules(Machine())) {
        CHECK(std::string(rule.name) != "inline_pointwise");
    }
    const std::string source = autoschedule(small_pipeline(), target, p);
    CHECK(source.find("\na") != std::string::npos);  // a is in memory: it has directives

    // One list says what there is, of every kind, each name once.
    std::string known_names;
    std::set<std::string> names, kinds;
    for (const Mechanism &m : all_mechanisms()) {
        CHECK(names.insert(m.name).second);
        kinds.insert(m.kind);
        known_names += (known_names.empty() ? "" : ", ") + m.name;
        CHECK(parse_parameters({{"disable", m.name}}).disables(m.name));
    }
    CHECK(kinds == std::set<std::string>{"policy", "preparation", "rewrite", "rule", "term"});
    for (const Preparation &preparation : preparations()) {
        CHECK(names.count(preparation.name) == 1);
    }
    for (const std::vector<Rule> &rules : {cpu_rules(cpu_rewrite_rules()), gpu_rules(gpu_rewrite_rules())}) {
        for (const Rule &rule : rules) {
            CHECK(names.count(rule.name) == 1);
        }
    }
    for (const std::string bad : {"inline_pointwse", "", "inline_pointwise,,fuse_on_read"}) {
        const std::string name = bad.find(",,") == std::string::npos ? bad : "";
        CHECK(refusal({{"disable", bad}}) == "The scheduler parameter disable names \"" + name +
                                                 "\", which is nothing that can be left out: " +
                                                 (name.empty() ? "" : "the nearest is inline_pointwise; ") +
                                                 "there are " + known_names + ".");
    }
}

TEST_CASE("numerics: strict needs strict_float, which implies it") {
    const Target strict = target.with_feature(Target::StrictFloat);
    CHECK(numerics_of(target, {}) == Numerics::fast);
    CHECK(numerics_of(target, Numerics::fast) == Numerics::fast);
    CHECK(numerics_of(strict, {}) == Numerics::strict);
    CHECK(numerics_of(strict, Numerics::strict) == Numerics::strict);
    CHECK(numerics_of(strict, Numerics::nan_safe) == Numerics::nan_safe);
    const auto sentence = [](const Target &t, Numerics asked) {
        try {
            Parameters p;
            p.numerics = asked;
            autoschedule(small_pipeline(), t, p);
        } catch (const UserError &e) {
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    CHECK(sentence(target, Numerics::nan_safe).rfind("NaN-safe numerics were asked for, but the target", 0) ==
          0);
    CHECK(sentence(target, Numerics::strict) ==
          "Strict numerics were asked for, but the target " + target.to_string() +
              " lacks the feature strict_float, without which the compiler itself contracts and reorders: "
              "add -strict_float to the target.");
    CHECK(sentence(strict, Numerics::fast) ==
          "Fast numerics were asked for, but the target " + strict.to_string() +
              " has the feature strict_float, which implies strict ones: leave out one of the two.");
    CHECK(sentence(strict, Numerics::strict) == "accepted");
    CHECK(
        refusal({{"numerics", "exact"}}) ==
        "The scheduler parameter numerics was given as \"exact\", which is neither fast nor nan_safe nor "
        "strict: give strict for the bits of the unfused program, nan_safe for its NaN and infinities, else "
        "leave it out.");
}

TEST_CASE("targets as data") {
    CHECK(describe(Target("x86-64-linux")).gpu == "");
    CHECK(describe(Target("x86-64-linux-cuda-cuda_capability_80")).gpu == "cuda");
    CHECK(describe(Target("x86-64-linux-opencl")).gpu == "opencl");
    try {
        describe(Target("x86-64-linux-vulkan"));
        FAIL("accepted");
    } catch (const UserError &e) {
        CHECK(std::string(e.what()) ==
              "The target x86-64-linux-vulkan asks for GPU kernels in a language that Eutectic does not "
              "schedule for: use cuda or opencl, or a CPU target.");
    }
    CHECK(describe(Target("x86-64-linux-avx2-fma")).vector_bits == 256);
    CHECK(describe(Target("x86-64-linux-avx2-fma")).fused_multiply_add);
    CHECK_FALSE(describe(Target("x86-64-linux")).fused_multiply_add);
    CHECK(
        describe(
            Target("x86-64-linux-avx-avx2-fma-avx512-avx512_skylake-avx512_cannonlake-avx512_sapphirerapids"))
            .processor == "sapphire_rapids");
    CHECK(describe(Target("x86-64-linux-avx-avx2-fma-avx512-avx512_skylake-avx512_cannonlake-avx512_zen4"))
              .processor.empty());
    CHECK(describe(Target("x86-64-linux-tune_znver1-avx-avx2-fma")).processor == "zen1");
    CHECK(describe(Target("x86-64-linux-avx-avx2-fma-tune_znver2")).processor == "zen3");
    CHECK(describe(Target("x86-64-linux-tune_bdver1-avx-fma")).processor.empty());
    CHECK(describe(Target("arm-64-linux")).vector_bits == 128);
}

TEST_CASE(
    "a plan says what it takes on every processor that its target runs on, and is made for one by its name") {
    CHECK(parse_parameters({{"machine", "zen3"}}).processor == "zen3");
    CHECK(parse_parameters({{"machine", "zen3"}}).machine_file.empty());
    CHECK(parse_parameters({{"machine", "./zen3"}}).machine_file == "./zen3");
    const auto report = [](const char *of, Parameters p) {
        return to_text(schedule(small_pipeline(), Target(of), p, false).report());
    };
    Parameters p;
    p.parallelism = 2;
    const std::string avx2 = report("x86-64-linux-avx-avx2-fma-f16c-sse41", p);
    for (const char *name : {"on preset x86 256-bit fma, AMD Zen 4, ", "the same plan on AMD Zen 4 ",
                             "; AMD Zen 3 ", "; Intel Skylake ", "; Intel Golden Cove "}) {
        INFO(name);
        CHECK(avx2.find(name) != std::string::npos);
    }
    CHECK(report("arm-64-linux", p).find("; Apple M1 ") != std::string::npos);
    p.processor = "zen3";
    const std::string one = report("x86-64-linux-avx-avx2-fma-f16c-sse41", p);
    CHECK(one.find("AMD Zen 3, parallelism 2") != std::string::npos);
    CHECK(one.find("the same plan on") == std::string::npos);
    p.processor = "apple_m1";
    CHECK_THROWS_WITH_AS(
        choose_machine(Target("x86-64-linux-avx-avx2-fma"), p),
        "The machine apple_m1 was asked for, which has the architecture arm, but the target "
        "x86-64-linux-avx-avx2-fma is for another one: name a processor that runs it, or leave the "
        "machine out.",
        UserError);
}

TEST_CASE("the report: JSON, or text for .txt; it replaces an older one") {
    const Folder folder;
    autoschedule(small_pipeline(), target, with_report(folder / "plan.json"));
    CHECK(read_file(folder / "plan.json").rfind("{\n", 0) == 0);
    std::ofstream(folder / "plan.txt") << "an older one";
    autoschedule(small_pipeline(), target, with_report(folder / "plan.txt"));
    CHECK(read_file(folder / "plan.txt").rfind("Plan for x86-64-linux-avx2-fma", 0) == 0);
    CHECK(folder.files() == 2);  // nothing else is left behind
}

TEST_CASE("a report that cannot be written is a sentence, and leaves nothing behind") {
    const Folder folder;
    fs::create_directories(folder.path / "taken.json" / "inside");
    for (const std::string name : {"no_such_folder/plan.json", "taken.json"}) {
        INFO(name);
        try {
            autoschedule(small_pipeline(), target, with_report(folder / name));
            FAIL("written");
        } catch (const UserError &e) {
            CHECK(e.what() == "The report cannot be written to " + (folder / name) +
                                  ": check that its folder exists, is writable and has room.");
        }
        CHECK(folder.files() == 1);
    }
}

TEST_CASE("unfused keeps every Func in memory") {
    Parameters p;
    p.unfused = true;
    const auto roots = [](const std::string &source) { return occurrences(source, ".compute_root()"); };
    CHECK(roots(autoschedule(small_pipeline(), target, p)) == 2);
    CHECK(roots(autoschedule(small_pipeline(), target, Parameters())) == 1);
}

TEST_CASE("the same source, target and parameters give the same schedule, whatever was scheduled before") {
    Parameters p;
    p.parallelism = 2;
    const std::string first = autoschedule(small_pipeline(), target, p);
    autoschedule(small_pipeline(), Target("arm-64-linux"), Parameters());
    const std::string second = autoschedule(small_pipeline(), target, p);
    CHECK(first == second);
}
