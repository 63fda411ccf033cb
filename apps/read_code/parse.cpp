#include <optional>
#include <string>

#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Support/SourceMgr.h"

#include "apps/read_code/processor.h"

namespace eutectic {

namespace {

/** Takes instructions as the parser comes to them, and leaves the rest. */
class Collector : public llvm::MCStreamer {
public:
    Collector(llvm::MCContext &context, const llvm::SourceMgr &source, Instructions &into)
        : MCStreamer(context), source_(source), into_(into) {
    }

    void emitInstruction(const llvm::MCInst &instruction, const llvm::MCSubtargetInfo &) override {
        into_.emplace_back(source_.FindLineNumber(instruction.getLoc()) - 1, instruction);
    }
    bool emitSymbolAttribute(llvm::MCSymbol *, llvm::MCSymbolAttr) override {
        return true;
    }
    void emitCommonSymbol(llvm::MCSymbol *, uint64_t, llvm::Align) override {
    }
    void emitZerofill(llvm::MCSection *, llvm::MCSymbol *, uint64_t, llvm::Align, llvm::SMLoc) override {
    }
    void emitELFSize(llvm::MCSymbol *, const llvm::MCExpr *) override {
    }

private:
    const llvm::SourceMgr &source_;
    Instructions &into_;
};

/** Keeps the first error. */
void hear(const llvm::SMDiagnostic &said, void *first) {
    auto &text = *static_cast<std::string *>(first);
    if (said.getKind() == llvm::SourceMgr::DK_Error && text.empty()) {
        text = said.getMessage().str() + " in line " + std::to_string(said.getLineNo()) + ", \"" +
               said.getLineContents().trim().str() + "\"";
    }
}

}  // namespace

struct Program::Owned {
    llvm::SourceMgr source;
    std::optional<llvm::MCContext> context;
    std::unique_ptr<llvm::MCObjectFileInfo> file;
};

Program::~Program() = default;

Program::Program(const ModelledProcessor &processor, const std::string &text) : owned_(new Owned) {
    llvm::SourceMgr &source = owned_->source;
    source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "assembly"), llvm::SMLoc());
    std::string error;
    source.setDiagHandler(hear, &error);
    llvm::MCContext &context = owned_->context.emplace(
        processor.triple(), &processor.assembly(), &processor.registers(), &processor.subtarget(), &source);
    owned_->file.reset(processor.target().createMCObjectFileInfo(context, /*PIC=*/true));
    context.setObjectFileInfo(owned_->file.get());
    Collector collector(context, source, instructions_);
    processor.target().createNullTargetStreamer(collector);
    const std::unique_ptr<llvm::MCAsmParser> parser(
        llvm::createMCAsmParser(source, context, collector, processor.assembly()));
    const std::unique_ptr<llvm::MCTargetAsmParser> of_target(processor.target().createMCAsmParser(
        processor.subtarget(), *parser, processor.instructions(), processor.options()));
    if (!of_target) {
        throw Refused("LLVM has no assembler for " + processor.triple().str() +
                      ": inspect code for another target.");
    }
    parser->setTargetParser(*of_target);
    parser->Run(/*NoInitialTextSection=*/false);
    source.setDiagHandler(nullptr);
    if (!error.empty()) {
        throw Refused("LLVM's assembler does not read the code (" + error + ").");
    }
}

}  // namespace eutectic
