#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "Halide.h"

namespace eutectic {

// Expressions share their parts: `for (24 times) e = e * a + e * b` is 72 operations, and 2^24 paths through
// them. What is here meets each node once. Halide's simplify(), substitute() and equal() walk every path;
// IRGraphVisitor, IRGraphMutator and graph_equal() do not.

/** Calls `visit` for `e` and every node below it, each once, an operation before its operands and these from
 *  left to right. What `visit` returns false for is not entered. */
void for_each_node(const Halide::Expr &e, const std::function<bool(const Halide::Expr &)> &visit);

/** `e` with its lets written out, which Halide keeps in definitions for what is shared: what they name is
 *  shared in the result. In linear time, unlike substitute_in_all_lets(). */
Halide::Expr without_lets(const Halide::Expr &e);

/** Has `e` so few nodes, as the tree that it looks like, that every path may be walked? */
bool is_small(const Halide::Expr &e);

/** `e`, or with lets for what it shares where it would be much larger without them: for what walks every
 *  path. Halide's common subexpression elimination makes them, in the square of the size. */
Halide::Expr with_lets(const Halide::Expr &e);

/** simplify(); what is shared stays shared. */
Halide::Expr simplify_shared(const Halide::Expr &e);

/** substitute(); what is shared stays shared. */
Halide::Expr substitute_shared(const std::map<std::string, Halide::Expr> &by, const Halide::Expr &e);

/** `e` with the value of each Func that it reads in place of the loads, where that is one constant at all
 *  points: inlined, it reads nothing, and what its indices read, nobody does. */
Halide::Expr with_constant_funcs(const Halide::Expr &e);

/** Runs `action` on the stack that Halide compiles with (32 MiB unless it is told otherwise): its simplifier
 *  recurses, and ten thousand terms are more than the usual 8 MiB hold. */
void on_large_stack(const std::function<void()> &action);

/** Does an expression have a node with a property? Each node is asked once over all calls. */
class Contains {
public:
    explicit Contains(std::function<bool(const Halide::Expr &)> property);
    bool operator()(const Halide::Expr &e);

private:
    struct Answer {
        Halide::Expr node;  // keeps the address taken
        bool found;
    };
    const std::function<bool(const Halide::Expr &)> property_;
    std::unordered_map<const Halide::Internal::IRNode *, Answer> known_;
};

/** Does an expression use the variable `name`? (expr_uses_var() takes a call of a Func with that name for it,
 *  too.) */
Contains uses_variable(const std::string &name);

/** Numbers for values: equal expressions have the same, whether they share nodes or were written twice. */
class ValueNumbers {
public:
    int operator()(const Halide::Expr &e);

private:
    struct Numbered {
        Halide::Expr node;
        int number;
    };
    std::unordered_map<const Halide::Internal::IRNode *, Numbered> known_;
    // By what a node is itself, and the numbers of its operands.
    std::map<std::pair<std::string, std::vector<int>>, int> numbers_;
};

}  // namespace eutectic
