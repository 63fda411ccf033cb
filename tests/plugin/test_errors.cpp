// What leaves the plugin are Halide's errors, for programs that catch those: loaded as users load it.
//
// usage: test_errors PLUGIN

#include <Halide.h>

#include <cstring>
#include <iostream>
#include <vector>

using namespace Halide;

namespace {

const Var x("x"), y("y");
int failures = 0;

void check(bool right, const char *what) {
    failures += !right;
    std::cout << (right ? "ok: " : "FAILED: ") << what << "\n";
}

/// The sentence of the CompileError that planning throws; empty without one.
std::string refusal(Func f, const Target &target, const std::map<std::string, std::string> &parameters = {}) {
    try {
        Pipeline(f).apply_autoscheduler(target, {"Eutectic", parameters});
    } catch (const CompileError &e) {
        return e.what();
    }
    return "";
}

Func doubled(int extent) {
    const ImageParam in(Float(32), 1, "in");
    Func f("f");
    f(x) = in(x) * 2;
    f.set_estimates({{0, extent}});
    return f;
}

/** So many Funcs beside each other, added up two by two: one after the other, Halide itself runs out of
 * stack. */
Func wide(int funcs) {
    const ImageParam in(Float(32), 1, "in");
    std::vector<Expr> level;
    for (int i = 0; i < funcs; i++) {
        Func part;
        part(x) = in(x) + static_cast<float>(i);
        level.push_back(part(x));
    }
    while (level.size() > 1) {
        std::vector<Expr> sums;
        for (size_t i = 0; i < level.size(); i += 2) {
            sums.push_back(i + 1 < level.size() ? level[i] + level[i + 1] : level[i]);
        }
        level = sums;
    }
    Func sum("sum");
    sum(x) = level.front();
    sum.set_estimates({{0, 100}});
    return sum;
}

}  // namespace

int main(int, char **argv) {
    load_plugin(argv[1]);
    const Target host = get_host_target();
    Func bare("bare"), reads("reads");
    const ImageParam data(Int(32), 1, "data");
    bare(x) = cast<float>(x);
    reads(x) = bare(data(x));
    reads.set_estimates({{0, 100}});
    check(refusal(reads, host).find("clamp(INDEX, 0, SIZE - 1)") != std::string::npos,
          "an index without bounds");
    check(refusal(doubled(100), host, {{"speed", "11"}}).find("speed is unknown") != std::string::npos,
          "an unknown parameter");
    check(refusal(doubled(100), Target()).find("names no processor") != std::string::npos,
          "a target of nothing");
    check(refusal(doubled(100), host.with_feature(Target::UserContext)).empty(), "user_context");
    check(refusal(doubled(0), host).find("is 0 points, and there is no plan for none") != std::string::npos,
          "a size of 0");
    Func large("large");
    large(x, y) = cast<float>(x + y);
    large.set_estimates({{0, 1 << 20}, {0, 1 << 20}});
    check(refusal(large, host).find("large has 1,048,576 x 1,048,576 points") != std::string::npos,
          "more points than a buffer holds");
    check(refusal(large, host.with_feature(Target::LargeBuffers)).empty(), "large_buffers");
    check(refusal(wide(20000), host)
                  .find("The pipeline has 20,002 Funcs, inputs included, and plans are made for "
                        "20,000 at most: schedule it in parts") != std::string::npos,
          "more Funcs than plans are made for");
    return failures != 0;
}
