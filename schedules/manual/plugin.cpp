// The autoscheduler "Manual": applies the hand-written schedule that autoscheduler.schedule=NAME chooses.

#include "schedules/manual/schedule.h"

namespace eutectic::manual {

namespace {

using namespace Halide;

/// Halide makes "matmul$1" of "matmul" when a process defines the name again.
std::string plain_name(const std::string &name) {
    return name.substr(0, name.find('$'));
}

using Apply = void (*)(const Funcs &, const Tuning &);

/// By the generator's name.
const std::map<std::string, Apply> &schedules() {
    static const std::map<std::string, Apply> table = {
        {"attention", schedule_attention},
        {"bottleneck", schedule_bottleneck},
        {"dense", schedule_dense},
        {"fma_peak", schedule_fma_peak},
        {"layernorm", schedule_layernorm},
        {"log1pexp", schedule_log1pexp},
        {"matmul", schedule_matmul},
        {"mlp_loss_backward", schedule_mlp_loss_backward},
        {"mlp_loss_forward", schedule_mlp_loss_forward},
        {"reference", schedule_reference},
        {"softmax", schedule_softmax},
        {"softmax_xent", schedule_softmax_xent},
        {"stream", schedule_stream},
    };
    return table;
}

void schedule(const Pipeline &pipeline, const Target &target, const AutoschedulerParams &params, AutoSchedulerResults *results) {
    const Funcs funcs(pipeline);
    const Tuning tuning(params.extra);
    const auto chosen = params.extra.find("schedule");
    const std::string name = chosen == params.extra.end() ? "none" : chosen->second;
    const auto found = schedules().find(name);
    if (found == schedules().end()) {
        std::string known;
        for (const auto &[known_name, apply] : schedules()) {
            known += (known.empty() ? "" : ", ") + known_name;
        }
        throw CompileError("Autoscheduler Manual was asked for schedule=" + name + "; known are " + known + ".");
    }
    found->second(funcs, tuning);
    results->target = target;
    results->autoscheduler_params = params;
}

struct Registration {
    Registration() {
        Pipeline::add_autoscheduler("Manual", schedule);
    }
} registration;

}  // namespace

Funcs::Funcs(const Pipeline &pipeline) {
    std::vector<Internal::Function> outputs;
    for (const Func &output : pipeline.outputs()) {
        outputs.push_back(output.function());
    }
    for (const auto &[name, function] : Internal::build_environment(outputs)) {
        funcs_.emplace(name, Func(function));
        funcs_.emplace(plain_name(name), Func(function));  // of several, the first
    }
}

Func Funcs::operator[](const std::string &name) const {
    const auto found = funcs_.find(name);
    if (found == funcs_.end()) {
        throw CompileError("The pipeline has no Func '" + name + "' for the hand-written schedule.");
    }
    return found->second;
}

int Tuning::get(const std::string &name, int best) const {
    const auto found = values_.find(name);
    return found == values_.end() ? best : std::stoi(found->second);
}

}  // namespace eutectic::manual
