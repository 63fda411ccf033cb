#include "schedules/target.h"

#include <algorithm>

#include "base/units.h"
#include "base/user_error.h"
#include "graph/read/shared.h"
#include "machine/processors.h"

namespace eutectic {

using namespace Halide;

namespace {

/** What Halide (21) makes of sums of neighbours' products: tables of CodeGen_X86.cpp and CodeGen_ARM.cpp. */
Dots dots_of(const Target &target) {
    Dots dots;
    if (target.arch == Target::X86) {
        const bool vnni = target.has_feature(Target::AVX512_Zen4) ||
                          target.has_feature(Target::AVX512_Zen5) ||
                          target.has_feature(Target::AVX512_SapphireRapids);
        dots.pairs = vnni ? 1 : 2;
        dots.mixed_quads = vnni ? 1 : 0;
    } else if (target.arch == Target::ARM && target.has_feature(Target::ARMDotProd)) {
        dots.equal_quads = 1;
    }
    return dots;
}

/** The one that the target names: by a feature that only it has, or by what it is tuned for, as Halide's host
 * is. Halide's names of what it tunes for are words of a target's text. */
std::string processor_of(const Target &target) {
    if (target.has_feature(Target::AVX512_SapphireRapids)) {
        return "sapphire_rapids";
    }
    const std::string text = target.to_string(), word = "-tune_";
    const size_t at = text.find(word);
    if (at == std::string::npos) {
        return "";
    }
    const size_t from = at + word.size();
    return processor_tuned_for(text.substr(from, text.find('-', from) - from));
}

}  // namespace

TargetDescription describe(const Target &target) {
    TargetDescription d;
    d.gpu = target.has_feature(Target::CUDA) ? "cuda" : target.has_feature(Target::OpenCL) ? "opencl" : "";
    if (target.has_gpu_feature() && d.gpu.empty()) {
        throw UserError("The target " + target.to_string() +
                        " asks for GPU kernels in a language that Eutectic does not schedule for: use cuda "
                        "or opencl, or a CPU target.");
    }
    d.arch = target.arch == Target::X86     ? "x86"
             : target.arch == Target::ARM   ? "arm"
             : target.arch == Target::RISCV ? "riscv"
                                            : "other";
    d.vector_bits = target.natural_vector_size<float>() * 32;
    d.fused_multiply_add = target.arch != Target::X86 || target.has_feature(Target::FMA);
    d.dots = dots_of(target);
    d.processor = processor_of(target);
    return d;
}

std::string not_run_here(const Target &target) {
    const Target host = get_host_target();
    if (target.os != host.os || target.arch != host.arch || target.bits != host.bits) {
        return "is not this machine (" + host.to_string() + ")";
    }
    static const Target::Feature of_cpus[] = {Target::SSE41,
                                              Target::AVX,
                                              Target::AVX2,
                                              Target::FMA,
                                              Target::F16C,
                                              Target::AVX512,
                                              Target::AVX512_Skylake,
                                              Target::AVX512_Cannonlake,
                                              Target::AVX512_Zen4,
                                              Target::AVX512_Zen5,
                                              Target::AVX512_SapphireRapids};
    for (const Target::Feature feature : of_cpus) {
        if (target.has_feature(feature) && !host.has_feature(feature)) {
            return "needs " + Target::feature_to_name(feature) + ", which this machine does not have";
        }
    }
    return "";
}

Numerics numerics_of(const Target &target, std::optional<Numerics> asked) {
    const bool strict_target = target.has_feature(Target::StrictFloat);
    if (asked && asked != Numerics::fast && !strict_target) {
        throw UserError(std::string(asked == Numerics::strict ? "Strict" : "NaN-safe") +
                        " numerics were asked for, but the target " + target.to_string() +
                        " lacks the feature strict_float, without which the compiler itself contracts and "
                        "reorders: add -strict_float to the target.");
    }
    if (asked == Numerics::fast && strict_target) {
        throw UserError(
            "Fast numerics were asked for, but the target " + target.to_string() +
            " has the feature strict_float, which implies strict ones: leave out one of the two.");
    }
    return asked.value_or(strict_target ? Numerics::strict : Numerics::fast);
}

namespace {

bool has_doubles(const Internal::Definition &definition) {
    bool any = false;
    std::vector<Expr> all = definition.values();
    all.insert(all.end(), definition.args().begin(), definition.args().end());
    for (const Expr &e : all) {
        for_each_node(e, [&](const Expr &node) {
            any = any || node.type().element_of() == Float(64);
            return !any;
        });
    }
    return any;
}

void check_doubles(const std::vector<Internal::Function> &outputs, const Target &target) {
    if (!target.has_feature(Target::OpenCL) || target.has_feature(Target::CLDoubles)) {
        return;
    }
    for (const auto &[name, f] : Internal::build_environment(outputs)) {
        const bool any =
            f.has_pure_definition() &&
            (has_doubles(f.definition()) || std::any_of(f.updates().begin(), f.updates().end(), has_doubles));
        if (any) {
            throw UserError(name + " computes in double precision, and the target " + target.to_string() +
                            " lacks the feature cl_doubles, without which kernels for OpenCL have none: add "
                            "-cl_doubles to the target, if the device has doubles, or compute in float.");
        }
    }
}

void check_sizes(const Graph &graph, const Target &target) {
    constexpr double most = 2147483647;  // Halide (21): an int holds the number of points
    for (const FuncInfo &info : graph.funcs) {
        double points = 1;
        std::string sizes;
        for (const int64_t extent : info.extents) {
            points *= static_cast<double>(extent);
            sizes += (sizes.empty() ? "" : " x ") + format_count(extent);
        }
        if ((info.input || info.output) && points > most && !target.has_feature(Target::LargeBuffers)) {
            throw UserError(
                info.name + " has " + sizes +
                " points at the estimates, and a buffer of Halide's holds at most " +
                format_count(static_cast<int64_t>(most)) +
                ": estimate the sizes that are to be expected, or add large_buffers to the target.");
        }
    }
}

/** Of a pipeline. Planning 5,000 takes 17 s and 220 MiB, 10,000 twice that where they are alike and one of
 * them reads all (plan_bench --limits), and more than as many times for as many times as many: what would
 * take minutes is refused before it does. */
constexpr size_t most_funcs = 20000;

void check_funcs(const Graph &graph) {
    if (graph.funcs.size() > most_funcs) {
        throw UserError("The pipeline has " + format_count(static_cast<int64_t>(graph.funcs.size())) +
                        " Funcs, inputs included, and plans are made for " +
                        format_count(static_cast<int64_t>(most_funcs)) +
                        " at most: schedule it in parts, as pipelines of their own.");
    }
}

}  // namespace

void check_limits(const Graph &graph, const std::vector<Internal::Function> &outputs, const Target &target) {
    check_funcs(graph);
    check_sizes(graph, target);
    check_doubles(outputs, target);
}

}  // namespace eutectic
