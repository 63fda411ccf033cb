#include "apps/eutectic/packed.h"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "base/regex.h"
#include "base/user_error.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

std::vector<int> order_of(const Panels &panels) {
    return {panels.order.begin(), panels.order.end()};
}

/** "16 x w.extent(1) x (w.extent(0) + 15) / 16". */
std::string sizes(const PackedArgument &p) {
    std::string text;
    for (const std::string &e : p.extents) {
        text += (text.empty() ? "" : " x ") + e;
    }
    return text;
}

}  // namespace

void add_packing(const std::string &name, const LoadedPipeline &loaded,
                 const std::vector<PackedArgument> &packed, const Target &target, Module &kernel) {
    std::vector<Module> modules = {kernel};
    for (const PackedArgument &p : packed) {
        const Parameter &input = loaded.parameters.at(p.input);
        const int columns = static_cast<int>(p.panels.columns);
        const int lanes = std::gcd(columns, target.natural_vector_size(input.type()));
        const auto given = std::find_if(loaded.inputs.begin(), loaded.inputs.end(),
                                        [&](const Argument &a) { return a.name == p.input; });
        Func packing = pack_panels(input, order_of(p.panels), columns, lanes);
        modules.push_back(packing.compile_to_module({*given}, name + "_pack_" + p.input, target));
    }
    if (modules.size() > 1) {
        const bool strict = kernel.any_strict_float();
        kernel = link_modules(kernel.name(), modules);
        kernel.set_any_strict_float(strict);  // which link_modules() forgets
    }
}

std::vector<Argument> arguments_in_panels(const LoadedPipeline &loaded,
                                          const std::vector<PackedArgument> &packed) {
    std::vector<Argument> arguments = loaded.inputs;
    Pipeline pipeline = loaded.pipeline;
    for (const PackedArgument &p : packed) {
        std::vector<Argument> now;
        for (const Argument &a : pipeline.infer_arguments()) {
            if (a.name == p.input) {
                now.push_back(a);
            }
        }
        if (now.size() != 1) {
            throw UserError("The input " + p.input + " was asked for in panels (packed=" + p.input +
                            "), but the plan asks for sizes of " + p.input +
                            " that panels do not tell: leave " + p.input + " out of what is packed.");
        }
        std::replace_if(
            arguments.begin(), arguments.end(), [&](const Argument &a) { return a.name == p.input; },
            now.front());
    }
    return arguments;
}

std::string packing_declarations(const std::string &base, const std::vector<PackedArgument> &packed) {
    std::ostringstream s;
    for (const PackedArgument &p : packed) {
        const std::string packing = base + "_pack_" + p.input;
        const size_t n = p.extents.size();
        s << "// " << base << " takes " << p.input << " in panels of " << p.panels.columns
          << " columns, which " << packing << "(" << p.input << ", packed) makes, once for many calls.\n"
          << "// Sizes of packed: " << sizes(p)
          << "; dense, innermost first, from 0 on. Columns beyond those of " << p.input << " are 0.\n"
          << "// From the extents of " << p.input << ", those of packed:\n"
          << "#define " << packing << "_dimensions " << n << "\n"
          << "static inline void " << packing << "_extents(const int *" << p.input << ", int *packed) {\n";
        for (size_t d = 0; d < n; d++) {
            s << "    packed[" << d
              << "] = " << Regex("\\.extent\\((\\d+)\\)").replace_in(p.extents[d], "[$1]") << ";\n";
        }
        s << "}\n\n";
    }
    return s.str();
}

}  // namespace eutectic
