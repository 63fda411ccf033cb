#pragma once

#include <map>
#include <string>
#include <vector>

#include "machine/machine.h"

namespace eutectic {

/** A processor that plans are made for, as a file of processors/ describes it. */
struct Processor {
    std::string file;                ///< its name there, without the ending: "zen3"
    std::string name;                ///< for people
    std::string llvm;                ///< as LLVM calls it (-mcpu): "znver3"; empty: by no name
    std::vector<std::string> tunes;  ///< what a Halide target is tuned for that means it: "znver2"
    std::string arch;                ///< as TargetDescription::arch
    std::string like;       ///< whose numbers it has where it gives none; empty: those of Machine itself
    int vectors = 256;      ///< bits of the vectors that its cycles are of
    bool measured = false;  ///< were its rates measured, or are they what its maker says?
    std::map<std::string, double> values;  ///< by key of MachineField
};

/** All of them, by name of their files. */
const std::map<std::string, Processor> &processors();

/** Reads the text of such a file: its own numbers. Throws UserError, in one sentence with `file`, the line
 * and the remedy, for a line that means nothing or a value out of its field's range. */
Processor parse_processor(const std::string &text, const std::string &file);

/** The file of the processor that a Halide target tuned for `tune` ("znver1") means; empty where there is
 * none. */
std::string processor_tuned_for(const std::string &tune);

/** `p` with the numbers of the one of `all` that it is like, and of the one that this is like. Throws
 * UserError where there is none, or a circle. */
Processor with_inherited(Processor p, const std::map<std::string, Processor> &all);

/** The processors that a plan for `target` has to be good on: the one that it names alone, else its family;
 * the first is the one that machine_from_target() takes. Never empty: where none of the architecture is
 * known, it is the one that everything is measured against.
 */
std::vector<const Processor *> family_of(const TargetDescription &target);

/** That processor, used through `target` by `parallelism` threads. */
Machine machine_of(const Processor &processor, const TargetDescription &target, int parallelism);

}  // namespace eutectic
