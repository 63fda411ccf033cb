#include "schedules/cpu/emitted_code.h"

#include <cmath>
#include <set>

#include "base/temporary_folder.h"
#include "machine/processors.h"
#include "schedules/cpu/code_runs.h"
#include "schedules/target.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Only the first version of a loop runs: LLVM makes others for cases that it tells apart outside of it. */
std::vector<EmittedRegion> with_turns(const std::vector<CodeRegion> &regions, const CodeRuns &runs) {
    std::vector<EmittedRegion> all;
    std::set<int> seen;
    for (const CodeRegion &r : regions) {
        EmittedRegion e{r, "", 0, 0};  // what is no function of the module tells others about it
        for (const FunctionRuns &f : runs.functions) {
            if (f.name == r.function) {
                e.nest = f.nest;
                e.calls = f.calls;
                e.turns = r.label.empty() || f.calls == 0 ? f.calls : -1;
            }
        }
        const bool numbered = r.loop > 0 && static_cast<size_t>(r.loop) <= runs.loops.size();
        if (numbered && runs.loops[r.loop - 1].name == r.name) {
            const LoopRuns &loop = runs.loops[r.loop - 1];
            e.nest = loop.nest;
            e.turns = seen.insert(r.loop).second ? loop.turns : 0;
        }
        all.push_back(e);
    }
    return all;
}

}  // namespace

EmittedCode emitted_code(const CodeReader &reader, Pipeline scheduled, const std::vector<Argument> &arguments,
                         const Target &target, const std::string &cpu) {
    const std::string name = "inspected";
    const TemporaryFolder folder("reading code back", "leave feedback out");
    const Module module =
        scheduled.compile_to_module(arguments, name, target.with_feature(Target::NoRuntime));
    module.compile({{OutputFileType::assembly, folder.file("code.s")}});
    EmittedCode code;
    code.read = read_code(reader, folder.file("code.s"), llvm_triple(target), cpu);
    code.regions = with_turns(code.read.regions, code_runs(module, name, estimated_arguments(scheduled)));
    code.read.regions.clear();
    return code;
}

std::string llvm_triple(const Target &target) {
    if (target.arch == Target::X86) {
        return target.bits == 64 ? "x86_64-linux-gnu" : "i686-linux-gnu";
    }
    return target.arch == Target::ARM && target.bits == 64 ? "aarch64-linux-gnu" : "";
}

std::string default_cpu(const Target &target) {
    return not_run_here(target).empty() ? "host" : planned_cpu(target);
}

std::string planned_cpu(const Target &target, const std::string &processor) {
    const std::string name =
        processor.empty() ? family_of(describe(target)).front()->llvm : processors().at(processor).llvm;
    return name.empty() ? "generic" : name;
}

double model_cycles(const EmittedRegion &region) {
    return region.turns < 0 || region.code.cycles < 0 ? -1 : region.turns * region.code.cycles;
}

double elapsed_cycles(const EmittedRegion &region, int threads) {
    const double all = model_cycles(region), tasks = region.calls;
    return all < 0 || tasks <= 1 ? all : all * std::ceil(tasks / threads) / tasks;
}

}  // namespace eutectic
