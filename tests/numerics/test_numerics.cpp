// One generator's kernels, compiled once at their estimates, called at every size and layout, against the
// scalar reference in double.

#include "tests/numerics/evaluate.h"

#include <doctest/doctest.h>

using namespace eutectic::numerics;

TEST_CASE("right and in bounds at every size, the same bits in every layout and on any number of threads") {
    const Subject s = subject();
    const std::vector<Case> all = cases(s);
    MESSAGE(all.size(), " sizes");
    int wrong = 0;
    for (const Case &c : all) {
        INFO(c.name);
        const Failures failures = failures_at(s, c.sizes);
        for (const std::string &failure : failures) {
            FAIL_CHECK(failure);
        }
        wrong += failures.empty() ? 0 : 1;
        REQUIRE_MESSAGE(wrong < 10, "ten sizes are wrong; the others are not tried");
    }
}

TEST_CASE("mins of zero") {
    const Subject s = subject();
    const Failures failures = failures_at(s, estimates(s));
    CHECK_MESSAGE(failures.empty(), failures.front());
}

TEST_CASE("the plan has tiles, and what the sizes were chosen for") {
    const Subject s = subject();
    const Plan plan = plan_of(s);
    CHECK(plan.tiles.empty() == s.reports.empty());  // hand-written schedules have no report
    for (const std::string &policy : s.policies) {
        CHECK_MESSAGE(plan.policies.count(policy) == 1, "no group has policy ", policy,
                      ": choose other sizes in CMakeLists.txt");
    }
}
