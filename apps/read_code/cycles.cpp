#include "apps/read_code/cycles.h"

#include <algorithm>

#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MCA/Context.h"
#include "llvm/MCA/CustomBehaviour.h"
#include "llvm/MCA/InstrBuilder.h"
#include "llvm/MCA/Pipeline.h"
#include "llvm/MCA/SourceMgr.h"
#include "llvm/MCA/Support.h"

namespace eutectic {

namespace {

namespace mca = llvm::mca;

constexpr unsigned call_cycles = 100;  // llvm-mca's own default for what it does not see
/** Instructions that are run at most: some milliseconds each thousand. Beyond, fewer turns. */
constexpr size_t most_instructions = 20000;
constexpr size_t most_turns = 200, least_turns = 4;

using Sequence = std::vector<std::unique_ptr<mca::Instruction>>;

/** What llvm-mca's pieces keep references to. */
struct Simulator {
    const ModelledProcessor &processor;
    std::unique_ptr<llvm::MCInstrAnalysis> analysis;
    std::unique_ptr<mca::InstrumentManager> instruments;
    mca::InstrBuilder builder;

    explicit Simulator(const ModelledProcessor &p)
        : processor(p),
          analysis(p.target().createMCInstrAnalysis(&p.instructions())),
          instruments(new mca::InstrumentManager(p.subtarget(), p.instructions())),
          builder(p.subtarget(), p.instructions(), p.registers(), analysis.get(), *instruments, call_cycles) {
    }

    /** As the model has them; `failure` names the first that it does not have. */
    Sequence lower(const std::vector<llvm::MCInst> &turn, std::string &failure) {
        std::unique_ptr<mca::InstrPostProcess> process(
            processor.target().createInstrPostProcess(processor.subtarget(), processor.instructions()));
        if (!process) {
            process =
                std::make_unique<mca::InstrPostProcess>(processor.subtarget(), processor.instructions());
        }
        builder.clear();
        Sequence sequence;
        for (const llvm::MCInst &instruction : turn) {
            auto made = builder.createInstruction(instruction, {});
            if (!made) {
                llvm::consumeError(made.takeError());
                failure =
                    "the model of " + processor.model + " has no \"" + printed(processor, instruction) + "\"";
                return {};
            }
            process->postProcessInstruction(*made, instruction);
            sequence.push_back(std::move(*made));
        }
        return sequence;
    }

    /** Cycles of so many turns. */
    double run(const std::vector<llvm::MCInst> &turn, size_t turns, std::string &failure) {
        const Sequence sequence = lower(turn, failure);
        if (!failure.empty()) {
            return 0;
        }
        mca::CircularSourceMgr source(sequence, static_cast<unsigned>(turns));
        std::unique_ptr<mca::CustomBehaviour> behaviour(processor.target().createCustomBehaviour(
            processor.subtarget(), source, processor.instructions()));
        if (!behaviour) {
            behaviour = std::make_unique<mca::CustomBehaviour>(processor.subtarget(), source,
                                                               processor.instructions());
        }
        mca::Context context(processor.registers(), processor.subtarget());
        const mca::PipelineOptions options(0, 0, 0, 0, 0, 0, /*NoAlias=*/true);
        const bool in_order = processor.subtarget().getSchedModel().MicroOpBufferSize == 0;
        const std::unique_ptr<mca::Pipeline> pipeline =
            in_order ? context.createInOrderPipeline(options, source, *behaviour)
                     : context.createDefaultPipeline(options, source, *behaviour);
        auto cycles = pipeline->run();
        if (!cycles) {
            failure = llvm::toString(cycles.takeError());
            return 0;
        }
        return *cycles;
    }
};

/** Cycles for which the busiest units, or dispatching, are needed. */
double busiest(const ModelledProcessor &processor, const Sequence &sequence, double &micro_operations) {
    const llvm::MCSchedModel &model = processor.subtarget().getSchedModel();
    const unsigned kinds = model.getNumProcResourceKinds();
    llvm::SmallVector<uint64_t, 32> masks(kinds);
    mca::computeProcResourceMasks(model, masks);
    std::vector<unsigned> id(64, 0), usage(kinds, 0);
    for (unsigned k = 1; k < kinds; k++) {
        id[mca::getResourceStateIndex(masks[k])] = k;
    }
    unsigned operations = 0;
    for (const auto &instruction : sequence) {
        operations += instruction->getDesc().NumMicroOps;
        for (const auto &[mask, used] : instruction->getDesc().Resources) {
            usage[id[mca::getResourceStateIndex(mask)]] += used.size();
        }
    }
    micro_operations = operations;
    return mca::computeBlockRThroughput(model, model.IssueWidth, operations, usage);
}

}  // namespace

Cycles count_cycles(const ModelledProcessor &processor, const std::vector<llvm::MCInst> &turn) {
    Cycles cycles;
    if (turn.empty()) {
        return cycles;
    }
    Simulator simulator(processor);
    const size_t turns = std::clamp(most_instructions / turn.size(), least_turns, most_turns);
    // The difference leaves out how the pipeline fills and drains.
    const double once = simulator.run(turn, turns, cycles.failure),
                 twice = cycles.failure.empty() ? simulator.run(turn, 2 * turns, cycles.failure) : 0;
    if (!cycles.failure.empty()) {
        return cycles;
    }
    cycles.turn = (twice - once) / static_cast<double>(turns);
    cycles.throughput = busiest(processor, simulator.lower(turn, cycles.failure), cycles.micro_operations);
    return cycles;
}

}  // namespace eutectic
