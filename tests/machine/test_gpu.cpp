#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "base/user_error.h"
#include "machine/calibration.h"
#include "machine/gpu_fields.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;
using Limit = Occupancy::Limit;

namespace {

std::string message_of(const std::function<void()> &f) {
    try {
        f();
    } catch (const UserError &e) {
        return e.what();
    }
    return "";
}

void check(const KernelResources &kernel, int blocks, Limit limit) {
    const Occupancy o = occupancy(round_gpu(), kernel);
    INFO(kernel.threads << " threads, " << kernel.registers << " registers, " << kernel.shared_bytes << " B");
    CHECK(o.blocks == blocks);
    CHECK(o.limit == limit);
    CHECK(o.share == doctest::Approx(blocks * ((kernel.threads + 31) / 32) / 32.0));
}

}  // namespace

TEST_CASE("what keeps an SM from holding more blocks") {
    // 1024 threads, 16 blocks, 32768 registers in 4 parts, 64 KiB in pieces of 1 KiB, of which 1 KiB a block
    // is reserved.
    check({256, 32, 0}, 4, Limit::threads);
    check({33, 16, 0}, 16, Limit::threads);
    check({32, 16, 0}, 16, Limit::blocks);
    check({256, 64, 0}, 2, Limit::registers);
    check({256, 33, 0}, 3,
          Limit::registers);  // a warp's 1056 registers are 1280: 6 warps in each part's 8192, 24 of the 32
    check({128, 32, 15 * 1024}, 4, Limit::shared_memory);
    check({128, 32, 15 * 1024 + 1}, 3, Limit::shared_memory);
    check({128, 32, 32 * 1024}, 1, Limit::shared_memory);
}

TEST_CASE("a block that no SM can hold") {
    check({1024, 33, 0}, 0, Limit::registers);
    check({1056, 16, 0}, 0, Limit::threads);
    check({128, 32, 32 * 1024 + 1}, 0, Limit::shared_memory);
    check({32, 256, 0}, 0, Limit::registers);
    CHECK(occupancy(round_gpu(), {0, 0, 0}).blocks == 0);
}

TEST_CASE("presets") {
    std::set<std::string> all;
    for (const std::string &name : gpu_preset_names()) {
        const Gpu g = gpu_preset(name);
        CHECK(g.name == "preset " + name);
        all.insert(to_string(g));
        for (const GpuField &f : gpu_fields()) {
            INFO(name << " " << f.key);
            CHECK(f.get(g) >= f.low);
            CHECK(f.get(g) <= f.high);
        }
    }
    CHECK(all.size() == 4);
    // What the makers say of the whole devices: float32, and the second level at 5120 bytes a clock.
    const auto teraflops = [](const char *name) {
        const Gpu g = gpu_preset(name);
        return 2e-12 * g.sms * g.fmas_per_cycle * g.hertz;
    };
    CHECK(teraflops("a100") == doctest::Approx(19.5).epsilon(0.005));
    CHECK(teraflops("h100") == doctest::Approx(66.9).epsilon(0.005));
    CHECK(teraflops("h200") == doctest::Approx(60.8).epsilon(0.005));  // measured: it does not keep its boost
    CHECK(teraflops("rtx4090") == doctest::Approx(82.6).epsilon(0.005));
    for (const char *name : {"a100", "h100"}) {
        CHECK(gpu_preset(name).l2_bytes_per_second / gpu_preset(name).hertz ==
              doctest::Approx(5120).epsilon(0.005));
    }
    CHECK(gpu_preset("a100").capability == 80);
    CHECK(gpu_preset("h200").capability == 90);
    CHECK(gpu_preset("rtx4090").capability == 89);
    CHECK(message_of([] { gpu_preset("voodoo"); }) ==
          "The GPU \"voodoo\" is unknown: known ones are a100, h100, h200, rtx4090.");
}

TEST_CASE("a file says the same") {
    Gpu made = round_gpu();
    made.l2_bytes_per_second = 1.25e12;
    const Gpu read = parse_gpu(to_json(made), "x.json");
    CHECK(to_string(read) == to_string(made));
    CHECK(read.name == made.name);
    const std::string file = (std::filesystem::temp_directory_path() / "eutectic_test_gpu.json").string();
    std::ofstream(file) << to_json(made);
    CHECK(to_string(choose_gpu(file)) == to_string(made));
    std::filesystem::remove(file);
    CHECK(to_string(choose_gpu("h100")) == to_string(gpu_preset("h100")));
}

TEST_CASE("bad files end in one sentence") {
    const std::string good = to_json(round_gpu());
    const auto with = [&](const std::string &from, const std::string &to) {
        std::string text = good;
        const size_t at = text.find(from);
        REQUIRE(at != std::string::npos);
        text.replace(at, from.size(), to);
        return message_of([&] { parse_gpu(text, "x.json"); });
    };
    CHECK(message_of([] { parse_gpu("[", "x.json"); }).find("is not a JSON object") != std::string::npos);
    CHECK(with("eutectic gpu 1", "eutectic gpu 9").find("has not the format \"eutectic gpu 1\"") !=
          std::string::npos);
    CHECK(with("\"sms\"", "\"smz\"") == "The GPU file x.json has the unknown key \"values.smz\": remove it.");
    CHECK(with("\"unit\": \"SMs\"", "\"unit\": \"pieces\"") ==
          "The GPU file x.json gives the unit of \"values.sms\" as \"pieces\", and the unit is \"SMs\": "
          "convert the value.");
    CHECK(with("\"value\": 10,", "\"value\": 0,") ==
          "The GPU file x.json gives \"values.sms\" as 0, which is out of range: give a whole number from 1 "
          "to 10000 (SMs).");
    CHECK(with("\"value\": 10,", "\"value\": 1.5,").find("out of range") != std::string::npos);
    CHECK(with("\"value\": 10,", "\"value\": \"ten\",").find("which is not a number") != std::string::npos);
    CHECK(message_of([] { choose_gpu("nowhere.json"); }) ==
          "The GPU \"nowhere.json\" is neither a preset nor a file that can be read: give a100, h100, h200, "
          "rtx4090, or the path of a file.");
}

TEST_CASE("a machine has a GPU where the target has kernels on one") {
    TargetDescription target;
    CHECK_FALSE(with_gpu(round_machine(), target, "").gpu);
    CHECK(message_of([&] { with_gpu(round_machine(), target, "h100"); }) ==
          "The GPU h100 was asked for, but the target has no kernels for one: add -cuda or -opencl to the "
          "target, or leave the GPU out.");
    target.gpu = "cuda";
    CHECK(with_gpu(round_machine(), target, "").gpu->name == "preset a100");
    CHECK(with_gpu(round_machine(), target, "h200").gpu->warp_shuffles);
    CHECK(with_gpu(round_machine(), target, "h200").gpu->registers_per_thread == 64);  // Halide's runtime
    target.gpu = "opencl";
    CHECK(with_gpu(round_machine(), target, "h200").gpu->registers_per_thread == 255);
    CHECK_FALSE(with_gpu(round_machine(), target, "h200").gpu->warp_shuffles);
    // The hash of a plan tells the machines apart; without a GPU it is what it always was.
    CHECK(to_string(with_gpu(round_machine(), target, "h200")) !=
          to_string(with_gpu(round_machine(), target, "h100")));
    CHECK(to_string(round_machine()).find("gpu") == std::string::npos);
}
