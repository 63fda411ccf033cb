// feedback=1 for CPUs: what is learned of code, how often is compiled, and what is said without anything to
// read code with. Readers that are made up are the same everywhere; the one with LLVM's libraries reads where
// it is.

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "schedules/autoschedule.h"
#include "schedules/cpu/code_feedback.h"

using namespace eutectic;
using namespace Halide;

namespace {

const Target avx2("x86-64-linux-avx-avx2-f16c-fma-sse41");

/** An environment variable, until this goes. */
class Variable {
public:
    Variable(const char *name, const std::string &value) : name_(name) {
        setenv(name, value.c_str(), 1);
    }
    ~Variable() {
        unsetenv(name_);
    }
    Variable(const Variable &) = delete;
    Variable &operator=(const Variable &) = delete;

private:
    const char *name_;
};

Pipeline product() {
    static int number = 0;
    const std::string n = std::to_string(number++) + "_";
    ImageParam a(Float(32), 2, "a" + n), b(Float(32), 2, "b" + n);
    Var j("j"), i("i");
    RDom k(0, a.dim(0).extent(), "k");
    Func product("product" + n), out("out" + n);
    product(j, i) += a(k, i) * b(j, k);
    out(j, i) = max(product(j, i), 0);
    a.set_estimates({{0, 256}, {0, 240}});
    b.set_estimates({{0, 240}, {0, 256}});
    out.set_estimates({{0, 240}, {0, 240}});
    return Pipeline(out);
}

Scheduled with_feedback(const Pipeline &pipeline, const Target &target = avx2) {
    Parameters how;
    how.parallelism = 2;
    how.feedback = true;
    return schedule(pipeline, target, how, false);
}

std::string plan_without() {
    Parameters how;
    how.parallelism = 2;
    return to_string(schedule(product(), avx2, how, false).planned.plan);
}

std::string all(const std::vector<std::string> &sentences) {
    std::string text;
    for (const std::string &s : sentences) {
        text += s + "\n";
    }
    return text;
}

/** A reader that knows the innermost loops of the file, and says of each over "s1" that it stores and loads
 * two vectors if it is run for the `spills` first times, with cycles that are `cycles` times those runs; a
 * line in `log` for each run. */
std::string made_up(const std::string &name, const std::string &log, int spills, const std::string &cycles) {
    const std::string path = (std::filesystem::current_path() / name).string();
    std::ofstream(path)
        << "#!/bin/sh\necho run >> '" << log << "'\nruns=$(wc -l < '" << log << "')\n"
        << "awk -v runs=$runs -v spills=" << spills << " '\n"
        << "function loop(n, name, fn, s) { printf \"%s{\\\"function\\\":\\\"%s\\\",\\\"label\\\":"
           "\\\"BB\\\",\\\"loop\\\":%d,\\\"name\\\":\\\"%s\\\",\\\"innermost\\\":true,"
           "\\\"instructions\\\":20,\\\"mix\\\":{\\\"multiply_add\\\":12},\\\"vector_bits\\\":256,"
           "\\\"loads\\\":8,\\\"stores\\\":%d,\\\"multiply_adds\\\":12,\\\"products\\\":96,"
           "\\\"scalar_arithmetic\\\":0,\\\"lane_moves\\\":0,\\\"spill_stores\\\":%d,"
           "\\\"spill_loads\\\":%d,\\\"spill_bytes\\\":0,\\\"text\\\":[],"
           "\\\"cycles\\\":%g,\\\"throughput_cycles\\\":6}\", comma, fn, n, name, s, s, s, "
        << cycles << "; comma = \",\" }\n"
        << "BEGIN { printf \"{\\\"llvm\\\":\\\"19\\\",\\\"cpu\\\":{\\\"asked\\\":\\\"znver4\\\","
           "\\\"known\\\":true,\\\"model\\\":\\\"znver4\\\",\\\"shared\\\":[]},\\\"regions\\\":[\" }\n"
        << "/^[A-Za-z_\"].*:/ { fn = $1; gsub(/[\":]/, \"\", fn) }\n"
        << "/%\"[0-9]+_for_/ { split($0, q, \"\\\"\"); name = q[2]; n = name; sub(/_.*/, \"\", n); "
           "sub(/^[0-9]+_for_/, \"\", name) }\n"
        << "/Inner Loop Header/ { loop(n + 0, name, fn, name ~ /[.]s1[.]/ && runs <= spills ? 2 : 0) }\n"
        << "END { print \"]}\" }' \"$1\"\n";
    chmod(path.c_str(), 0755);
    std::remove(log.c_str());
    return path;
}

int lines(const std::string &path) {
    std::ifstream file(path);
    int n = 0;
    for (std::string line; std::getline(file, line);) {
        n++;
    }
    return n;
}

EmittedRegion region(int spill_stores, int spill_loads, int lanes) {
    EmittedRegion r;
    r.code.name = "f.s1.r$x";
    r.code.innermost = true;
    r.code.instructions = 40;
    r.code.spill_stores = spill_stores;
    r.code.spill_loads = spill_loads;
    r.code.lane_moves = lanes;
    return r;
}

}  // namespace

TEST_CASE("what a loop teaches") {
    const PlannedLoop tile{"f", {1, 2}, true, true, 16, 1}, other{"f", {1, 2}, false, true, 16, 1};
    const Lesson spills = lesson_of_loop(region(2, 3, 0), tile);
    CHECK(spills.limit.vector_registers == 13);
    CHECK(spills.limit.members == std::vector<FuncId>{1, 2});
    CHECK(spills.sentence == "feedback: the inner loop of f, over f.s1.r$x, stores 2 registers and loads 3 "
                             "again in a turn, where its "
                             "tile was to do with 16 for vectors: planned again with 13");
    CHECK(lesson_of_loop(region(0, 3, 0), tile).limit.vector_registers == 13);   // addresses
    CHECK(lesson_of_loop(region(60, 60, 0), tile).limit.vector_registers == 8);  // no less than half at once
    CHECK(lesson_of_loop(region(2, 2, 0), {"f", {1}, true, true, 4, 1}).sentence == "");
    CHECK(lesson_of_loop(region(2, 3, 0), other).sentence == "");  // no tile is too large
    CHECK(lesson_of_loop(region(0, 0, 0), tile).sentence == "");
    const Lesson lanes = lesson_of_loop(region(0, 0, 12), other);
    CHECK(lanes.limit.lane_cost == 2);
    CHECK(lanes.limit.vector_registers == -1);
    CHECK(lanes.sentence == "feedback: the inner loop of f, over f.s1.r$x, is in vectors by the plan and has "
                            "12 of its 40 instructions "
                            "for single lanes: planned again with these at twice the price");
    CHECK(lesson_of_loop(region(0, 0, 9), other).sentence == "");
    CHECK(lesson_of_loop(region(0, 0, 12), {"f", {1}, false, false, 16, 1}).sentence == "");
    CHECK(lesson_of_loop(region(0, 0, 12), {"f", {1}, false, true, 16, 8}).sentence == "");
}

TEST_CASE("limits of a nest are its own") {
    Machine m;
    m.vector_registers = 16;
    KernelLimit registers{{2, 5}, 2, -1, -1, -1}, lanes{{5, 7}, 2, -1, -1, -1};
    registers.vector_registers = 12;
    lanes.lane_cost = 2;
    const std::vector<KernelLimit> limits{registers, lanes};
    CHECK(within_limits(m, limits, 2, {2}).vector_registers == 12);
    CHECK(within_limits(m, limits, 2, {2}).gather_cycles_per_lane == m.gather_cycles_per_lane);
    CHECK(within_limits(m, limits, 5, {5}).vector_registers == 12);
    CHECK(within_limits(m, limits, 5, {5}).gather_cycles_per_lane == 2 * m.gather_cycles_per_lane);
    CHECK(within_limits(m, limits, 3, {3}).vector_registers == 16);
}

TEST_CASE("without a reader the plan stays, and the ledger says so") {
    const Variable nowhere("EUTECTIC_READ_CODE", "/nowhere/reader");
    const Scheduled s = with_feedback(product());
    CHECK(all(s.feedback.sentences) == "feedback: EUTECTIC_READ_CODE names /nowhere/reader, which is no "
                                       "program, so the plan stays as it is: install "
                                       "Debian's llvm-19-dev and build Eutectic anew, or name an "
                                       "eutectic-read-code in EUTECTIC_READ_CODE\n");
    CHECK(s.feedback.compiles == 0);
    CHECK(to_string(s.planned.plan) == plan_without());
    CHECK(to_json(s.report())["notes"].dump().find("the plan stays as it is") != std::string::npos);
    const Scheduled riscv = with_feedback(product(), Target("riscv-64-linux"));
    CHECK(all(riscv.feedback.sentences).find("is not read back, so the plan stays as it is") !=
          std::string::npos);
}

TEST_CASE("a reader that fails is told") {
    const Variable fails("EUTECTIC_READ_CODE", "/bin/false");
    const Scheduled s = with_feedback(product());
    CHECK(all(s.feedback.sentences) ==
          "feedback: /bin/false failed (exit status 1), so the plan stays as it is\n");
    CHECK(to_string(s.planned.plan) == plan_without());
}

TEST_CASE("nothing spills: one compile, the same plan") {
    const std::string log = "none.log";
    const Variable reader("EUTECTIC_READ_CODE", made_up("reader_none", log, 0, "6"));
    const Scheduled s = with_feedback(product());
    CHECK(lines(log) == 1);
    CHECK(all(s.feedback.sentences) == "feedback: the code was read by LLVM 19, no tile spills and no vector "
                                       "goes lane by lane (1 compile)\n");
    CHECK(to_string(s.planned.plan) == plan_without());
}

TEST_CASE("a tile that spills is planned again with fewer registers") {
    const std::string log = "once.log";
    const Variable reader("EUTECTIC_READ_CODE", made_up("reader_once", log, 1, "runs == 1 ? 60 : 6"));
    const Scheduled s = with_feedback(product());
    INFO(all(s.feedback.sentences));
    CHECK(lines(log) == 2);
    CHECK(s.feedback.compiles == 2);
    CHECK(to_string(s.planned.plan) != plan_without());
    REQUIRE(s.feedback.limits.size() == 1);
    CHECK(s.feedback.limits[0].vector_registers == 14);
    REQUIRE(s.feedback.sentences.size() == 2);
    CHECK(s.feedback.sentences[0].find(
              "stores 2 registers and loads 2 again in a turn, where its tile was to do with 16 "
              "for vectors: planned again with 14") != std::string::npos);
    CHECK(s.feedback.sentences[1].find("no tile spills and no vector goes lane by lane; ") !=
          std::string::npos);
    CHECK(s.feedback.sentences[1].find(" by the model of znver4 instead of ") != std::string::npos);
    CHECK(s.feedback.sentences[1].find("(2 compiles)") != std::string::npos);
    CHECK(s.family.size() > 1);  // the new plan's
}

TEST_CASE("at most three compiles, and of the plans the one of the fewest cycles") {
    const std::string log = "always.log";
    const Variable reader("EUTECTIC_READ_CODE", made_up("reader_always", log, 100, "20 * runs * runs"));
    const Scheduled s = with_feedback(product());
    INFO(all(s.feedback.sentences));
    CHECK(lines(log) == 3);
    CHECK(s.feedback.compiles == 3);
    CHECK(s.feedback.limits.empty());
    CHECK(to_string(s.planned.plan) == plan_without());
    CHECK(s.feedback.sentences.back().find("no plan of those tried is better, so the first stays; ") !=
          std::string::npos);
}

TEST_CASE("with LLVM's libraries") {
    const CodeReader reader = find_code_reader();
    if (reader.path.empty()) {
        MESSAGE("eutectic-read-code was not built");
        return;
    }
    // Sixteen registers of four lanes: the tile that is planned first needs one more than estimated.
    const Target sse("x86-64-linux-sse41");
    const Scheduled s = with_feedback(product(), sse), again = with_feedback(product(), sse);
    INFO(all(s.feedback.sentences));
    CHECK(s.feedback.compiles > 1);
    CHECK(s.feedback.compiles <= most_compiles);
    CHECK(s.feedback.sentences.front().find(" for vectors: planned again with ") != std::string::npos);
    CHECK(s.feedback.sentences.back().find(" million cycles by the model of znver4") != std::string::npos);
    CHECK(to_string(s.planned.plan) == to_string(again.planned.plan));
}
