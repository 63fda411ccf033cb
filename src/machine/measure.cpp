// Every rate of a Machine from the time of a kernel, and which number is made of which.

#include "machine/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <utility>

namespace eutectic {

namespace {

#if defined(__x86_64__) || defined(__i386__)
#define ADDITION "add %1, %0"
#else  // ARM's, RISC-V's and POWER's alike
#define ADDITION "add %0, %0, %1"
#endif

/** A chain of dependent additions, one cycle each on every CPU that Halide has a target for. Of two
 * registers: those of a constant never reach an adder on newer ones, which add them up while they rename
 * registers (Intel's since Golden Cove: such a chain runs at half a cycle each). A hundred one after the
 * other: a loop around each addition takes 1.7 cycles on AMD Zen, which jumps back every other cycle. In
 * assembly: they are the same hundred in a build without optimization. */
Probe clock_probe() {
    constexpr int rounds = 1000, additions = 100;
    return {
        static_cast<double>(rounds * additions), [] {
            unsigned long value = 1;
            const unsigned long step = 3;
            for (int i = 0; i < rounds; i++) {
                asm volatile(".rept %c2\n\t" ADDITION "\n\t.endr" : "+r"(value) : "r"(step), "i"(additions));
            }
        }};
}

#undef ADDITION

std::string processor(const std::string &root) {
    std::ifstream file(root + "proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const size_t colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "unknown processor";
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
    return text;
}

class Measurer {
public:
    Measurer(const MachineKernels &kernels, const MeasureOptions &options, const std::string &root)
        : k_(kernels), options_(options) {
        out_.machine = machine_from_host(kernels.description, kernels.threads, root);
        out_.processor = processor(root);
        out_.target = kernels.target;
        out_.date = today();
        out_.machine.name = out_.processor + ", " + std::to_string(out_.machine.cores) + " cores, " +
                            std::to_string(out_.machine.vector_bits) + "-bit vectors";
        for (const MachineField &f : machine_fields()) {
            out_.origins[f.key] = f.owner == Origin::measured || f.owner == Origin::fitted
                                      ? Origin::preset
                                      : f.owner;  // until it is
        }
    }

    Calibration run() {
        struct Step {
            const char *what;
            void (Measurer::*measure)();
        };
        const Step steps[] = {{"clock", &Measurer::clock},
                              {"arithmetic", &Measurer::arithmetic},
                              {"operations by type", &Measurer::typed},
                              {"loads and stores", &Measurer::loads_and_stores},
                              {"transcendentals", &Measurer::transcendentals},
                              {"caches", &Measurer::caches},
                              {"memory", &Measurer::memory},
                              {"parallel loops", &Measurer::tasks},
                              {"allocation", &Measurer::allocation}};
        const int count = static_cast<int>(std::size(steps));
        const auto start = std::chrono::steady_clock::now();
        int done = 0;
        for (const Step &step : steps) {
            if (options_.progress) {
                options_.progress(step.what, done++, count);
            }
            (this->*step.measure)();
        }
        out_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return out_;
    }

private:
    const MachineKernels &k_;
    const MeasureOptions &options_;
    Calibration out_;

    /** Seconds of one unit of `probe`'s work. */
    Timing unit(const Probe &probe, bool cpu_time = true, double share_of_time = 1) const {
        Timing t = time_probe(probe, share_of_time * options_.seconds_per_probe, cpu_time);
        t.fastest /= probe.work;
        return t;
    }

    double cycles(const Timing &t) const {
        return t.fastest * out_.machine.hertz;
    }

    /** Takes a measured number, unless it is out of its field's range: then the preset's stays, and its
     * origin says so. */
    void take(const std::string &key, double value, double spread) {
        const std::vector<MachineField> &fields = machine_fields();
        const auto f = std::find_if(fields.begin(), fields.end(),
                                    [&](const MachineField &field) { return key == field.key; });
        if (std::isfinite(value) && value >= f->low && value <= f->high) {
            f->set(out_.machine, value);
            out_.origins[key] = Origin::measured;
            out_.spreads[key] = spread;
        }
    }

    void note(const std::string &key, const std::string &unit, double value) {
        out_.also.push_back({key, unit, value});
    }

    void clock() {
        const Probe probe = clock_probe();
        // Every number of cycles rests on this one: it is given more time.
        Timing t = time_probe(probe, 4 * options_.seconds_per_probe, true);
        t.fastest /= probe.work;
        take("hertz", 1 / t.fastest, t.spread);
    }

    void arithmetic() {
        const Timing fma = unit(k_.multiply_add), chain = unit(k_.multiply_add_chain),
                     divide = unit(k_.divide);
        take("vector_ops_per_cycle", 1 / cycles(fma), fma.spread);
        take("fma_latency_cycles", cycles(chain), chain.spread);
        take("division_cycles", cycles(divide), divide.spread);
        if (k_.half_multiply_add.run) {
            // A vector of half the width takes half as long where a whole one takes two turns.
            const Timing half = unit(k_.half_multiply_add);
            const double turns = std::clamp(std::round(fma.fastest / half.fastest), 1.0, 2.0);
            take("datapath_bits", out_.machine.vector_bits / turns, half.spread);
        }
        note("adds_per_cycle", "vectors", 1 / cycles(unit(k_.add)));
        note("multiplies_per_cycle", "vectors", 1 / cycles(unit(k_.multiply)));
    }

    /** Each a fifth of the time of other probes: there are many, and none that the others rest on. */
    void typed() {
        struct Sum {
            double logarithms = 0, spread = 0;
            int probes = 0;
        };
        std::map<TypedOperation, Sum> sums;
        for (const TypedProbe &typed : k_.typed) {
            const Timing t = unit(typed.probe, true, 0.2);
            const double others = typed.others / out_.machine.vector_ops_per_cycle;
            const double each = std::max(0.0, cycles(t) - others) / typed.times;
            Sum &sum = sums[typed.operation];
            sum.logarithms += std::log(each);
            sum.spread = std::max(sum.spread, t.spread);
            sum.probes++;
        }
        for (const auto &[operation, sum] : sums) {
            take(info(operation).key, std::exp(sum.logarithms / sum.probes), sum.spread);
        }
    }

    void loads_and_stores() {
        const Timing load = unit(k_.load), broadcast = unit(k_.broadcast), store = unit(k_.store),
                     chain = unit(k_.memory_chain), gather = unit(k_.gather), scatter = unit(k_.scatter);
        take("loads_per_cycle", 1 / cycles(load), load.spread);
        take("broadcasts_per_cycle", 1 / cycles(broadcast), broadcast.spread);
        take("stores_per_cycle", 1 / cycles(store), store.spread);
        // The chain is an addition and the way through memory.
        take("store_forwarding_cycles", cycles(chain) - out_.machine.fma_latency_cycles, chain.spread);
        take("gather_cycles_per_lane", cycles(gather), gather.spread);
        take("scatter_cycles_per_lane", cycles(scatter), scatter.spread);
        const Timing conflicts = unit(k_.conflicts);
        take("conflict_cycles_per_lane", std::max(cycles(gather), cycles(conflicts)), conflicts.spread);
        note("strided_cycles_per_lane", "cycles", cycles(unit(k_.strided)));
    }

    void transcendentals() {
        const Timing e = unit(k_.exp), l = unit(k_.log);
        // One number for both, since the graph counts them together.
        take("exp_cycles", std::sqrt(cycles(e) * cycles(l)), std::max(e.spread, l.spread));
        note("exp_vector_cycles", "cycles", cycles(e));
        note("log_vector_cycles", "cycles", cycles(l));
        const Timing t = unit(k_.tanh), s = unit(k_.sin), d = unit(k_.exp_double);
        take("libm_seconds", std::cbrt(t.fastest * s.fastest * d.fastest),
             std::max({t.spread, s.spread, d.spread}));
        note("tanh_seconds", "s", t.fastest);
        note("sin_seconds", "s", s.fastest);
        note("exp_double_seconds", "s", d.fastest);
    }

    /** Half of each cache: the other half may hold what this program did before. Of the last level four times
     * the one before it, if that is less: where many cores share it, others' data are in it, too, and half of
     * what the system says is not there. */
    void caches() {
        const Machine &m = out_.machine;
        const std::pair<const char *, Bytes> levels[] = {{"l1_bytes_per_second", m.l1.bytes},
                                                         {"l2_bytes_per_second", m.l2.bytes},
                                                         {"l3_bytes_per_second", m.l3.bytes}};
        for (const auto &[key, bytes] : levels) {
            const bool shared = bytes == m.l3.bytes && m.l3.bytes > m.l2.bytes;
            const Timing t = unit(k_.read(shared ? std::min(bytes / 2, 4 * m.l2.bytes) : bytes / 2, false));
            take(key, 1 / t.fastest, t.spread);
        }
    }

    /** Four times the last level on each core. */
    void memory() {
        const Bytes bytes = 4 * out_.machine.l3.bytes * out_.machine.cores;
        const Timing one = unit(k_.read(bytes, false), false), all = unit(k_.read(bytes, true), false),
                     copied = unit(k_.copy(bytes, true), false);
        take("memory_bytes_per_second", 1 / all.fastest, all.spread);
        take("lone_core_share", std::min(1.0, all.fastest / one.fastest), one.spread);
        // Copying moves the byte that is read and, of the byte that is written, so many transfers as take the
        // rest of the time.
        const double transfers = 3 * copied.fastest / all.fastest - 1;
        take("store_transfers", transfers, copied.spread);
        note("copy_bytes_per_second", "B/s", 2.0 / 3 / copied.fastest);
    }

    void tasks() {
        const int threads = out_.machine.cores, steps = 5000, many = 512 * threads, few_steps = 50;
        const Timing alone = unit(k_.task_loop(1, steps), false),
                     each = unit(k_.task_loop(threads, steps), false);
        take("launch_seconds", each.fastest - alone.fastest, each.spread);
        const Timing small = unit(k_.task_loop(1, few_steps), false),
                     all = unit(k_.task_loop(many, few_steps), false);
        take("task_seconds", all.fastest * threads / many - small.fastest, all.spread);
    }

    void allocation() {
        const Machine &m = out_.machine;
        const Bytes small = 64 * 1024, large = 2 * m.kept_allocation_bytes;
        const Timing kept = unit(k_.allocate(small)), fresh = unit(k_.allocate(large));
        take("allocation_seconds", kept.fastest, kept.spread);
        take("fresh_page_seconds",
             fresh.fastest / static_cast<double>(large) * static_cast<double>(m.page_bytes), fresh.spread);
    }
};

}  // namespace

Calibration measure_machine(const MachineKernels &kernels, const MeasureOptions &options,
                            const std::string &root) {
    return Measurer(kernels, options, root).run();
}

}  // namespace eutectic
