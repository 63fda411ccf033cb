#include "apps/read_code/processor.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

namespace eutectic {

namespace {

void initialize() {
    static const bool once = [] {
        llvm::InitializeAllTargetInfos();
        llvm::InitializeAllTargetMCs();
        llvm::InitializeAllAsmParsers();
        llvm::InitializeAllTargetMCAs();
        return true;
    }();
    (void)once;
}

size_t common_beginning(const std::string &a, const std::string &b) {
    return std::mismatch(a.begin(), a.begin() + static_cast<long>(std::min(a.size(), b.size())), b.begin())
               .first -
           a.begin();
}

/** The digits of a name from where it differs from another; a number that is in both in part begins earlier.
 */
long number_at(const std::string &name, size_t at) {
    while (at > 0 && std::isdigit(static_cast<unsigned char>(name[at - 1]))) {
        at--;
    }
    return at < name.size() ? std::strtol(name.c_str() + at, nullptr, 10) : 0;
}

/** Instructions of a program may be any that the architecture has, whatever the processor's: of AArch64 the
 * parser asks for each extension. */
std::string all_features(const llvm::Triple &triple) {
    return triple.isAArch64() ? "+all" : "";
}

}  // namespace

std::string nearest_processor(const std::string &name, const std::vector<std::string> &known) {
    std::string best;
    size_t longest = 1;
    long nearest = std::numeric_limits<long>::max();
    for (const std::string &k : known) {
        size_t common = common_beginning(name, k);
        while (common > 0 && std::isdigit(static_cast<unsigned char>(name[common - 1]))) {
            common--;  // numbers are compared as such
        }
        const long apart = std::labs(number_at(name, common) - number_at(k, common));
        if (common > longest || (common == longest && !best.empty() && apart < nearest)) {
            best = k;
            longest = common;
            nearest = apart;
        }
    }
    return best;
}

std::string printed(const ModelledProcessor &processor, const llvm::MCInst &instruction) {
    std::string text;
    llvm::raw_string_ostream out(text);
    processor.printer().printInst(&instruction, 0, "", processor.subtarget(), out);
    std::replace(text.begin(), text.end(), '\t', ' ');
    return text.substr(std::min(text.size(), text.find_first_not_of(' ')));
}

void ModelledProcessor::choose_model(const std::string &features) {
    std::vector<std::string> modelled;
    for (const llvm::SubtargetSubTypeKV &p : subtarget_->getAllProcessorDescriptions()) {
        known = known || asked == p.Key;
        if (p.SchedModel->hasInstrSchedModel()) {
            modelled.emplace_back(p.Key);
        }
    }
    const bool has = std::find(modelled.begin(), modelled.end(), asked) != modelled.end();
    model = has ? asked : nearest_processor(asked, modelled);
    if (model.empty()) {
        // Widespread ones, for a name like no other.
        const char *const widespread = triple_.isX86() ? "skylake-avx512" : "neoverse-n1";
        const bool there = std::find(modelled.begin(), modelled.end(), widespread) != modelled.end();
        model = there ? widespread : modelled.empty() ? "" : modelled.front();
    }
    if (model.empty()) {
        throw Refused("LLVM has no model of any processor of the architecture " +
                      triple_.getArchName().str() +
                      ", so it counts no cycles: inspect code for another one.");
    }
    subtarget_.reset(target_->createMCSubtargetInfo(triple_.str(), model, features));
    const llvm::MCSchedModel *const own = &subtarget_->getSchedModelForCPU(model);
    for (const llvm::SubtargetSubTypeKV &p : subtarget_->getAllProcessorDescriptions()) {
        if (p.SchedModel == own && model != p.Key) {
            shared.emplace_back(p.Key);
        }
    }
}

ModelledProcessor::ModelledProcessor(const std::string &triple, const std::string &cpu) : triple_(triple) {
    initialize();
    std::string why;
    target_ = llvm::TargetRegistry::lookupTarget(triple_.str(), why);
    if (!target_) {
        throw Refused("LLVM has no architecture for " + triple_.str() + " (" + why +
                      "): inspect code for another one.");
    }
    asked = cpu == "host" ? llvm::sys::getHostCPUName().str() : cpu;
    registers_.reset(target_->createMCRegInfo(triple_.str()));
    assembly_.reset(target_->createMCAsmInfo(*registers_, triple_.str(), options_));
    instructions_.reset(target_->createMCInstrInfo());
    const std::string features = all_features(triple_);
    // A name that LLVM does not know would be told on standard error.
    subtarget_.reset(target_->createMCSubtargetInfo(triple_.str(), "", features));
    choose_model(features);
    printer_.reset(target_->createMCInstPrinter(triple_, assembly_->getAssemblerDialect(), *assembly_,
                                                *instructions_, *registers_));
}

}  // namespace eutectic
