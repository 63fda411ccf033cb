#include "machine/processors.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "base/user_error.h"
#include "machine/calibration.h"
#include "machine/processor_files.h"

namespace eutectic {

namespace {

/** The one that everything else is measured against. */
const char *const reference = "zen4";

[[noreturn]] void refuse(const std::string &file, int line, const std::string &what) {
    throw UserError("The processor file " + file + " " + what + " in line " + std::to_string(line) +
                    ": see src/machine/README.md for what its lines may be.");
}

std::string without_comment(const std::string &line) {
    const std::string text = line.substr(0, line.find('#'));
    const size_t last = text.find_last_not_of(" \t\r");
    return last == std::string::npos ? "" : text.substr(0, last + 1);
}

const MachineField *field_of(const std::string &key) {
    const std::vector<MachineField> &fields = machine_fields();
    const auto it =
        std::find_if(fields.begin(), fields.end(), [&](const MachineField &f) { return key == f.key; });
    return it == fields.end() ? nullptr : &*it;
}

/** Is it the price of an operation of which a vector of half the lanes takes half as long? */
bool is_by_lane(const std::string &key) {
    for (size_t i = 0; i < typed_operation_count; i++) {
        const TypedOperationInfo &operation = info(static_cast<TypedOperation>(i));
        if (key == operation.key) {
            return operation.by_lane;
        }
    }
    return false;
}

/** One line of a file, without its comment. */
void read_line(const std::string &key, const std::string &value, int line, Processor &p) {
    const MachineField *field = field_of(key);
    if (value.empty()) {
        refuse(p.file, line, "gives no value of \"" + key + "\"");
    } else if (key == "name") {
        p.name = value;
    } else if (key == "llvm") {
        p.llvm = value;
    } else if (key == "tunes") {
        std::istringstream names(value);
        p.tunes.assign(std::istream_iterator<std::string>(names), {});
    } else if (key == "arch") {
        p.arch = value;
    } else if (key == "like") {
        p.like = value;
    } else if (key == "measured" && (value == "yes" || value == "no")) {
        p.measured = value == "yes";
    } else if (key == "vectors" || field) {
        std::istringstream number(value);
        double v = 0;
        if (!(number >> v) || !number.eof() || v < (field ? field->low : 32) ||
            v > (field ? field->high : 2048)) {
            refuse(p.file, line, "gives " + value + " as \"" + key + "\", which is no number in its range,");
        }
        if (field) {
            p.values[key] = v;
        } else {
            p.vectors = static_cast<int>(v);
        }
    } else {
        refuse(p.file, line, "has \"" + key + " " + value + "\", which means nothing,");
    }
}

}  // namespace

Processor parse_processor(const std::string &text, const std::string &file) {
    Processor p;
    p.file = file;
    std::istringstream lines(text);
    std::string line;
    for (int n = 1; std::getline(lines, line); n++) {
        std::istringstream words(without_comment(line));
        std::string key, value;
        if (words >> key) {
            std::getline(words >> std::ws, value);
            read_line(key, value, n, p);
        }
    }
    return p;
}

Processor with_inherited(Processor p, const std::map<std::string, Processor> &all) {
    std::string like = p.like;
    for (size_t steps = 0; !like.empty(); steps++) {
        const auto parent = all.find(like);
        if (parent == all.end() || steps > all.size()) {
            throw UserError("The processor file " + p.file + " is like " + like +
                            (parent == all.end() ? ", of which there is no file: " : ", which is like it: ") +
                            "name another one.");
        }
        for (const auto &[key, value] : parent->second.values) {
            p.values.emplace(key, is_by_lane(key) ? value * p.vectors / parent->second.vectors : value);
        }
        like = parent->second.like;
    }
    return p;
}

const std::map<std::string, Processor> &processors() {
    static const std::map<std::string, Processor> all = [] {
        std::map<std::string, Processor> own, whole;
        for (const ProcessorFile &f : processor_files) {
            own.emplace(f.name, parse_processor(f.text, f.name));
        }
        for (const auto &[name, processor] : own) {
            whole.emplace(name, with_inherited(processor, own));
        }
        return whole;
    }();
    return all;
}

std::string processor_tuned_for(const std::string &tune) {
    for (const auto &[file, processor] : processors()) {
        if (std::count(processor.tunes.begin(), processor.tunes.end(), tune) > 0) {
            return file;
        }
    }
    return "";
}

std::vector<const Processor *> family_of(const TargetDescription &target) {
    if (!target.processor.empty()) {
        return {&processors().at(target.processor)};
    }
    std::istringstream lines(processor_families);
    std::string line, file;
    while (std::getline(lines, line)) {
        std::istringstream words(without_comment(line));
        std::string arch, bits;
        if (words >> arch >> bits && arch == target.arch &&
            bits == std::to_string(target.vector_bits) + ":") {
            std::vector<const Processor *> family;
            while (words >> file) {
                family.push_back(&processors().at(file));
            }
            return family;
        }
    }
    return {&processors().at(reference)};
}

Machine machine_of(const Processor &processor, const TargetDescription &target, int parallelism) {
    Machine m;
    for (const MachineField &field : machine_fields()) {
        const auto value = processor.values.find(field.key);
        if (value != processor.values.end()) {
            field.set(m, value->second);
        }
    }
    m.cores = parallelism > 0 ? parallelism : 1;
    m.vector_bits = target.vector_bits;
    m.dots = target.dots;
    m.vector_registers =
        (target.vector_bits >= 512 || target.arch == "arm" || target.arch == "riscv") ? 32 : 16;
    m.datapath_bits = std::min(m.datapath_bits, target.vector_bits);
    const double turns = static_cast<double>(m.vector_bits) / m.datapath_bits;
    for (double *rate : {&m.vector_ops_per_cycle, &m.loads_per_cycle, &m.stores_per_cycle}) {
        *rate /= turns;
    }
    for (double *cycles : {&m.division_cycles, &m.exp_cycles}) {
        *cycles *= turns;
    }
    for (size_t i = 0; i < m.typed_cycles.size(); i++) {
        const bool by_lane = info(static_cast<TypedOperation>(i)).by_lane;
        m.typed_cycles[i] *= by_lane ? static_cast<double>(m.vector_bits) / processor.vectors : turns;
    }
    if (!target.fused_multiply_add) {
        m.fma_latency_cycles = 8;  // a multiply, then an add
        m.vector_ops_per_cycle *= 0.5;
    }
    std::ostringstream name;
    name << "preset " << target.arch << " " << target.vector_bits << "-bit"
         << (target.fused_multiply_add ? " fma" : "") << ", " << processor.name
         << (processor.arch != target.arch ? " (none of " + target.arch + " is known)"
             : processor.measured          ? ""
                                           : " (as documented, not measured)")
         << ", parallelism " << m.cores;
    m.name = name.str();
    return m;
}

}  // namespace eutectic
