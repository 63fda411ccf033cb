#include "graph/read/shared.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <set>

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** IRGraphVisitor hands each operand to include(), which only notes it here. */
class Operands : public IRGraphVisitor {
public:
    const std::vector<const Expr *> &of(const Expr &e) {
        all_.clear();
        e.accept(this);
        return all_;
    }

private:
    std::vector<const Expr *> all_;

    void include(const Expr &e) override {
        if (e.defined()) {
            all_.push_back(&e);
        }
    }
};

/** A set of addresses in one piece of memory: most expressions are small, and are walked often. */
class Addresses {
public:
    /** Was it not there yet? */
    bool insert(const IRNode *node) {
        if (2 * ++insertions_ > slots_.size()) {
            std::vector<const IRNode *> old(2 * slots_.size(), nullptr);
            old.swap(slots_);
            for (const IRNode *o : old) {
                if (o) {
                    slot(o) = o;
                }
            }
        }
        const IRNode *&at = slot(node);
        const bool added = at == nullptr;
        at = node;
        return added;
    }

private:
    std::vector<const IRNode *> slots_ = std::vector<const IRNode *>(128, nullptr);  // a power of two of them
    size_t insertions_ = 0;

    /** Where `node` is, or is to be. */
    const IRNode *&slot(const IRNode *node) {
        const size_t mask = slots_.size() - 1;
        size_t at = (reinterpret_cast<uintptr_t>(node) >> 4) * 0x9E3779B97F4A7C15u >> 20 & mask;
        while (slots_[at] && slots_[at] != node) {
            at = (at + 1) & mask;
        }
        return slots_[at];
    }
};

/** Nodes of `e` as a tree, up to `limit` + 1 of them. */
size_t nodes_as_tree(const Expr &e, size_t limit) {
    Operands operands;
    size_t nodes = 0;
    for (std::vector<const Expr *> open{&e}; !open.empty() && nodes <= limit; nodes++) {
        const Expr &node = *open.back();
        open.pop_back();
        const std::vector<const Expr *> &below = operands.of(node);
        open.insert(open.end(), below.begin(), below.end());
    }
    return nodes;
}

/** Nodes of `e`, each counted once. */
size_t nodes_as_graph(const Expr &e) {
    size_t nodes = 0;
    for_each_node(e, [&](const Expr &) {
        nodes++;
        return true;
    });
    return nodes;
}

/** Calls `add` for `e` and each node below it, with its operands and after them; not for what is `known`. */
template<typename Known, typename Add>
void operands_first(const Expr &e, const Known &known, const Add &add) {
    Operands operands;
    std::vector<std::pair<const Expr *, bool>> open{{&e, false}};  // and whether its operands are done
    while (!open.empty()) {
        const auto [node, entered] = open.back();
        open.pop_back();
        if (known(*node)) {
            continue;
        }
        const std::vector<const Expr *> &below = operands.of(*node);
        if (entered || below.empty()) {
            add(*node, below);
            continue;
        }
        open.emplace_back(node, true);
        for (const Expr *o : below) {
            open.emplace_back(o, false);
        }
    }
}

/** Writes `values` for variables. Right for lets where no name is bound twice. */
class Write : public IRGraphMutator {
public:
    explicit Write(std::map<std::string, Expr> values) : values_(std::move(values)) {
    }

private:
    std::map<std::string, Expr> values_;
    using IRGraphMutator::visit;

    Expr visit(const Variable *op) override {
        const auto value = values_.find(op->name);
        return value == values_.end() ? Expr(op) : value->second;
    }

    /** In a loop: definitions of thousands of shared parts are as many lets, one in the other. */
    Expr visit(const Let *op) override {
        Expr rest;
        for (const Let *let = op; let; let = rest.as<Let>()) {
            values_[let->name] = mutate(let->value);
            rest = let->body;
        }
        return mutate(rest);
    }
};

}  // namespace

void for_each_node(const Expr &e, const std::function<bool(const Expr &)> &visit) {
    Operands operands;
    Addresses met;
    for (std::vector<const Expr *> open{&e}; !open.empty();) {
        const Expr &node = *open.back();
        open.pop_back();
        if (!node.defined() || !met.insert(node.get()) || !visit(node)) {
            continue;
        }
        const std::vector<const Expr *> &below = operands.of(node);
        open.insert(open.end(), below.rbegin(), below.rend());
    }
}

Expr without_lets(const Expr &e) {
    std::set<std::string> names;
    bool lets = false, again = false;
    for_each_node(e, [&](const Expr &node) {
        if (const Let *let = node.as<Let>()) {
            lets = true;
            again = again || !names.insert(let->name).second;
        }
        return true;
    });
    return again ? substitute_in_all_lets(e) : lets ? Write({}).mutate(e) : e;
}

namespace {

constexpr size_t few = 1000;  // nodes that take no time, however often some of them are met

}  // namespace

bool is_small(const Expr &e) {
    return nodes_as_tree(e, few) <= few;
}

Expr with_lets(const Expr &e) {
    constexpr size_t often = 8;  // how often each node may be met before lets are worth having
    if (!e.defined() || is_small(e)) {
        return e;
    }
    const size_t many = often * nodes_as_graph(e);
    return nodes_as_tree(e, many) <= many ? e : common_subexpression_elimination(e);
}

Expr simplify_shared(const Expr &e) {
    const Expr tree = with_lets(e);
    return tree.same_as(e) ? simplify(e) : without_lets(simplify(tree));
}

Expr substitute_shared(const std::map<std::string, Expr> &by, const Expr &e) {
    return Write(by).mutate(without_lets(e));
}

Expr with_constant_funcs(const Expr &e) {
    class Constants : public IRGraphMutator {
        using IRGraphMutator::visit;
        Expr visit(const Call *op) override {
            if (op->call_type == Call::Halide && op->func.defined()) {
                const Function f(op->func);
                const bool is_pure =
                    f.has_pure_definition() && !f.has_extern_definition() && f.updates().empty();
                const Expr value = is_pure ? without_lets(f.values()[op->value_index]) : Expr();
                if (value.defined() && is_const(value)) {
                    return value;
                }
            }
            return IRGraphMutator::visit(op);
        }
    };
    return Constants().mutate(e);
}

void on_large_stack(const std::function<void()> &action) {
    std::exception_ptr error;  // may not leave the stack that it was thrown on
    run_with_large_stack([&] {
        try {
            action();
        } catch (...) {
            error = std::current_exception();
        }
    });
    if (error) {
        std::rethrow_exception(error);
    }
}

Contains::Contains(std::function<bool(const Expr &)> property) : property_(std::move(property)) {
}

bool Contains::operator()(const Expr &e) {
    const auto known = [&](const Expr &node) { return known_.count(node.get()) > 0; };
    operands_first(e, known, [&](const Expr &node, const std::vector<const Expr *> &below) {
        const auto found = [&](const Expr *operand) { return known_.at(operand->get()).found; };
        const bool in_operands = std::any_of(below.begin(), below.end(), found);
        known_.emplace(node.get(), Answer{node, in_operands || property_(node)});
    });
    return known_.at(e.get()).found;
}

Contains uses_variable(const std::string &name) {
    return Contains([name](const Expr &e) {
        const Variable *v = e.as<Variable>();
        return v && v->name == name;
    });
}

namespace {

/** What a node is, but for its operands; empty for a kind of node that is equal only to itself. */
std::string own_text(const Expr &e) {
    std::string text;
    const auto put = [&](const auto &number) {
        text.append(reinterpret_cast<const char *>(&number), sizeof(number));
    };
    put(static_cast<int32_t>(e.node_type()));
    put(static_cast<int32_t>(e.type().code()));
    put(static_cast<int32_t>(e.type().bits()));
    put(static_cast<int32_t>(e.type().lanes()));
    switch (e.node_type()) {
    case IRNodeType::IntImm: put(e.as<IntImm>()->value); return text;
    case IRNodeType::UIntImm: put(e.as<UIntImm>()->value); return text;
    case IRNodeType::FloatImm: put(e.as<FloatImm>()->value); return text;
    case IRNodeType::StringImm: return text + e.as<StringImm>()->value;
    case IRNodeType::Variable: return text + e.as<Variable>()->name;
    case IRNodeType::Call:
        put(static_cast<int32_t>(e.as<Call>()->call_type));
        put(static_cast<int32_t>(e.as<Call>()->value_index));
        return text + e.as<Call>()->name;
    case IRNodeType::Load:
    case IRNodeType::Ramp:
    case IRNodeType::Broadcast:
    case IRNodeType::Let:
    case IRNodeType::Shuffle:
    case IRNodeType::VectorReduce: return "";
    default: return text;
    }
}

}  // namespace

int ValueNumbers::operator()(const Expr &e) {
    const auto known = [&](const Expr &node) { return known_.count(node.get()) > 0; };
    operands_first(e, known, [&](const Expr &node, const std::vector<const Expr *> &below) {
        std::vector<int> of_operands;
        for (const Expr *o : below) {
            of_operands.push_back(known_.at(o->get()).number);
        }
        std::string text = own_text(node);
        if (text.empty()) {
            text = "node " + std::to_string(known_.size());
        }
        const int next = static_cast<int>(numbers_.size());
        const int number = numbers_.emplace(std::make_pair(text, of_operands), next).first->second;
        known_.emplace(node.get(), Numbered{node, number});
    });
    return known_.at(e.get()).number;
}

}  // namespace eutectic
