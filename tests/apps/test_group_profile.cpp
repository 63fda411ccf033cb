// To which group of a plan what a profiler names belongs.

#include <doctest/doctest.h>

#include "apps/eutectic/group_profile.h"

using namespace eutectic;

namespace {

GroupProfile group(const std::vector<std::string> &members) {
    GroupProfile g;
    g.root = members.back();
    g.members = members;
    return g;
}

}  // namespace

TEST_CASE("Funcs belong to the group of the longest name that fits; copies to that of who reads them") {
    std::vector<GroupProfile> groups = {group({"mm", "out"}), group({"mm_wide"}), group({"image_in_view"})};
    const auto root_of = [&](const std::string &name) {
        const GroupProfile *g = group_of(groups, name);
        return g ? g->root : "none";
    };
    CHECK(root_of("mm") == "out");
    CHECK(root_of("mm_intm$1") == "out");
    CHECK(root_of("mm_wide") == "mm_wide");
    CHECK(root_of("mm_wide_lanes") == "mm_wide");
    CHECK(root_of("w_im_in_mm$0") == "out");
    CHECK(root_of("w_im_in_mm_intm_intm$0") == "out");
    CHECK(root_of("mm_wide_in_out$0") == "out");
    CHECK(root_of("image_in_view") == "image_in_view");
    CHECK(root_of("image_in_view$2") == "image_in_view");
    CHECK(root_of("w_in_mmm") == "none");
    CHECK(root_of("halide_malloc") == "none");
}
