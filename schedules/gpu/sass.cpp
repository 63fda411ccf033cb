#include "schedules/gpu/sass.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/process.h"
#include "base/regex.h"
#include "base/temporary_folder.h"
#include "schedules/gpu/ptxas.h"

namespace eutectic {

namespace {

constexpr double most_disassembly_seconds = 60;

/** A line of a kernel: an instruction, or a label before the next one. */
struct SassLine {
    std::string label, opcode, target, text;
};

/** By the beginning of the opcode; the first that fits. Integer multiply-adds are addresses, as a rule. */
const std::vector<std::pair<const char *, Regex>> &kinds() {
    static const std::vector<std::pair<const char *, Regex>> all = {
        {"multiply_add", Regex("^([FDH]FMA2?|HFMA2|[HIDBQ]G?MMA|IDP4?A?)(\\..*)?$")},
        {"arithmetic",
         Regex("^(F|D|H)(ADD2?|MUL2?|MNMX2?|SETP?2?|SEL|CHK|SWZADD)(\\..*)?$|^(HADD2|HMUL2|MUFU)(\\..*)?$")},
        {"convert", Regex("^([FI]2[FI]P?|FRND|F2FP)(\\..*)?$")},
        {"load_global", Regex("^(LDG|LD|LDC|LDGSTS|TEX|TLD)(\\..*)?$")},
        {"store_global", Regex("^(STG|ST|RED|ATOMG?)(\\..*)?$")},
        {"load_shared", Regex("^(LDS|LDSM)(\\..*)?$")},
        {"store_shared", Regex("^(STS|ATOMS)(\\..*)?$")},
        {"local", Regex("^(LDL|STL)(\\..*)?$")},
        {"shuffle", Regex("^(SHFL|PRMT|MOVM|VOTE|REDUX|MATCH)(\\..*)?$")},
        {"barrier", Regex("^(BAR|MEMBAR|WARPSYNC|DEPBAR|LDGDEPBAR|ERRBAR|CCTL|FENCE)(\\..*)?$")},
        {"jump", Regex("^(BRA|BRX|JMP|CALL|RET|EXIT|BSSY|BSYNC|BREAK|BPT|NANOSLEEP|YIELD|KILL)(\\..*)?$")},
        {"move", Regex("^(U?MOV|CS2R|S2R|S2UR|R2UR|P2R|R2P|U?LDC|NOP|ULDC)(\\..*)?$")}};
    return all;
}

std::map<std::string, int> mix_of(const std::vector<SassLine> &lines, size_t begin, size_t end) {
    std::map<std::string, int> mix;
    for (size_t i = begin; i < end; i++) {
        if (lines[i].opcode != "NOP") {
            mix[sass_kind(lines[i].opcode)]++;
        }
    }
    return mix;
}

int count_in(const std::map<std::string, int> &mix, const std::string &kind) {
    const auto found = mix.find(kind);
    return found == mix.end() ? 0 : found->second;
}

/** Loads or stores of 128 bits of that kind. */
int wide_in(const std::vector<SassLine> &lines, const std::string &kind) {
    return static_cast<int>(std::count_if(lines.begin(), lines.end(), [&](const SassLine &l) {
        return l.opcode.find(".128") != std::string::npos && sass_kind(l.opcode) == kind;
    }));
}

/** Sets the inner loops: a jump back, and no other one from and to what is between. */
void find_inner_loop(const std::vector<SassLine> &lines, KernelSass &kernel) {
    std::map<std::string, size_t> at;
    std::vector<std::pair<size_t, size_t>> loops;
    for (size_t i = 0; i < lines.size(); i++) {
        if (!lines[i].label.empty()) {
            at[lines[i].label] = i;
        }
        const auto back = lines[i].target.empty() ? at.end() : at.find(lines[i].target);
        if (back != at.end()) {
            loops.emplace_back(back->second, i + 1);
        }
    }
    std::pair<int, size_t> most{-1, 0};
    for (const auto &[begin, end] : loops) {
        bool inner = end - begin > 1;  // what follows the end of a kernel jumps to itself
        for (const auto &[b, e] : loops) {
            inner = inner && !(b >= begin && e <= end && (b != begin || e != end));
        }
        const std::map<std::string, int> mix = mix_of(lines, begin, end);
        if (inner) {
            kernel.loops.push_back(mix);
        }
        const std::pair<int, size_t> rank{count_in(mix, "multiply_add"), end - begin};
        if (inner && rank > most) {
            most = rank;
            kernel.inner_mix = mix;
            kernel.inner_loop.clear();
            for (size_t i = begin; i < end; i++) {
                kernel.inner_loop.push_back(lines[i].text);
            }
        }
    }
}

}  // namespace

std::string sass_kind(const std::string &opcode) {
    for (const auto &[kind, pattern] : kinds()) {
        if (pattern.matches(opcode)) {
            return kind;
        }
    }
    return "integer";
}

std::vector<KernelSass> parse_sass(const std::string &text) {
    static const Regex section("^\\.text\\.([^:\\s]+):"), label("^(\\.L_x?_?\\w+):"),
        instruction("/\\*[0-9a-f]+\\*/\\s+((?:@!?U?P\\w+\\s+)?([A-Z][A-Z0-9_.]*)[^;]*);"),
        target("`\\((\\.L_x?_?\\w+)\\)");
    std::vector<KernelSass> kernels;
    std::vector<SassLine> lines;
    const auto finish = [&] {
        if (!kernels.empty()) {
            kernels.back().mix = mix_of(lines, 0, lines.size());
            kernels.back().wide_loads = wide_in(lines, "load_global");
            kernels.back().wide_stores = wide_in(lines, "store_global");
            for (const auto &[kind, count] : kernels.back().mix) {
                kernels.back().instructions += count;
            }
            find_inner_loop(lines, kernels.back());
        }
        lines.clear();
    };
    std::string pending;  // a label
    std::istringstream in(text);
    Groups m;
    for (std::string line; std::getline(in, line);) {
        if (section.found_in(line, &m)) {
            finish();
            kernels.emplace_back();
            kernels.back().name = m[1];
        } else if (label.found_in(line, &m)) {
            pending = m[1];
        } else if (!kernels.empty() && instruction.found_in(line, &m)) {
            SassLine l{pending, m[2], "", m[1]};
            l.text.erase(l.text.find_last_not_of(' ') + 1);
            Groups to;
            if (l.opcode.rfind("BRA", 0) == 0 && target.found_in(line, &to)) {
                l.target = to[1];
            }
            lines.push_back(l);
            pending.clear();
        }
    }
    finish();
    return kernels;
}

Disassembled disassemble(const std::string &code) {
    const CudaTool tool = find_cuda_tool("nvdisasm", "EUTECTIC_NVDISASM");
    if (tool.path.empty()) {
        return {{}, tool.absent};
    }
    const TemporaryFolder folder("reading code back", "leave feedback out");
    std::ofstream(folder.file("kernels.cubin"), std::ios::binary) << code;
    const Finished finished =
        run_process({tool.path, "-c", folder.file("kernels.cubin")}, most_disassembly_seconds);
    if (!finished.failure.empty()) {
        return {{}, tool.path + " failed (" + finished.failure + ")"};
    }
    return {parse_sass(finished.output), ""};
}

}  // namespace eutectic
