#pragma once

// Small helpers over Halide's IR that the rest of autodiff shares. Everything here is safe on graphs of Exprs
// (shared sub-expressions), which is what substituting all lets produces.

#include <Halide.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace eutectic {

/// One definition of a Func with its lets substituted: the pure definition or one update.
struct StageBody {
    std::vector<Halide::Expr> args;  // left-hand side
    Halide::Expr value;
    std::vector<Halide::Internal::ReductionVariable> rvars;
    std::vector<Halide::Expr> predicate;  // conjuncts; empty when the whole domain counts
};

/// The pure definition first, then the updates. `value_index` picks the element of a tuple.
std::vector<StageBody> stage_bodies(const Halide::Internal::Function &f, int value_index = 0);

/// Does the update's predicate mention a pure variable of f?
bool mentions_pure_variable(const Halide::Internal::Function &f, const StageBody &update);

/// The same update over the whole of its domain, with reduction variables of its own: self +
/// select(predicate, e, 0) for a sum, otherwise select(predicate, value, the element's earlier value). For
/// differentiation: it may load where the update itself would not.
StageBody without_predicate(const Halide::Internal::Function &f, int element, const StageBody &update);

/// The reduction variables `rvars` as Exprs of a new domain without a predicate, by their names.
std::map<std::string, Halide::Expr>
domain_variables(const std::vector<Halide::Internal::ReductionVariable> &rvars);

/// Variables as the left-hand side of a definition takes them.
std::vector<Halide::Var> as_vars(const std::vector<Halide::Expr> &variables);

/// Is the trace tag `tag` on f? It is the one text that a Func carries for others: it stays with copies of
/// the Func, and in files, and has no effect unless the Func is traced.
bool has_trace_tag(const Halide::Internal::Function &f, const std::string &tag);

/// Is `call` a read of f's `element` at just `args`?
bool is_read_at(const Halide::Internal::Call *call, const Halide::Internal::Function &f, int element,
                const std::vector<Halide::Expr> &args);

/// Calls of other Funcs, of images, and of f itself alike; each distinct Expr node once.
std::vector<const Halide::Internal::Call *> calls_in(const Halide::Expr &e);

/// Rebuilds e with each call of a Func or an image mapped; `map` gets the call with its arguments already
/// rebuilt and returns an undefined Expr to keep it.
Halide::Expr map_calls(const Halide::Expr &e,
                       const std::function<Halide::Expr(const Halide::Internal::Call *)> &map);

/// The Function that a call refers to; undefined contents for an image.
Halide::Internal::Function callee(const Halide::Internal::Call *call);

/// Does the variable `name` occur in e?
bool uses_variable(const Halide::Expr &e, const std::string &name);

/// The variables that e is a function of, but for parameters: each once, in the order in which they stand
/// there.
std::vector<Halide::Expr> free_variables(const Halide::Expr &e);

/// Replaces free variables.
Halide::Expr replace_variables(const Halide::Expr &e, const std::map<std::string, Halide::Expr> &by_name);

/// The variables of f's pure arguments, as Exprs.
std::vector<Halide::Expr> pure_args(const Halide::Internal::Function &f);

/// e's value read through f's body at `args`: the pure definition with its variables replaced. f has no
/// updates.
Halide::Expr value_at(const Halide::Internal::Function &f, const std::vector<Halide::Expr> &args);

/// Is e exactly the call f(v0, v1, …) of the variables `vars` in this order?
bool is_identity_call(const Halide::Expr &e, const std::vector<std::string> &vars);

/// Halide makes a Func's name unique by "$1", "$2"; this is the name that the user gave.
std::string given_name(const std::string &unique_name);

/// Every Func that `outputs` reach, producers first, in the order in which Halide computes them: depth first,
/// callees by name. What Halide appends to a name counts as a number, so that the order is the same for a
/// pipeline that is built a second time.
std::vector<Halide::Internal::Function>
computing_order(const std::vector<Halide::Internal::Function> &outputs);

/// The tensor's name: given_name without the "_im" that Halide adds to the Func of an input buffer.
std::string tensor_name(const Halide::Internal::Function &f);

/// The parameter that the Func of an input buffer, or of a scalar, reads; undefined for every other Func.
Halide::Parameter input_of(const Halide::Internal::Function &f);

}  // namespace eutectic
