#pragma once

#include <vector>

#include "Halide.h"

#include "fusion/rewrite.h"
#include "graph/read/pattern_finder.h"

namespace eutectic {

/** What a rewrite is called with: the Func whose definition changes, others, and a number, as far as it takes
 * them. */
struct RewriteArguments {
    Halide::Func func;
    std::vector<Halide::Func> others;
    int32_t size = 0;
};

/** A rewrite with its pattern in definitions, and the call that makes it: a function of schedules/rewrites.h,
 * which printed schedules call, too. */
class MadeRewrite : public Rewrite, public PatternFinder {
public:
    /** Which definitions it is made of. Those of a kind come before those of the next. */
    enum class Takes {
        as_written,  ///< definitions as the algorithm has them
        simplified,  ///< always made, of what was read so (Stage::simplified)
        undivided,   ///< what is simplified, before rewrites that change how it computes
        changed,     ///< it changes how a Func computes: before that is copied or moved
        final        ///< it copies or moves what definitions have become
    };
    virtual Takes takes() const {
        return Takes::final;
    }

    std::shared_ptr<const Pattern> find(const DefinitionContext & /*definition*/) const override {
        return nullptr;
    }

    /** Its function's name, and how that takes the Funcs besides the first. */
    virtual const char *function() const = 0;
    enum class Others { each, list };
    virtual Others others() const {
        return Others::each;
    }
    virtual bool takes_size() const {
        return false;
    }

    /** Calls it. The Func that it makes, or, in the place of `arguments.func`, what all read from then on;
     * undefined where it makes none. Throws UserError as its function does. */
    virtual Halide::Func make(const RewriteArguments &arguments) const = 0;

    /** Does what it returns stand for `func` itself from then on? */
    virtual bool replaces_func() const {
        return false;
    }

    /** Which makes partial results of the Func that this one has made; null: Halide's rfactor(). */
    virtual const MadeRewrite *partials() const {
        return nullptr;
    }

    /** Is a name of Stage::simplified done with, in the definitions that this one has taken in? */
    virtual bool makes_needless(const std::string & /*simplified*/) const {
        return false;
    }

    /** Are those that are always made also made for GPUs? */
    virtual bool on_gpus() const {
        return true;
    }
};

/** All of them; a new one is its file, and its line there. */
const std::vector<const MadeRewrite *> &all_rewrites();

/** The one of that name. Throws UserError where there is none. */
const MadeRewrite &rewrite_named(const std::string &name);

/** The rules of those that the planner chooses by itself, for each kind of device. */
std::vector<Rule> cpu_rewrite_rules();
std::vector<Rule> gpu_rewrite_rules();

/** For build_graph(). */
std::vector<const PatternFinder *> pattern_finders();

}  // namespace eutectic
