// Passes over points: where the loops over a few colours are, and what is read at computed places.

#include <doctest/doctest.h>

#include <string>

#include "fusion/plan/plan.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr int64_t columns = 1024, rows = 512, colours = 3;

struct Pass {
    Sketch s;
    FuncId y;

    /** y of `extents`, which reads one input of each size at the indices beside it. */
    Pass(const Extents &extents, const std::vector<std::pair<Extents, Table<DimId, At>>> &reads,
         const ExprSummary &body) {
        std::vector<Read> all;
        for (const auto &[size, indices] : reads) {
            all.push_back({s.input("x" + std::to_string(all.size()), size), indices});
        }
        y = s.pointwise("y", extents, all, body);
        s.output(y);
    }

    std::string loops() const {
        const FusionPlan plan = complete(s.graph(), round_machine(), unfused(s.graph()));
        return plan.groups.front().policy + ": " + to_string(plan.groups.front().tree.nest(y, -1).nest);
    }
};

bool ends_with(const std::string &text, const std::string &end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

TEST_CASE("what does not depend on a colour is computed once for all: their loop is inside the vectors'") {
    const Extents planes = {columns, rows, colours}, plane = {columns, rows};
    const std::string shared =
        Pass(planes, {{plane, {at(0), at(1)}}, {plane, {tap(0, 1), at(1)}}, {plane, {at(0), tap(1, 1)}}},
             work(1))
            .loops();
    INFO(shared);
    CHECK(ends_with(shared, "d2, d0 vector"));
    // Of many planes the loads of one vector would drive each other out.
    const std::string many =
        Pass({columns, rows, 64}, {{plane, {at(0), at(1)}}, {plane, {tap(0, 1), at(1)}}}, work(1)).loops();
    INFO(many);
    CHECK_FALSE(ends_with(many, "d2, d0 vector"));
}

TEST_CASE(
    "colours that lie side by side have vectors along the columns, more than a few have them in a row") {
    const auto interleaved = [](int64_t count) {
        return Pass({count, columns, rows}, {{{count, columns, rows}, {at(0), at(1), at(2)}}}, work(30))
            .loops();
    };
    INFO(interleaved(colours));
    CHECK(ends_with(interleaved(colours), "d0, d1 vector"));
    INFO(interleaved(64));
    CHECK(ends_with(interleaved(64), "d0 vector"));
    // Where there is hardly any arithmetic storing lane by lane is not worth it, nor is it for a row.
    const std::string row =
        Pass({colours, columns}, {{{colours, columns}, {at(0), at(1)}}}, work(30)).loops();
    INFO(row);
    CHECK(ends_with(row, "d0, d1 vector"));
}

TEST_CASE("colours that lie side by side are unrolled where strides are asked for, or set by the author") {
    const Extents pixels = {colours, columns, rows}, planes = {columns, rows, colours};
    const auto interleaving = [](bool constant) {
        return constant ? Interleaving{2, 0, colours, true} : Interleaving{0, 1, colours, false};
    };
    const auto loops = [&](bool constant, bool input, bool output) {
        Pass pass(constant ? planes : pixels, {{constant ? planes : pixels, {at(0), at(1), at(2)}}}, work(9));
        if (input) {
            pass.s.func(FuncId(0)).interleaving = interleaving(constant);
        }
        if (output) {
            pass.s.func(pass.y).interleaving = interleaving(constant);
        }
        return pass.loops();
    };
    const std::string asked = loops(false, true, true), set = loops(true, true, true);
    INFO(asked);
    CHECK(asked.find("d0/3, d0 unroll, d1 vector | whole 1.1 steps 3, 0.1 steps 3, 1.0>=3") !=
          std::string::npos);
    INFO(set);
    CHECK(set.find("d2/3, d2 unroll, d0 vector | whole 1.2>=3") != std::string::npos);
    // From planes to pixels, and back.
    const std::string packed = loops(true, false, true), unpacked = loops(true, true, false);
    INFO(packed);
    CHECK(packed.find("d2/3, d2 unroll, d0 vector | whole 1.2>=3") != std::string::npos);
    INFO(unpacked);
    CHECK(unpacked.find("steps") == std::string::npos);
}

TEST_CASE("reads at computed places are as many as there are points, not the whole image at every turn") {
    const Extents planes = {columns, rows, colours};
    const std::string warped = Pass(planes, {{planes, {unknown(), unknown(), at(2)}}}, work(20)).loops();
    INFO(warped);
    CHECK(warped.compare(0, 9, "streaming") == 0);
    // Guarded, a tail would be a load and a jump for each lane.
    CHECK(ends_with(warped, "d0/16, d0 vector guarded only whole | whole 1.0>=16"));
    CHECK(warped.find("parallel") != std::string::npos);
}
