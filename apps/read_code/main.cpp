// eutectic-read-code: reads assembly that Halide has emitted back through LLVM's libraries, and prints what
// its loops are as JSON. eutectic inspect starts it, and so does feedback=1: libHalide has an LLVM of its
// own, beside which no other may be loaded.

#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "llvm/Config/llvm-config.h"

#include "apps/read_code/assembly.h"
#include "apps/read_code/cycles.h"
#include "apps/read_code/mix.h"
#include "apps/read_code/processor.h"

namespace eutectic {

using nlohmann::ordered_json;

namespace {

const char *const usage =
    "usage: eutectic-read-code FILE.s TRIPLE CPU\n\n"
    "Prints what LLVM's libraries tell of each loop of an assembly file that Halide has written (ELF, with\n"
    "comments): instructions by kind, vectors, loads, stores, spills, and the cycles of a turn by llvm-mca's "
    "model\n"
    "of CPU, or of the nearest that has one.\n\n"
    "example:\n  eutectic-read-code matmul.s x86_64-linux-gnu znver3\n";

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

ordered_json to_json(const AssemblyRegion &region, const Mix &mix, const Cycles &cycles,
                     const std::vector<std::string> &text) {
    ordered_json kinds = ordered_json::object();
    for (const auto &[kind, count] : mix.kinds) {
        kinds[kind] = count;
    }
    ordered_json j = {{"function", region.function},
                      {"label", region.label},
                      {"loop", region.loop},
                      {"name", region.name},
                      {"parent", region.parent},
                      {"innermost", region.innermost},
                      {"instructions", mix.instructions},
                      {"mix", kinds},
                      {"vector_bits", mix.vector_bits},
                      {"loads", mix.loads},
                      {"stores", mix.stores},
                      {"multiply_adds", mix.multiply_adds},
                      {"products", mix.products},
                      {"scalar_arithmetic", mix.scalar_arithmetic},
                      {"lane_moves", mix.lane_moves},
                      {"spill_stores", mix.spill_stores},
                      {"spill_loads", mix.spill_loads},
                      {"spill_bytes", mix.spill_bytes},
                      {"text", text}};
    if (cycles.failure.empty()) {
        j["cycles"] = cycles.turn;
        j["throughput_cycles"] = cycles.throughput;
    } else {
        j["no_cycles"] = cycles.failure;
    }
    return j;
}

ordered_json read(const std::string &text, const ModelledProcessor &processor) {
    const Assembly assembly = read_assembly(lines_of(text));
    const Program program(processor, text);
    std::multimap<size_t, llvm::MCInst> by_line;
    for (const auto &[line, instruction] : program.instructions()) {
        by_line.emplace(line, instruction);
    }
    ordered_json regions = ordered_json::array();
    for (const AssemblyRegion &region : assembly.regions) {
        Counter counter;
        std::vector<llvm::MCInst> turn;
        std::vector<std::string> lines;
        for (const size_t line : region.lines) {
            const auto spill = assembly.spills.find(line);
            const auto [begin, end] = by_line.equal_range(line);
            for (auto i = begin; i != end; ++i) {
                lines.push_back(printed(processor, i->second));
                counter.add(work_of(processor, i->second, lines.back()),
                            spill == assembly.spills.end() ? nullptr : &spill->second);
                lines.back() += spill == assembly.spills.end() ? ""
                                : spill->second.store          ? "  # spill"
                                                               : "  # reload";
                turn.push_back(i->second);
            }
        }
        if (!turn.empty()) {
            regions.push_back(to_json(region, counter.mix(), count_cycles(processor, turn), lines));
        }
    }
    return {{"llvm", LLVM_VERSION_STRING},
            {"cpu",
             {{"asked", processor.asked},
              {"known", processor.known},
              {"model", processor.model},
              {"shared", processor.shared}}},
            {"regions", regions}};
}

int run(const std::string &path, const std::string &triple, const std::string &cpu) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw Refused("The file " + path + " cannot be read: name an assembly file.");
    }
    std::ostringstream text;
    text << in.rdbuf();
    std::cout << read(text.str(), ModelledProcessor(triple, cpu)).dump() << '\n' << std::flush;
    return std::cout ? 0 : 2;
}

}  // namespace

}  // namespace eutectic

int main(int argc, char **argv) {
    if (argc == 2 && std::string(argv[1]) == "--help") {
        std::fputs(eutectic::usage, stdout);
        return 0;
    }
    if (argc != 4) {
        std::fputs(eutectic::usage, stderr);
        return 2;
    }
    try {
        return eutectic::run(argv[1], argv[2], argv[3]);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "eutectic-read-code: %s\n", e.what());
        return 2;
    }
}
