#include "apps/read_code/mix.h"

#include <algorithm>

#include "base/regex.h"
#include "llvm/MC/MCInstrDesc.h"

namespace eutectic {

namespace {

/** Mnemonics of a kind; the first that matches says it. */
struct Rule {
    const char *kind;
    Regex mnemonic;
};

/** Of AT&T's syntax. Those of vectors begin with "v" or not. */
const std::vector<Rule> &x86_rules() {
    static const std::vector<Rule> rules = {
        {"multiply_add",
         Regex("^vf(n?m(add|sub)|maddsub|msubadd)(132|213|231)?[ps][sdh]$|^vdpbf16ps$|^vpdp[bw].*|"
               "^v?pmadd(wd|ubsw)$|^vpmadd52.*|^vfmaddc?[ps]h$")},
        {"multiply", Regex("^v?mul[ps][sdh]$|^v?pmul(l[wdq]|h(u|rs)?w|u?dq)$")},
        {"divide", Regex("^v?(div|sqrt|rcp|rsqrt|rcp14|rsqrt14)[ps][sdh]$")},
        {"gather", Regex("^vp?(gather|scatter).*")},
        {"convert", Regex("^v?cvt.*|^vp?mov(us|s)?(qb|qw|qd|db|dw|wb)$|^v?pmov[sz]x.*|^v?pack.*")},
        {"shuffle",
         Regex(
             "^v?(mov[ahl].*|movsh?l?dup|movshdup|movddup|movnt.*|movdq.*|movu.*|movs[sdh]|mov[dqw]|lddqu)$|"
             "^v?p?(shuf|unpck|blend|perm|insr|extr|align|expand|compress|broadcast|insert|extract).*|"
             "^v?(broadcast|insert|extract|perm|unpck|shuf|blend|expand|compress|align|pinsr|pextr|palignr|"
             "pslldq|psrldq).*|"
             "^v?zero.*|^kmov.*|^v?p?(slldq|srldq)$")},
        {"arithmetic", Regex("^v.*|^(add|sub|min|max|and|andn|or|xor|cmp.*|round|addsub|hadd|hsub|dp)["
                             "ps][sdh]$|^u?comi[sdh]+$|"
                             "^p(add|sub|min|max|and|or|xor|cmp|abs|avg|s[lr][al]|sign|test).*|^k(and|"
                             "or|xor|not|shift|ortest|unpck|add|test).*")},
    };
    return rules;
}

const std::vector<Rule> &arm_rules() {
    static const std::vector<Rule> rules = {
        {"multiply_add",
         Regex("^(fmla|fmls|fmlal2?|fmlsl2?|mla|mls|[su]mlal2?|[su]mlsl2?|[su]dot|usdot|sudot|bfdot|bfmmla|"
               "bfmlal[bt]|[su]mmla|usmmla|fn?madd|fn?msub|fmad)$")},
        {"multiply", Regex("^(fmul|fnmul|fmulx|mul|[su]mull2?|sqr?dmulh)$")},
        {"divide", Regex("^(fdiv|fsqrt|f?recpe|f?rsqrte|frecps|frsqrts)$")},
        {"convert",
         Regex("^(fcvt.*|[su]cvtf|[su]xtl2?|xtn2?|[su]qxtu?n2?|[su]shll2?|shrn2?|[su]qr?shru?n2?|bfcvt.*)$")},
        {"shuffle",
         Regex("^(mov|movi|fmov|dup|ins|umov|smov|ext|zip[12]|uzp[12]|trn[12]|rev\\d*|tb[lx]|mvni)$")},
    };
    return rules;
}

/** Bits of the vector registers of `instruction`, the widest; 0 where it has none. */
int vector_bits(const ModelledProcessor &processor, const llvm::MCInst &instruction, bool &scalar_class) {
    static const Regex x86("^([XYZ])MM\\d+$"), arm("^([QDSHBZ])\\d+$");
    int bits = 0;
    for (const llvm::MCOperand &operand : instruction) {
        if (!operand.isReg() || !operand.getReg()) {
            continue;
        }
        const std::string name = processor.registers().getName(operand.getReg());
        Groups m;
        if (processor.is_x86() && x86.matches(name, &m)) {
            bits = std::max(bits, m[1] == "X" ? 128 : m[1] == "Y" ? 256 : 512);
        } else if (processor.triple().isAArch64() && arm.matches(name, &m)) {
            const std::string &kind = m[1];
            bits = std::max(bits, kind == "Q" || kind == "Z" ? 128
                                  : kind == "D"              ? 64
                                  : kind == "S"              ? 32
                                                             : 16);
            scalar_class = scalar_class || kind == "S" || kind == "H" || kind == "B";
        }
    }
    return bits;
}

/** Lanes of a vector of `bits` by the end of an x86 mnemonic; 1 for a scalar. */
int x86_lanes(const std::string &mnemonic, int bits) {
    static const Regex scalar(
        "^v?(u?comi|add|sub|mul|div|min|max|r?sqrt(14)?|rcp(14)?|round|rndscale|cmp.*|mov|"
        "fn?m(add|sub)(132|213|231)|cvt.*)s[sdh]$");
    const bool packs = Regex("p[sdh]$").found_in(mnemonic);
    if (scalar.found_in(mnemonic)) {
        return 1;
    }
    const char last = mnemonic.empty() ? 's' : mnemonic.back();
    const int element = last == 'd' && packs                     ? 64
                        : last == 'q'                            ? 64
                        : last == 'h' || (last == 'w' && !packs) ? 16
                        : last == 'b'                            ? 8
                                                                 : 32;
    return std::max(1, bits / element);
}

/** How many products one lane of the result sums. */
int products_of_lane(const std::string &mnemonic) {
    static const std::vector<std::pair<Regex, int>> sums = {
        {Regex("^vpdpb.*|^[su]dot$|^usdot$|^sudot$|^bfmmla$"), 4},
        {Regex("^vpdpw.*|^vdpbf16ps$|pmadd|^bfdot$"), 2},
        {Regex("mmla$"), 8}};
    for (const auto &[pattern, sum] : sums) {
        if (pattern.found_in(mnemonic)) {
            return sum;
        }
    }
    return 1;
}

/** Lanes of AArch64's result, "v0.4s". */
int arm_lanes(const std::string &operands) {
    static const Regex elements("^\\s*\\{?\\s*v\\d+\\.(\\d+)[bhsd]"),
        scalable("^\\s*\\{?\\s*z\\d+\\.([bhsd])");
    Groups m;
    if (elements.found_in(operands, &m)) {
        return std::stoi(m[1]);
    }
    if (scalable.found_in(operands, &m)) {
        return m[1] == "b" ? 16 : m[1] == "h" ? 8 : m[1] == "s" ? 4 : 2;
    }
    return 1;
}

std::string kind_by_name(const ModelledProcessor &processor, const std::string &mnemonic, bool vectors) {
    if (!vectors && processor.triple().isAArch64()) {
        return "integer";
    }
    for (const Rule &r : processor.is_x86() ? x86_rules() : arm_rules()) {
        if (r.mnemonic.found_in(mnemonic) && (vectors || mnemonic[0] == 'v' || mnemonic[0] == 'k')) {
            return r.kind;
        }
    }
    return vectors ? "arithmetic" : "integer";
}

}  // namespace

InstructionWork work_of(const ModelledProcessor &processor, const llvm::MCInst &instruction,
                        const std::string &text) {
    const llvm::MCInstrDesc &described = processor.instructions().get(instruction.getOpcode());
    const size_t begin = text.find_first_not_of(" \t"), end = text.find_first_of(" \t", begin);
    const std::string mnemonic = begin == std::string::npos ? "" : text.substr(begin, end - begin),
                      operands = end == std::string::npos ? "" : text.substr(end);
    InstructionWork w;
    bool scalar = false;
    w.bits = vector_bits(processor, instruction, scalar);
    w.load = described.mayLoad();
    w.store = described.mayStore();
    if (described.isCall() || described.isReturn()) {
        w.kind = "call";
        return w;
    }
    if (described.isBranch()) {
        w.kind = "jump";
        return w;
    }
    w.kind = kind_by_name(processor, mnemonic, w.bits > 0);
    // An address that is computed is none that is read.
    const bool moves = w.kind == "shuffle" || w.kind == "integer";
    static const Regex plain_move("^v?(mov.*|lddqu|broadcast.*|pbroadcast.*|p?mov.*|kmov.*)$");
    if (w.store && (processor.triple().isAArch64() || (moves && plain_move.found_in(mnemonic)))) {
        w.kind = "store";
    } else if (w.load && !w.store &&
               (processor.triple().isAArch64() || (moves && plain_move.found_in(mnemonic)))) {
        w.kind = "load";
    }
    if (w.bits > 0) {
        w.lanes = processor.is_x86() ? x86_lanes(mnemonic, w.bits) : arm_lanes(operands);
        if (processor.triple().isAArch64() && w.lanes == 1 && scalar) {
            w.bits = 32;
        }
    }
    static const Regex lane("^v?p?(insr|extr)[bwdq]$|^v?(insertps|extractps)$"),
        arm_lane("^(ins|umov|smov)$|^ld1$"), one_element("\\.[bhsd]\\s*\\}?\\[\\d+\\]");
    w.lane = processor.is_x86() ? lane.found_in(mnemonic)
                                : arm_lane.found_in(mnemonic) && one_element.found_in(operands);
    if (w.kind == "multiply_add" || w.kind == "multiply") {
        w.products = std::max(1, w.lanes) * products_of_lane(mnemonic);
    }
    return w;
}

void Counter::add(const InstructionWork &w, const Spill *spill) {
    mix_.instructions++;
    mix_.kinds[w.kind]++;
    mix_.loads += w.load ? 1 : 0;
    mix_.stores += w.store ? 1 : 0;
    const bool arithmetic = w.kind == "multiply_add" || w.kind == "multiply" || w.kind == "arithmetic" ||
                            w.kind == "divide" || w.kind == "convert";
    (arithmetic && w.lanes > 1 ? arithmetic_bits_ : other_bits_) =
        std::max(arithmetic && w.lanes > 1 ? arithmetic_bits_ : other_bits_, w.lanes > 1 ? w.bits : 0);
    mix_.lane_moves += w.lane ? 1 : 0;
    mix_.scalar_arithmetic += arithmetic && w.lanes == 1 ? 1 : 0;
    if (w.kind == "multiply_add") {
        mix_.multiply_adds++;
        mix_.products += w.products;
    }
    multiplied_ += w.kind == "multiply" ? 1 : 0;
    multiplied_products_ += w.kind == "multiply" ? w.products : 0;
    added_ += w.kind == "arithmetic" ? 1 : 0;
    if (spill) {
        mix_.spill_stores += spill->store ? 1 : 0;
        mix_.spill_loads += spill->load ? 1 : 0;
        mix_.spill_bytes += spill->bytes;
    }
}

Mix Counter::mix() const {
    Mix m = mix_;
    m.vector_bits = arithmetic_bits_ > 0 ? arithmetic_bits_ : other_bits_;
    // A few multiplications among much else are no sums of products.
    if (m.multiply_adds == 0 && multiplied_ * 10 >= m.instructions && added_ >= multiplied_) {
        m.multiply_adds = multiplied_;
        m.products = multiplied_products_;
    }
    return m;
}

}  // namespace eutectic
