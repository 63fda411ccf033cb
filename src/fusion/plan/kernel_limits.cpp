#include "fusion/plan/kernel_limits.h"

#include <algorithm>

namespace eutectic {

namespace {

void keep_within(Machine &cpu, const KernelLimit &l) {
    if (l.vector_registers >= 0) {
        cpu.vector_registers = std::min(cpu.vector_registers, l.vector_registers);
    }
    for (double *const lanes : {&cpu.gather_cycles_per_lane, &cpu.index_cycles_per_lane,
                                &cpu.scatter_cycles_per_lane, &cpu.narrow_lane_cycles}) {
        *lanes *= l.lane_cost;
    }
}

}  // namespace

Machine within_limits(const Machine &machine, const std::vector<KernelLimit> &limits, FuncId root,
                      const std::vector<FuncId> &members) {
    Machine within = machine;
    for (const KernelLimit &l : limits) {
        if (!std::binary_search(l.members.begin(), l.members.end(), root)) {
            continue;
        }
        if (!machine.gpu) {
            keep_within(within, l);
            continue;
        }
        const auto held =
            static_cast<size_t>(std::count_if(l.members.begin(), l.members.end(), [&](FuncId f) {
                return std::binary_search(members.begin(), members.end(), f);
            }));
        const int loads = static_cast<int>(l.members.size() - held);
        const int registers = held > l.most_members ? 0
                              : l.registers < 0     ? -1
                                                    : l.registers + machine.gpu->load_registers * loads;
        const auto lower = [](auto &number, auto limit) {
            number = limit >= 0 ? std::min(number, limit) : number;
        };
        // What is needed may be more than a thread has, by what is spare.
        lower(within.gpu->spare_registers,
              registers < 0 ? -1 : std::max(0, registers - within.gpu->registers_per_thread));
        lower(within.gpu->registers_per_thread, registers);
        lower(within.gpu->threads_per_block, l.threads);
        lower(within.gpu->shared_bytes_per_block, l.shared_bytes);
    }
    return within;
}

}  // namespace eutectic
