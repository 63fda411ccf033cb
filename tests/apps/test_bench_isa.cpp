#include "apps/bench/isa.h"
#include "apps/bench/suite.h"
#include "base/user_error.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace eutectic;
using namespace eutectic::bench;

TEST_CASE("an instruction set restricts the suites that have kernels for it, and nothing else has its name") {
    const Suite narrow = find_suite("cpu", "avx2");
    CHECK(narrow.rows.size() == find_suite("cpu").rows.size());
    CHECK(narrow.built_as() == "cpu-avx2");
    CHECK(find_suite("cpu").built_as() == "cpu");
    CHECK(find_suite("grad", "avx512").target.find("avx512_skylake") != std::string::npos);
    CHECK(narrow.target.find("avx512") == std::string::npos);
    CHECK_THROWS_WITH_AS(find_suite("cpu", "sse2"),
                         "There is no instruction set 'sse2'; known are avx2, avx512.", UserError);
    CHECK_THROWS_WITH_AS(find_suite("cuda", "avx2"),
                         "Suite cuda cannot be restricted by --isa avx2, as it has no kernels for that; run "
                         "it without --isa, or one of cpu, grad, products, tangent.",
                         UserError);
}

TEST_CASE("libraries that are called by themselves are told the instruction set, as frameworks are") {
    restrict_libraries(isa_named("avx2"));
    CHECK(std::string(std::getenv("ONEDNN_MAX_CPU_ISA")) == "AVX2");
    CHECK(std::string(std::getenv("OPENBLAS_CORETYPE")) == "Haswell");
    restrict_libraries(isa_named("avx512"));
    CHECK(std::string(std::getenv("ONEDNN_MAX_CPU_ISA")) == "AVX512_CORE");
}

TEST_CASE("a processor runs the instruction sets whose flags it has, and is told what it lacks") {
    const std::vector<std::string> narrow = {"fpu", "sse4_1", "avx", "f16c", "fma", "avx2"};
    std::vector<std::string> wide = narrow;
    wide.insert(wide.end(), {"avx512f", "avx512cd", "avx512dq", "avx512bw", "avx512vl", "avx512_vnni"});
    require_isa(isa_named("avx2"), narrow);
    require_isa(isa_named("avx2"), wide);
    require_isa(isa_named("avx512"), wide);
    CHECK_THROWS_WITH_AS(
        require_isa(isa_named("avx512"), narrow),
        "--isa avx512 needs a processor with sse4_1, avx, f16c, fma, avx2, avx512f, avx512cd, avx512dq, "
        "avx512bw, avx512vl, and this one lacks avx512f, avx512cd, avx512dq, avx512bw, avx512vl; without "
        "--isa the run has what the processor has.",
        UserError);
    CHECK(widest_isa("host", narrow) == "avx2");
    CHECK(widest_isa("host", wide) == "avx512");
    CHECK(widest_isa("host", {"fpu"}) == "unknown");
    CHECK(widest_isa(find_suite("cpu", "avx2").target, wide) == "avx2");
    CHECK(widest_isa("x86-64-linux-avx-avx2-avx512-avx512_skylake-avx512_zen4-f16c-fma-sse41", narrow) ==
          "avx512");
    CHECK(widest_isa("arm-64-linux", narrow) == "unknown");
}
