#include "schedules/gpu/device_code.h"

#include <algorithm>

#include "base/regex.h"
#include "graph/read/outputs.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** Reads off the program, before its loops over blocks become kernels, what each of these asks for. */
class KernelReader : public IRMutator {
public:
    explicit KernelReader(std::vector<DeviceKernel> *kernels) : kernels_(kernels) {
    }

private:
    std::vector<DeviceKernel> *kernels_;
    bool inside_ = false;
    int64_t threads_ = 1;  // of the loops around; 0: not known
    using IRMutator::visit;

    Stmt visit(const For *op) override {
        const bool starts = op->for_type == ForType::GPUBlock && !inside_;
        if (starts) {
            static const Regex loop("^(.*)\\.s([0-9]+)\\.");
            Groups m;
            kernels_->emplace_back();
            if (loop.found_in(op->name, &m)) {
                kernels_->back().func = m[1];
                kernels_->back().update = std::stoi(m[2]) - 1;
            }
            inside_ = true;
        }
        const int64_t around = threads_;
        if (op->for_type == ForType::GPUThread || op->for_type == ForType::GPULane) {
            const auto extent = as_const_int(simplify(op->extent));
            threads_ *= extent ? *extent : 0;
        }
        if (inside_) {
            int &most = kernels_->back().threads;
            most = threads_ == 0 ? 0 : std::max(most, static_cast<int>(threads_));
        }
        Stmt s = IRMutator::visit(op);
        threads_ = around;
        inside_ = inside_ && !starts;
        return s;
    }

    Stmt visit(const Allocate *op) override {
        if (inside_ && op->memory_type == MemoryType::GPUShared) {
            Bytes &all = kernels_->back().shared_bytes;
            Expr bytes = op->type.bytes();
            for (const Expr &e : op->extents) {
                bytes *= e;
            }
            const auto known = as_const_int(simplify(bytes));
            all = known && all >= 0 ? all + *known : -1;
        }
        return IRMutator::visit(op);
    }
};

std::vector<std::string> entries_of(const std::string &ptx) {
    static const Regex entry("\\.entry\\s+([A-Za-z0-9_$]+)");
    std::vector<std::string> names;
    for (const Groups &m : entry.all_in(ptx)) {
        names.push_back(m[1]);
    }
    return names;
}

}  // namespace

Pipeline copy_of(const Pipeline &pipeline) {
    const std::vector<Function> outputs = output_functions(pipeline);
    std::vector<Func> copies;
    for (const Function &f : deep_copy(outputs, build_environment(outputs)).first) {
        copies.emplace_back(f);
    }
    return Pipeline(copies);
}

DeviceCode device_code(Pipeline scheduled, const Target &target) {
    DeviceCode code;
    scheduled.add_custom_lowering_pass(new KernelReader(&code.kernels));
    const Module module = scheduled.compile_to_module(scheduled.infer_arguments(), "kernels", target);
    for (const Buffer<> &b : module.buffers()) {
        const std::string &name = b.name(), end = "gpu_source_kernels";
        if (name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0) {
            const std::string text(static_cast<const char *>(b.data()), b.size_in_bytes());
            code.ptx = text.substr(0, text.find('\0'));
        }
    }
    const std::vector<std::string> names = entries_of(code.ptx);
    for (size_t k = 0; k < std::min(names.size(), code.kernels.size()); k++) {
        code.kernels[k].name = names[k];
    }
    return code;
}

}  // namespace eutectic
