// The numbers of a Gpu, one line each, and files of them.

#include "machine/gpu_fields.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/nearest.h"
#include "base/user_error.h"

namespace eutectic {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

const char *const format_name = "eutectic gpu 1";

[[noreturn]] void refuse(const std::string &file, const std::string &what) {
    throw UserError("The GPU file " + file + " " + what + ".");
}

std::string range_of(const GpuField &f) {
    std::ostringstream s;
    s << "give a " << (f.whole ? "whole " : "") << "number from " << f.low << " to " << f.high << " ("
      << f.unit << ")";
    return s.str();
}

double read_value(const GpuField &f, const json &values, const std::string &file) {
    const std::string key = std::string("\"values.") + f.key + "\"";
    if (!values.contains(f.key)) {
        refuse(file, "lacks the key " + key + ": " + range_of(f));
    }
    const json &entry = values.at(f.key);
    if (!entry.is_object() || !entry.contains("value") || !entry.contains("unit") || entry.size() != 2) {
        refuse(file, "gives " + key + " as " + entry.dump() +
                         ", and an object with value and unit is read: write {\"value\": …, \"unit\": \"" +
                         f.unit + "\"}");
    }
    if (entry.at("unit") != f.unit) {
        refuse(file, "gives the unit of " + key + " as " + entry.at("unit").dump() + ", and the unit is \"" +
                         f.unit + "\": convert the value");
    }
    const json &value = entry.at("value");
    if (!value.is_number()) {
        refuse(file, "gives " + key + " as " + value.dump() + ", which is not a number: " + range_of(f));
    }
    const double n = value.get<double>();
    if (!(n >= f.low && n <= f.high) || (f.whole && n != std::floor(n))) {
        refuse(file, "gives " + key + " as " + value.dump() + ", which is out of range: " + range_of(f));
    }
    return n;
}

/** `object` has no other keys than `known`. */
void only_known(const json &object, const std::vector<std::string> &known, const std::string &in,
                const std::string &file) {
    for (const auto &[key, value] : object.items()) {
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            refuse(file, "has the unknown key \"" + in + key + "\": remove it");
        }
    }
}

#define NUMBER(member)                                          \
    [](const Gpu &g) { return static_cast<double>(g.member); }, \
        [](Gpu &g, double v) { g.member = static_cast<decltype(g.member)>(v); }

/** What the device has, and how fast that is. */
std::vector<GpuField> device_fields() {
    return {
        {"capability", "tenths", 0, 999, true, "of CUDA: 80 is 8.0; 0: none", NUMBER(capability)},
        {"sms", "SMs", 1, 10000, true, "multiprocessors, or compute units", NUMBER(sms)},
        {"warp_size", "threads", 1, 128, true, "threads that issue together", NUMBER(warp_size)},
        {"threads_per_block", "threads", 1, 65536, true, "of a block, at most", NUMBER(threads_per_block)},
        {"threads_per_sm", "threads", 1, 65536, true, "of an SM at once", NUMBER(threads_per_sm)},
        {"blocks_per_sm", "blocks", 1, 1024, true, "of an SM at once", NUMBER(blocks_per_sm)},
        {"registers_per_sm", "registers", 1024, 1e7, true, "of 32 bits", NUMBER(registers_per_sm)},
        {"registers_per_block", "registers", 1024, 1e7, true, "of a block, at most",
         NUMBER(registers_per_block)},
        {"registers_per_thread", "registers", 16, 65536, true, "of a thread, at most",
         NUMBER(registers_per_thread)},
        {"cuda_runtime_registers", "registers", 16, 65536, true,
         "of a thread, at most, in kernels for CUDA that Halide's runtime loads",
         NUMBER(cuda_runtime_registers)},
        {"register_granularity", "registers", 1, 65536, true, "a warp's are allocated in such pieces",
         NUMBER(register_granularity)},
        {"partitions_per_sm", "parts", 1, 64, true, "of an SM, each with its registers",
         NUMBER(partitions_per_sm)},
        {"shared_bytes_per_sm", "B", 1024, 1e9, true, "shared memory of an SM", NUMBER(shared_bytes_per_sm)},
        {"shared_bytes_per_block", "B", 1024, 1e9, true, "of a block, at most",
         NUMBER(shared_bytes_per_block)},
        {"shared_reserved_bytes", "B", 0, 1e6, true, "that the driver takes for each block",
         NUMBER(shared_reserved_bytes)},
        {"shared_granularity_bytes", "B", 1, 65536, true, "a block's is allocated in such pieces",
         NUMBER(shared_granularity_bytes)},
        {"l1_bytes_per_sm", "B", 0, 1e9, true, "first-level cache of an SM together with its shared memory",
         NUMBER(l1_bytes_per_sm)},
        {"l2_bytes", "B", 1024, 1e12, true, "second-level cache", NUMBER(l2_bytes)},
        {"hertz", "1/s", 1e7, 1e11, false, "sustained clock", NUMBER(hertz)},
        {"dram_bytes_per_second", "B/s", 1e8, 1e15, false, "to and from the device's memory",
         NUMBER(dram_bytes_per_second)},
        {"l2_bytes_per_second", "B/s", 1e8, 1e15, false, "to and from the second-level cache",
         NUMBER(l2_bytes_per_second)},
        {"fmas_per_cycle", "multiply-adds", 1, 1e5, false, "of float32, an SM", NUMBER(fmas_per_cycle)},
        {"special_per_cycle", "values", 0.1, 1e5, false, "exp2, log2, reciprocals of float32, an SM",
         NUMBER(special_per_cycle)},
        {"access_bytes_per_cycle", "B", 1, 1e5, false, "from the first level or shared memory, an SM",
         NUMBER(access_bytes_per_cycle)},
        {"sector_bytes", "B", 1, 4096, true, "the least that moves between caches", NUMBER(sector_bytes)},
        {"atomics_per_cycle", "operations", 0.01, 1e5, false,
         "atomic, on 32 bits, of the second level, on different sectors", NUMBER(atomics_per_cycle)},
        {"dram_latency_seconds", "s", 1e-9, 1e-3, false, "of a load that misses every cache",
         NUMBER(dram_latency_seconds)},
        {"shared_latency_seconds", "s", 1e-10, 1e-4, false, "of a load from shared memory",
         NUMBER(shared_latency_seconds)},
        {"shared_banks", "banks", 1, 1024, true, "of shared memory, 4 bytes wide", NUMBER(shared_banks)},
        {"barrier_seconds", "s", 1e-10, 1e-4, false, "until the threads of a block have met",
         NUMBER(barrier_seconds)},
        {"launch_seconds", "s", 1e-9, 1e-2, false, "one kernel after another", NUMBER(launch_seconds)},
        {"allocation_seconds", "s", 1e-9, 1e-2, false, "a buffer that the runtime has kept",
         NUMBER(allocation_seconds)},
    };
}

/** What its language can say. */
std::vector<GpuField> language_fields() {
    return {
        {"warp_shuffles", "0 or 1", 0, 1, true,
         "loops over the lanes of a warp can be written; set from the target", NUMBER(warp_shuffles)},
        {"any_shared_atomics", "0 or 1", 0, 1, true,
         "others than additions on shared memory can be written; set from the target",
         NUMBER(any_shared_atomics)},
        {"device_addresses", "0 or 1", 0, 1, true,
         "the host knows where a buffer lies on the device; set from the target", NUMBER(device_addresses)},
    };
}

/** What the code of a kernel takes. */
std::vector<GpuField> code_fields() {
    return {
        {"division_instructions", "instructions", 0, 1e4, false, "of a float division, beside its reciprocal",
         NUMBER(division_instructions)},
        {"transcendental_instructions", "instructions", 0, 1e4, false,
         "of exp or log of float, beside exp2 or log2", NUMBER(transcendental_instructions)},
        {"approximate_division_instructions", "instructions", 0, 1e4, false,
         "of a float division within 2 units in the last place, beside its reciprocal",
         NUMBER(approximate_division_instructions)},
        {"approximate_transcendental_instructions", "instructions", 0, 1e4, false,
         "of approximate exp or log of float, beside exp2 or log2",
         NUMBER(approximate_transcendental_instructions)},
        {"libm_instructions", "instructions", 0, 1e4, false,
         "of tanh, sin, cos and what is made of double precision", NUMBER(libm_instructions)},
        {"libm_special_values", "values", 0, 1e4, false, "that such a call takes of special_per_cycle",
         NUMBER(libm_special_values)},
        {"access_instructions", "instructions", 0, 1e4, false, "of addresses, for each load or store",
         NUMBER(access_instructions)},
        {"loop_instructions", "instructions", 0, 1e4, false, "of each turn of a loop inside a thread",
         NUMBER(loop_instructions)},
        {"instruction_latency_cycles", "cycles", 0, 1e4, false,
         "from one instruction to the next that needs it", NUMBER(instruction_latency_cycles)},
        {"turns_under_way", "turns", 1, 1e4, false, "of a loop, whose loads a thread has asked for at once",
         NUMBER(turns_under_way)},
        {"barriers_a_step", "barriers", 0, 1000, true, "of a block that copies to shared memory step by step",
         NUMBER(barriers_a_step)},
        {"widest_load_bytes", "B", 1, 4096, true, "of one load or store", NUMBER(widest_load_bytes)},
        {"spare_registers", "registers", 0, 65536, true,
         "of a thread's, that it does without where it may have no more", NUMBER(spare_registers)},
        {"base_registers", "registers", 0, 65536, true, "of a thread that does next to nothing",
         NUMBER(base_registers)},
        {"load_registers", "registers", 0, 65536, true, "of each load or store, as far as not shared",
         NUMBER(load_registers)},
        {"point_registers", "registers", 0, 65536, true, "of each further value that a thread keeps at once",
         NUMBER(point_registers)},
        {"address_registers", "registers", 0, 65536, true,
         "of a thread that keeps values without an address for each", NUMBER(address_registers)},
        {"row_value_registers", "registers", 0, 1000, false, "of each value of a row that a thread keeps",
         NUMBER(row_value_registers)},
        {"split_sum_gain", "times", 1, 1e6, false,
         "what a second kernel for the chunks of a sum has to save of predicted seconds",
         NUMBER(split_sum_gain)},
    };
}

#undef NUMBER

}  // namespace

const std::vector<GpuField> &gpu_fields() {
    static const std::vector<GpuField> fields = [] {
        std::vector<GpuField> all = device_fields();
        for (const std::vector<GpuField> &more : {language_fields(), code_fields()}) {
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }();
    return fields;
}

std::string to_json(const Gpu &gpu) {
    ordered_json values = ordered_json::object();
    for (const GpuField &f : gpu_fields()) {
        const double value = f.get(gpu);
        values[f.key] = {{"value", f.whole ? ordered_json(static_cast<int64_t>(value)) : ordered_json(value)},
                         {"unit", f.unit}};
    }
    return ordered_json{{"format", format_name}, {"name", gpu.name}, {"values", values}}.dump(2) + "\n";
}

Gpu parse_gpu(const std::string &text, const std::string &file) {
    const json root = json::parse(text, nullptr, false);
    if (root.is_discarded() || !root.is_object()) {
        refuse(file, "is not a JSON object: write {\"format\": \"" + std::string(format_name) +
                         "\", \"name\": …, \"values\": …}");
    }
    if (!root.contains("format") || root.at("format") != format_name) {
        refuse(file, "has not the format \"" + std::string(format_name) + "\": give that as its \"format\"");
    }
    only_known(root, {"format", "name", "values"}, "", file);
    if (!root.contains("name") || !root.at("name").is_string() || !root.contains("values") ||
        !root.at("values").is_object()) {
        refuse(file, "lacks a \"name\" that is text or \"values\" that are an object: give both");
    }
    Gpu gpu;
    gpu.name = root.at("name").get<std::string>();
    std::vector<std::string> known;
    for (const GpuField &f : gpu_fields()) {
        known.emplace_back(f.key);
    }
    only_known(root.at("values"), known, "values.", file);
    for (const GpuField &f : gpu_fields()) {
        f.set(gpu, read_value(f, root.at("values"), file));
    }
    return gpu;
}

Gpu choose_gpu(const std::string &name_or_file) {
    const std::vector<std::string> &names = gpu_preset_names();
    if (std::find(names.begin(), names.end(), name_or_file) != names.end()) {
        return gpu_preset(name_or_file);
    }
    std::ifstream stream(name_or_file);
    std::ostringstream text;
    if (!(text << stream.rdbuf())) {
        throw UserError("The GPU \"" + name_or_file + "\" is neither a preset nor a file that can be read: " +
                        nearest_and_all(name_or_file, names, "give") + ", or the path of a file.");
    }
    return parse_gpu(text.str(), name_or_file);
}

}  // namespace eutectic
