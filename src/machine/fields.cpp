// The numbers of a Machine, one line each: what files, hashes and tables are made from.

#include <utility>

#include "machine/calibration.h"

namespace eutectic {

const char *to_string(Origin origin) {
    const char *const names[] = {"system", "target", "measured", "fitted", "preset"};
    return names[static_cast<int>(origin)];
}

namespace {

using O = Origin;

#define NUMBER(member)                                              \
    [](const Machine &m) { return static_cast<double>(m.member); }, \
        [](Machine &m, double v) { m.member = static_cast<decltype(m.member)>(v); }

/** What cores are and how fast they issue. */
std::vector<MachineField> instruction_fields() {
    return {
        {"cores", "threads", 1, 4096, true, O::system, "threads that a parallel loop may use", NUMBER(cores)},
        {"vector_bits", "bits", 32, 2048, true, O::target, "widest vector", NUMBER(vector_bits)},
        {"datapath_bits", "bits", 32, 2048, true, O::measured,
         "what is executed at once; wider vectors take several turns", NUMBER(datapath_bits)},
        {"vector_registers", "registers", 1, 1024, true, O::target,
         "vector registers that the instruction set names", NUMBER(vector_registers)},
        {"hertz", "1/s", 1e8, 1e11, false, O::measured, "sustained clock", NUMBER(hertz)},
        {"vector_ops_per_cycle", "vectors", 0.05, 64, false, O::measured, "multiply-adds issued a cycle",
         NUMBER(vector_ops_per_cycle)},
        {"fma_latency_cycles", "cycles", 0.5, 100, false, O::measured,
         "from a multiply-add to the next that needs it", NUMBER(fma_latency_cycles)},
        {"integer_latency_cycles", "cycles", 0.5, 100, false, O::preset,
         "from an addition of integers to the next that needs it", NUMBER(integer_latency_cycles)},
        {"loads_per_cycle", "vectors", 0.05, 64, false, O::measured,
         "loads of whole vectors from the first level", NUMBER(loads_per_cycle)},
        {"broadcasts_per_cycle", "vectors", 0.05, 64, false, O::measured,
         "loads of one element into all lanes", NUMBER(broadcasts_per_cycle)},
        {"stores_per_cycle", "vectors", 0.02, 64, false, O::measured,
         "stores of whole vectors to the first level", NUMBER(stores_per_cycle)},
        {"store_forwarding_cycles", "cycles", 0.1, 200, false, O::measured,
         "from a store to a load of the same address", NUMBER(store_forwarding_cycles)},
        {"loop_cycles", "cycles", 0.01, 100, false, O::fitted,
         "increment, compare and branch of an innermost block, as far as not hidden", NUMBER(loop_cycles)},
        {"division_cycles", "cycles", 0.1, 1000, false, O::measured, "one vector of float divisions",
         NUMBER(division_cycles)},
        {"exp_cycles", "cycles", 0.5, 10000, false, O::measured,
         "one vector of float exp or log (their geometric mean)", NUMBER(exp_cycles)},
        {"paired_exp_share", "of it", 0.1, 1, false, O::preset, "of exp_cycles, in vectors of two registers",
         NUMBER(paired_exp_share)},
        {"libm_seconds", "s", 1e-10, 1e-5, false, O::measured,
         "one scalar call into libm (geometric mean of tanh, sin and double exp)", NUMBER(libm_seconds)},
    };
}

/** What loads cost whose addresses lie apart. */
std::vector<MachineField> address_fields() {
    return {
        {"gather_cycles_per_lane", "cycles", 0.05, 200, false, O::measured,
         "each lane of a load down a column", NUMBER(gather_cycles_per_lane)},
        {"conflict_cycles_per_lane", "cycles", 0.05, 1000, false, O::measured,
         "each lane, when rows lie a multiple of conflict_bytes apart", NUMBER(conflict_cycles_per_lane)},
        {"index_cycles_per_lane", "cycles", 0, 1000, false, O::preset,
         "more, of a lane whose place is computed", NUMBER(index_cycles_per_lane)},
        {"scatter_cycles_per_lane", "cycles", 0.05, 200, false, O::measured,
         "each lane of a store down a column", NUMBER(scatter_cycles_per_lane)},
        {"narrow_lane_cycles", "cycles", 0, 1000, false, O::preset,
         "more of arithmetic, of a byte that is loaded or stored by itself", NUMBER(narrow_lane_cycles)},
        {"conflict_bytes", "B", 64, 1e9, true, O::preset,
         "addresses so far apart share a set of the first level", NUMBER(conflict_bytes)},
        {"conflict_ways", "lines", 1, 1024, true, O::preset, "lines that such a set holds",
         NUMBER(conflict_ways)},
        {"any_pitch_share", "of calls", 0, 1, false, O::preset,
         "rows taken to lie a multiple of conflict_bytes apart, though the estimates do not",
         NUMBER(any_pitch_share)},
        {"mapped_pages", "pages", 16, 1e9, true, O::preset, "pages whose addresses a core caches",
         NUMBER(mapped_pages)},
        {"unmapped_cycles", "cycles", 0, 1000, false, O::preset, "a load from another page",
         NUMBER(unmapped_cycles)},
        {"near_pages", "pages", 1, 1e9, true, O::preset, "pages whose addresses a core has at once",
         NUMBER(near_pages)},
        {"far_page_cycles", "cycles", 0, 1000, false, O::preset, "a load from another page that it caches",
         NUMBER(far_page_cycles)},
    };
}

/** Waits until runs of lines begin to come. */
std::vector<MachineField> run_fields() {
    return {
        {"prefetched_runs", "runs", 1, 1000, true, O::preset,
         "runs of lines that a core goes along in turn and still foresees", NUMBER(prefetched_runs)},
        {"l2_run_seconds", "s", 0, 1e-6, false, O::preset,
         "until the first line of a run comes from the second level", NUMBER(l2_run_seconds)},
        {"l2_conflict_seconds", "s", 0, 1e-6, false, O::preset,
         "more, where runs share sets of the first level", NUMBER(l2_conflict_seconds)},
        {"l3_run_seconds", "s", 0, 1e-6, false, O::preset,
         "until the first line of a run comes from the third level", NUMBER(l3_run_seconds)},
        {"memory_run_seconds", "s", 0, 1e-6, false, O::preset, "the same from memory, beyond that",
         NUMBER(memory_run_seconds)},
        {"memory_short_line_seconds", "s", 0, 1e-6, false, O::preset,
         "more for each line from memory in a run shorter than a page", NUMBER(memory_short_line_seconds)},
    };
}

/** Caches, memory, and what passes between them. */
std::vector<MachineField> traffic_fields() {
    return {
        {"l1_bytes", "B", 1024, 1e9, true, O::system, "first-level cache of a core", NUMBER(l1.bytes)},
        {"l2_bytes", "B", 1024, 1e10, true, O::system, "second-level cache, a core's share",
         NUMBER(l2.bytes)},
        {"l3_bytes", "B", 1024, 1e11, true, O::system, "third-level cache, a core's share", NUMBER(l3.bytes)},
        {"l1_bytes_per_second", "B/s", 1e8, 1e14, false, O::measured, "one core reading",
         NUMBER(l1.bytes_per_second)},
        {"l2_bytes_per_second", "B/s", 1e8, 1e14, false, O::measured, "one core reading",
         NUMBER(l2.bytes_per_second)},
        {"l3_bytes_per_second", "B/s", 1e8, 1e14, false, O::measured, "one core reading",
         NUMBER(l3.bytes_per_second)},
        {"memory_bytes_per_second", "B/s", 1e7, 1e14, false, O::measured, "all cores reading",
         NUMBER(memory_bytes_per_second)},
        {"lone_core_share", "of that", 0.001, 1, false, O::measured, "of it, what one core draws by itself",
         NUMBER(lone_core_share)},
        {"store_transfers", "transfers", 0.3, 4, false, O::measured,
         "transfers of a stored byte, in those of a byte that is read", NUMBER(store_transfers)},
        {"instruction_bytes", "B", 1, 64, false, O::preset, "code of a vector instruction",
         NUMBER(instruction_bytes)},
        {"compile_nest_seconds", "s", 0, 100, false, O::preset, "compiling a nest of loops",
         NUMBER(compile_nest_seconds)},
        {"compile_operation_seconds", "s", 0, 1, false, O::preset, "compiling a vector operation",
         NUMBER(compile_operation_seconds)},
        {"compile_exp_seconds", "s", 0, 1, false, O::preset, "compiling a vector of exp or log",
         NUMBER(compile_exp_seconds)},
        {"compile_guard_seconds", "s", 0, 1, false, O::preset,
         "compiling an operation of a boundary condition", NUMBER(compile_guard_seconds)},
        {"compile_load_seconds", "s", 0, 1, false, O::preset, "compiling a load of a vector",
         NUMBER(compile_load_seconds)},
        {"compile_lane_seconds", "s", 0, 1, false, O::preset, "compiling a lane of a gather",
         NUMBER(compile_lane_seconds)},
        {"compile_cut_seconds", "s", 0, 100, false, O::preset,
         "compiling what a loop is cut into at its tail", NUMBER(compile_cut_seconds)},
        {"masked_share", "of it", 0, 10, false, O::preset,
         "how much longer a loop takes with masks throughout", NUMBER(masked_share)},
        {"compile_share", "of a run", 0, 1, false, O::preset, "what a second of compiling has to save",
         NUMBER(compile_share)},
        {"partial_result_gain", "of it", 0, 1, false, O::preset,
         "share of computing a sum that twice as many partial results have to save",
         NUMBER(partial_result_gain)},
        {"line_bytes", "B", 8, 4096, true, O::preset, "a cache line: the least that moves",
         NUMBER(line_bytes)},
        {"usable_cache", "of it", 0.05, 1, false, O::fitted, "share of a cache that holds what is used again",
         NUMBER(usable_cache)},
        {"overlap_loss", "of it", 0, 1, false, O::fitted,
         "share of the shorter of traffic and arithmetic that is felt", NUMBER(overlap_loss)},
    };
}

/** Tasks of parallel loops, and memory from the system. */
std::vector<MachineField> run_time_fields() {
    return {
        {"task_seconds", "s", 1e-10, 1e-3, false, O::measured, "taking one task of a parallel loop",
         NUMBER(task_seconds)},
        {"launch_seconds", "s", 1e-9, 1e-1, false, O::measured,
         "waking the threads of a parallel loop and waiting for the last", NUMBER(launch_seconds)},
        {"allocation_seconds", "s", 1e-9, 1e-3, false, O::measured,
         "allocating and freeing a buffer whose pages the process has", NUMBER(allocation_seconds)},
        {"fresh_page_seconds", "s", 1e-9, 1e-3, false, O::measured,
         "first write to a page that the process does not have yet", NUMBER(fresh_page_seconds)},
        {"shared_turn_seconds", "s", 0, 1e-3, false, O::preset,
         "one turn of loops that several Funcs have in common", NUMBER(shared_turn_seconds)},
        {"stack_buffer_bytes", "B", 0, 1e9, true, O::preset,
         "largest buffer of such a turn that is on a thread's stack", NUMBER(stack_buffer_bytes)},
        {"page_bytes", "B", 512, 1e10, true, O::preset, "such a page", NUMBER(page_bytes)},
        {"thread_kept_bytes", "B", 0, 1e9, true, O::preset, "freed pieces up to this stay with the thread",
         NUMBER(thread_kept_bytes)},
        {"trimmed_bytes", "B", 1, 1e15, true, O::preset,
         "freed memory beyond this, and beyond twice the largest buffer, goes back to the system",
         NUMBER(trimmed_bytes)},
        {"heap_pad_bytes", "B", 0, 1e15, true, O::preset,
         "what the process asks the system for beyond its need, and keeps when it gives memory back",
         NUMBER(heap_pad_bytes)},
        {"kept_allocation_bytes", "B", 1, 1e15, true, O::preset,
         "largest buffer whose pages the process keeps when it frees it", NUMBER(kept_allocation_bytes)},
    };
}

#undef NUMBER

/** Operations whose price depends on their type: one field each. */
template<size_t... i>
std::vector<MachineField> fields_of_types(std::index_sequence<i...>) {
    return {{info(static_cast<TypedOperation>(i)).key, "cycles", 0, 1e4, false, O::measured,
             info(static_cast<TypedOperation>(i)).what, [](const Machine &m) { return m.typed_cycles[i]; },
             [](Machine &m, double v) { m.typed_cycles[i] = v; }}...};
}

std::vector<MachineField> typed_fields() {
    return fields_of_types(std::make_index_sequence<typed_operation_count>());
}

}  // namespace

const std::vector<MachineField> &machine_fields() {
    static const std::vector<MachineField> fields = [] {
        std::vector<MachineField> all;
        for (const auto part : {instruction_fields, typed_fields, address_fields, traffic_fields, run_fields,
                                run_time_fields}) {
            const std::vector<MachineField> some = part();
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }();
    return fields;
}

}  // namespace eutectic
