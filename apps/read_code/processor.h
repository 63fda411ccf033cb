#pragma once

// LLVM's libraries, for one processor: its instructions, and the model of it by which llvm-mca counts cycles.

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

namespace eutectic {

/** One that is missing, or that no libraries were built for: a sentence. */
class Refused : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class ModelledProcessor {
public:
    /** For the triple "x86_64-linux-gnu" and the processor "znver3", or "host" for this one. Throws Refused
     * for an architecture that this LLVM lacks. */
    ModelledProcessor(const std::string &triple, const std::string &cpu);

    std::string asked;   ///< as LLVM calls it: that of "host" is this machine's
    std::string model;   ///< the processor whose model is taken: `asked`, or the nearest with one
    bool known = false;  ///< LLVM knows `asked`
    std::vector<std::string> shared;  ///< other processors for which LLVM has the same model

    bool is_x86() const {
        return triple_.isX86();
    }

    const llvm::Target &target() const {
        return *target_;
    }
    const llvm::Triple &triple() const {
        return triple_;
    }
    const llvm::MCSubtargetInfo &subtarget() const {
        return *subtarget_;
    }
    const llvm::MCRegisterInfo &registers() const {
        return *registers_;
    }
    const llvm::MCInstrInfo &instructions() const {
        return *instructions_;
    }
    const llvm::MCAsmInfo &assembly() const {
        return *assembly_;
    }
    llvm::MCInstPrinter &printer() const {
        return *printer_;
    }
    const llvm::MCTargetOptions &options() const {
        return options_;
    }

private:
    llvm::Triple triple_;
    const llvm::Target *target_ = nullptr;
    llvm::MCTargetOptions options_;
    std::unique_ptr<llvm::MCRegisterInfo> registers_;
    std::unique_ptr<llvm::MCAsmInfo> assembly_;
    std::unique_ptr<llvm::MCInstrInfo> instructions_;
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
    std::unique_ptr<llvm::MCInstPrinter> printer_;

    void choose_model(const std::string &features);
};

/** The instruction as LLVM prints it, with spaces for tabs. */
std::string printed(const ModelledProcessor &processor, const llvm::MCInst &instruction);

/** The one of `known` that is most like `name`: the longest beginning in common, then the nearest number
 * after it ("znver9": "znver4"), then the first; empty where not even two characters are common. */
std::string nearest_processor(const std::string &name, const std::vector<std::string> &known);

/** Instructions with the lines, from 0, that they stand in. */
using Instructions = std::vector<std::pair<size_t, llvm::MCInst>>;

/** An assembly file, read. */
class Program {
public:
    /** Throws Refused, with what LLVM says, for a text that it cannot read. */
    Program(const ModelledProcessor &processor, const std::string &text);
    ~Program();
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    const Instructions &instructions() const {
        return instructions_;
    }

private:
    struct Owned;  // what operands of instructions lie in
    std::unique_ptr<Owned> owned_;
    Instructions instructions_;
};

}  // namespace eutectic
