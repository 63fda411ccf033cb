#pragma once

#include <functional>
#include <set>
#include <string>

#include "Halide.h"

#include "graph/read/outputs.h"

namespace eutectic {

/** Calls `change` for each definition of `pipeline` as it is now: pure ones, updates, and those of versions
 * of loops, which have values of their own. */
inline void for_each_definition(const Halide::Pipeline &pipeline,
                                const std::function<void(Halide::Internal::Definition &)> &change) {
    const std::function<void(Halide::Internal::Definition &)> with_versions =
        [&](Halide::Internal::Definition &definition) {
            change(definition);
            for (Halide::Internal::Specialization &version : definition.specializations()) {
                with_versions(version.definition);
            }
        };
    for (auto &[name, function] : Halide::Internal::build_environment(output_functions(pipeline))) {
        if (function.has_pure_definition()) {
            with_versions(function.definition());
        }
        for (int u = 0; u < static_cast<int>(function.updates().size()); u++) {
            with_versions(function.update(u));
        }
    }
}

/** Makes of `e` what `by` makes of it. What is read more than once then has a name, as Halide gives one where
 * a Func is defined. */
inline void replace(Halide::Expr &e, Halide::Internal::IRGraphMutator &by) {
    const Halide::Expr made = by.mutate(e);
    e = made.same_as(e) ? e : Halide::Internal::common_subexpression_elimination(made);
}

/** The `names` that a visitor of the kind `Find` has after all of `pipeline`. */
template<typename Find>
std::set<std::string> names_found(const Halide::Pipeline &pipeline) {
    Find find;
    for (auto &[name, function] : Halide::Internal::build_environment(output_functions(pipeline))) {
        function.accept(&find);
    }
    return find.names;
}

}  // namespace eutectic
