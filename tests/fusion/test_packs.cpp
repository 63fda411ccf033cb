// Which operands of a tile of registers are packed, and where.

#include <doctest/doctest.h>

#include <algorithm>

#include "fusion/plan/plan.h"
#include "fusion/search/completer.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

TEST_CASE("a transposed right operand is packed, a straight one need not be") {
    Sketch s;
    const FuncId a = s.input("a", {512, 512}), b = s.input("b", {512, 512});
    const FuncId mm = s.contraction("mm", {512, 512}, {512}, {{a, {at(2), at(1)}}, {b, {at(2), at(0)}}});
    s.output(s.pointwise("y", {512, 512}, {{mm, {at(0), at(1)}}}));
    const Graph g = s.graph();
    Placements placements = unfused(g);
    placements[mm] = {Placement::Kind::at, mm + 1};
    const FusionPlan plan = complete(g, round_machine(), placements);
    const auto packs =
        std::count_if(plan.groups[0].added.begin(), plan.groups[0].added.end(), [&](const Added &added) {
            return added.kind == Added::Kind::pack && added.of == b &&
                   added.read_by == std::vector<FuncId>{mm};
        });
    CHECK(packs == 1);
}

TEST_CASE("a straight operand is packed, a panel for each column of tiles, where its rows share sets") {
    for (const int64_t k : {512, 4096}) {  // as a whole, and in chunks
        for (const int64_t n : {512, 520}) {
            for (const Seconds conflict : {0., 5e-9}) {
                INFO(k << " " << n << " " << conflict);
                Sketch s;
                const FuncId a = s.input("a", {k, 512}), b = s.input("b", {n, k});
                const FuncId mm = s.matmul("mm", a, b, n, 512, k);
                s.output(s.pointwise("y", {n, 512}, {{mm, {at(0), at(1)}}}));
                const Graph g = s.graph();
                Placements placements = unfused(g);
                placements[mm] = {Placement::Kind::at, mm + 1};
                Machine m = round_machine();
                m.l2_conflict_seconds = conflict;
                m.l2 = {1 << 20, 5e10};
                const FusionPlan plan = complete(g, m, placements);
                const Group &group = plan.groups[0];
                std::vector<FuncId> packs;
                for (const Added &added : group.added) {
                    if (added.kind == Added::Kind::pack) {
                        CHECK(added.of == b);
                        packs.push_back(added.id);
                    }
                }
                REQUIRE(packs.size() <= 1);
                if (n == 512 && conflict > 0) {
                    CHECK(packs.size() == 1);
                }
                if (n == 520 && conflict == 0) {
                    CHECK(packs.empty());
                }
                for (const FuncId id : packs) {
                    // Inside a loop over columns; the tile's rows are further in.
                    const TreeFunc &copy = group.tree.at(id);
                    REQUIRE(copy.computed);
                    const Loop &loop = group.tree.at(copy.computed->func, copy.computed->update)
                                           .loops[static_cast<size_t>(copy.computed->loop)];
                    CHECK(loop.dim == 0);
                    CHECK(copy.storage == std::vector<DimId>{0, 1});
                    const StageWork &work = copy.stages.front().priced->work;
                    CHECK(work.dims[0].extent == loop.size);
                    CHECK(work.dims[1].extent <= k);
                }
            }
        }
    }
}
