#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fusion/plan/kernel_limits.h"
#include "fusion/plan/plan.h"

namespace eutectic {

/** Where a person wants one Func: inlined; in memory as a whole; or inside the loops of `consumer`, in one
 * over its dim `loop`. */
struct Pin {
    Placement::Kind kind =
        Placement::Kind::root;  ///< inlined, root, or at for both ways of being inside loops
    FuncId consumer = -1;
    DimId loop = -1;  ///< dim of the consumer; -1: any
};

/** An input that callers hand over in panels (panels.h), for the one Func that reads it. */
struct PackedInput {
    FuncId input = -1, reader = -1;
};

/** What a person decided; everything else is the planner's. */
struct Pins {
    std::string source;                       ///< what it was read from, for sentences
    Table<FuncId, std::optional<Pin>> funcs;  ///< one for each Func of the graph; empty: no pins at all
    std::vector<std::pair<FuncId, FuncId>>
        unfused;  ///< producers and readers that never fuse: the producer is in memory as a whole
    std::vector<std::pair<FuncId, uint64_t>>
        loops;  ///< nests, by their roots, with other loops than those of the least price
                ///< (search/pinned_loops.h), and the seed that says which
    std::vector<KernelLimit>
        limits;  ///< no person's, but kept to in the same way: what compiled kernels taught
    std::vector<PackedInput> packed;  ///< how they lie the plan says, which reads them so and not otherwise

    bool none() const {
        return funcs.empty();
    }
};

/** Reads {"NAME": "inline" | "root" | {"at": ["CONSUMER", "LOOP"]}, …, "edges": {"PRODUCER→READER":
 * "never fuse", …}, "loops": {"NAME": SEED, …}}. A name without its "$1" counts when it names one Func, "->"
 * is an arrow, too, and
 * ["CONSUMER"] leaves the loop open. Throws UserError: a text that is none of this, an unknown name (with the
 * nearest known one), pins that contradict each other (both are named). `source` is what the text is called
 * in sentences. */
Pins parse_pins(const std::string &text, const std::string &source, const Graph &graph);

/** The same from a file; no pins for an empty path. */
Pins read_pins(const std::string &path, const Graph &graph);

/** "the pin of z, inline"; empty for a Func that none is about. */
std::string describe(const Graph &graph, const Pins &pins, FuncId func);

/** Do these placements do what the pins say? A refusal names the pin. (Which of the consumer's loops it is,
 * in_pinned_loops() tells.) */
Verdict obeys(const Graph &graph, const Pins &pins, const Placements &placements);

/** Is every pinned Func that `group` computes inside loops in one over the dim that its pin names, and is
 * what is packed read in panels? No pins: yes. */
bool in_pinned_loops(const Pins *pins, const Group &group);

/** A plan's placements as pins, with the loops that it was given by `pins`. What is in blocks of a nest that
 * writes several Funcs is left out, to the planner: pins have no word for it. */
Pins pins_of(const Graph &graph, const FusionPlan &plan, const Pins &pins);

/** May a person say where `func` is? Not of inputs, outputs, and what the program itself has scheduled. */
bool may_be_pinned(const Graph &graph, FuncId func);

/** A placement in the words of pins, in any loop of its consumer. */
Pin pin_of(const Placement &placement);

/** Pins as JSON that parse_pins() reads, and a person can edit. */
std::string to_text(const Graph &graph, const Pins &pins);

}  // namespace eutectic
