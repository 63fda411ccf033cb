#pragma once

#include <functional>
#include <string>
#include <vector>

#include "machine/calibration.h"

namespace eutectic {

/** One thing to time: `run` does `work` units of it (vectors, calls, bytes, tasks: the rate says which). */
struct Probe {
    double work = 0;
    std::function<void()> run;
};

/** One more operation whose price depends on its type; where there are several of one operation, their
 * geometric mean is its price. */
struct TypedProbe {
    TypedOperation operation;
    Probe probe;     ///< its unit is a step of a full vector
    int times = 1;   ///< a step does the operation so often,
    int others = 0;  ///< beside so many that any type has
};

/** What is timed, as plain functions: src/machine does not see how they are compiled. Vectors are full-width
 * ones of 32-bit elements. Everything but `read`, `copy`, `task_loop` and `allocate` stays within the
 * first-level cache and on the calling thread. */
struct MachineKernels {
    std::string target;  ///< the Halide target that the kernels were compiled for
    TargetDescription description;
    int threads = 1;  ///< threads that `task_loop`, and `read` and `copy` on all cores, may use

    Probe multiply_add;        ///< independent accumulations in registers
    Probe half_multiply_add;   ///< the same with vectors of half the width; no run where there are none
    Probe multiply_add_chain;  ///< each accumulation waits for the one before it
    Probe add, multiply;       ///< independent, in registers
    Probe load, broadcast;     ///< of vectors, and of one element into all lanes
    Probe store;
    Probe memory_chain;  ///< accumulations in memory: each loads what the one before it stored
    Probe divide, exp, log, gather, scatter, strided;
    Probe conflicts;  ///< gather, with rows a multiple of conflict_bytes apart, more of them than a set holds
    std::vector<TypedProbe> typed;
    Probe tanh, sin, exp_double;  ///< scalar calls into libm, one an element
    /** Reads `bytes` of memory again and again; `work` is the bytes of all passes together, on all threads
     * together. */
    std::function<Probe(Bytes bytes, bool all_threads)> read;
    /** Writes half of `bytes` with what it reads from the other half; `work` counts 3 transfers for 2, since
     * a line is read before it is written. */
    std::function<Probe(Bytes bytes, bool all_threads)> copy;
    /** A parallel loop of that many tasks, each a chain of `steps` scalar operations; `work` is 1. */
    std::function<Probe(int tasks, int steps)> task_loop;
    /** Allocates that many bytes, writes once to every page and frees them; `work` is 1. */
    std::function<Probe(Bytes bytes)> allocate;
};

struct MeasureOptions {
    Seconds seconds_per_probe = 0.4;
    /** Called before each probe: what is measured next, how many are done, of how many. */
    std::function<void(const std::string &what, int done, int of)> progress;
};

/** Measures every rate that can be measured and takes cores and caches from the system's files below `root`,
 * the rest from the target's preset; each origin is noted. Every probe is repeated for seconds_per_probe and
 * its fastest batch counts: other programs only ever make it slower. What runs on one thread is timed by that
 * thread's CPU time, so that time given to others does not count; what runs on all of them, and memory, by a
 * monotone clock. */
Calibration measure_machine(const MachineKernels &kernels, const MeasureOptions &options,
                            const std::string &root = "/");

/** The fastest time of one run of `probe`, in seconds. */
struct Timing {
    Seconds fastest = 0;
    double spread = 0;  ///< (median - fastest) / fastest over all batches
};
Timing time_probe(const Probe &probe, Seconds budget, bool cpu_time);

}  // namespace eutectic
