// One generator's kernels, compiled once at their estimates, called at every size and layout, against the
// scalar reference in double.

#include "tests/numerics/evaluate.h"

#include <doctest/doctest.h>

namespace {

using namespace eutectic;
using namespace eutectic::numerics;
using Place = GuardedTensor::Place;

Failures run_case(const Subject &subject, const Sizes &sizes) {
    Failures failures;
    const auto residuals = residual_ranges(subject, sizes);
    // Padded, or the scalar loops would step down columns whose elements share a cache set.
    const auto reference = evaluate(subject, subject.reference, sizes, residuals,
                                    {Place::middle, 9, 1, Numbers::exact}, failures);
    compare(
        evaluate(subject, subject.kernels, sizes, residuals, {Place::middle, 3, 2, Numbers::exact}, failures),
        reference, roundings_of(sizes), failures);
    if (!failures.empty()) {
        return failures;
    }
    const auto first = evaluate(subject, subject.kernels, sizes, residuals,
                                {Place::middle, 3, 2, Numbers::rounding}, failures);
    const std::pair<const char *, Setting> others[] = {
        {"a second run on two threads", {Place::at_begin, 5, 2, Numbers::rounding}},
        {"one thread", {Place::at_end, 0, 1, Numbers::rounding}},
    };
    for (const auto &[what, setting] : others) {
        compare_bits(evaluate(subject, subject.kernels, sizes, residuals, setting, failures), first, what,
                     failures);
    }
    return failures;
}

}  // namespace

TEST_CASE("right and in bounds at every size, the same bits in every layout and on any number of threads") {
    const Subject s = subject();
    const std::vector<Case> all = cases(s);
    MESSAGE(all.size(), " sizes");
    int wrong = 0;
    for (const Case &c : all) {
        INFO(c.name);
        const Failures failures = run_case(s, c.sizes);
        for (const std::string &failure : failures) {
            FAIL_CHECK(failure);
        }
        wrong += failures.empty() ? 0 : 1;
        REQUIRE_MESSAGE(wrong < 10, "ten sizes are wrong; the others are not tried");
    }
}

TEST_CASE("mins of zero") {
    const Subject s = subject();
    const Failures failures = run_case(s, estimates(s));
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
