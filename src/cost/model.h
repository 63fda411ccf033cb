#pragma once

#include <limits>
#include <vector>

#include "cost/loop_tree.h"

namespace eutectic {

/** What is launched at once: stages inside one nest of loops, on a GPU those that the same blocks of threads
 * run one after another. */
struct KernelStages {
    std::vector<NestedStage> stages;  ///< the first one's gpu_block loops are the kernel's; `local` values
                                      ///< are in shared memory or registers
    Bytes shared_bytes = 0;           ///< of one block
    int tile_points = 1;      ///< values that a thread keeps in registers at once, with an address for each
    int register_values = 0;  ///< values that it keeps in registers without, instead of those
    int row_values = 0;  ///< values of rows that it keeps in registers, instead of those, at fixed distances
                         ///< from one address
};

/** What a kernel is estimated to take. */
struct KernelPrice {
    Cost cost;
    KernelResources resources;
    Occupancy occupancy;
    double blocks = 1;
    int tile_points = 1;                  ///< values that a thread has in registers at once
    int registers_per_point = 1;          ///< that each of them is estimated to take
    double dram_bytes = 0, l2_bytes = 0;  ///< moved by the whole kernel
    int needed_registers = 0;  ///< of a thread that may have as many as it would: `resources` has no more
                               ///< than the device gives
};

/** The prices of one kind of device, in seconds. Policies weigh loops by them, the planner plans, and
 * differentiation what it keeps. One more kind of device is one more of these, which cost_model() picks. */
class CostModel {
public:
    virtual ~CostModel() = default;

    /** What a kernel takes. Where computing alone takes at least `limit`, what it competes with, the cost may
     * be infinite and nothing else looked at. */
    virtual KernelPrice price(const KernelStages &kernel, const Machine &machine, Seconds limit) const = 0;

    /** allocation_cost() and trimming_cost(). */
    virtual Seconds allocation(Bytes bytes, const Machine &machine) const = 0;
    virtual Seconds trimming(const std::vector<Bytes> &buffers, const Machine &machine,
                             Bytes other) const = 0;

    /** Arithmetic alone, of values that are in registers, spread evenly over the device: of all points
     * together, of elements of so many bytes. */
    virtual Seconds arithmetic(const ExprSummary &all, int element_bytes, const Machine &machine) const = 0;

    /** To read or write `bytes` once, by the whole device, in another kernel than the one before, where `all`
     * bytes are touched before they are again: past the first level, which other cores may have, and past
     * each that does not hold that much. */
    virtual Seconds moving(Bytes bytes, Bytes all, const Machine &machine) const = 0;
};

const CostModel &cost_model(const Machine &machine);

/** CPUs: cost.h says how they are priced. */
const CostModel &cpu_cost_model();

/** The price of a kernel by the model of its device. */
KernelPrice price_kernel(const KernelStages &kernel, const Machine &machine);

/** The same of a kernel whose stages are those of `tree`: LoopTree::of_kernels(). */
KernelPrice price_kernel(const LoopTree &tree, KernelStages kernel, const Machine &machine);

}  // namespace eutectic
