// c(j, i) += a(k, i) * b(j, k)   →   c(j, i) += p(j, k', t) * q(terms * k' + t, i) over t and k', t in the
// lanes of a vector: what Halide has instructions for. p holds b, q holds a.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/user_error.h"
#include "graph/read/narrow_product.h"
#include "graph/read/shared.h"
#include "schedules/calls/replace_calls.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

/** A factor's copy, and how the sum reads it. */
struct Copy {
    Func func;
    Expr read;
};

/** The summed variable, in turns of so many terms. */
struct Terms {
    Internal::ReductionVariable all;
    int each = 1;
    Expr turn, term;                        ///< of the new sum
    std::map<std::string, Expr> variables;  ///< of the old sum, in the new one

    bool fill_up() const {
        return !Internal::can_prove(all.extent % each == 0);
    }
    Expr turns() const {
        return Internal::simplify((all.extent + each - 1) / each);
    }
};

/** `factor` in elements of `type`, 0 beyond the last term; `apart`: with the terms of a turn along an
 * argument of their own. */
Copy copy_of(const std::string &name, const NarrowFactor &factor, Type type, const Terms &terms, bool apart) {
    std::vector<Var> args;
    std::vector<Expr> from, read;
    for (const Expr &arg : factor.load->args) {
        args.emplace_back("d" + std::to_string(args.size()));
        from.emplace_back(args.back());
        read.push_back(substitute_shared(terms.variables, arg));
    }
    const Var term("term");
    const size_t along = static_cast<size_t>(factor.dim);
    Expr index = apart ? args[along] * terms.each + term : Expr(args[along]);
    read[along] = apart ? terms.turn : terms.turn * terms.each + terms.term;
    index += terms.all.min;
    const Expr last = terms.all.min + max(terms.all.extent, 1) - 1;
    from[along] = terms.fill_up() ? min(likely(index), last) : index;
    ReplaceCalls elsewhere(factor.load->name, [&](const Internal::Call *load) {
        return Internal::Call::make(Internal::Function(load->func), from, load->value_index);
    });
    Expr value = cast(type, elsewhere.mutate(factor.value));
    if (terms.fill_up()) {
        value = select(likely(index <= last), value, cast(type, 0));
    }
    Copy copy{Func(name), Expr()};
    if (apart) {
        args.push_back(term);
        read.push_back(terms.term);
    }
    copy.func(args) = value;
    if (apart) {
        copy.func.bound_extent(term, terms.each);
    } else {
        // Rows of an odd number of elements: of even ones LLVM (21) would compute the addresses of several
        // rows in vectors, for each turn anew, and take them apart again: 49 instructions for 24
        // multiply-adds and additions instead of 36.
        copy.func.bound_storage(args[along], terms.turns() * terms.each + 1);
    }
    copy.read = copy.func(read);
    return copy;
}

/** `f`'s update with `value`'s reduction domain, as f.define_update() would make it, which a Func that others
 * read no longer allows. */
Internal::Definition added(const Internal::Function &f, const Expr &value) {
    std::vector<Var> args;
    for (const std::string &name : f.args()) {
        args.emplace_back(name);
    }
    Func made;
    made(args) = f.definition().values()[0];
    made(args) += value;
    Internal::FunctionPtr itself = f.get_contents();
    itself.weaken();  // a definition that kept its Func would never be freed
    ReplaceCalls back(made.name(), [&](const Internal::Call *load) {
        return Internal::Call::make(load->type, f.name(), load->args, Internal::Call::Halide, itself,
                                    load->value_index);
    });
    Internal::Definition result = made.function().update(0).get_copy();
    result.mutate(&back);
    return result;
}

/** The type of elements that instructions for so many terms take of a factor. */
Type element(const NarrowFactor &factor, int terms) {
    return terms == 2 ? Int(16) : factor.type;
}

/** The domain of `f`'s update with the variable that `terms` are of in turns, and last the terms of one. */
RDom in_turns(const Internal::Function &f, size_t variable, Terms &terms) {
    const std::vector<Internal::ReductionVariable> &rvars = f.update(0).schedule().rvars();
    Region region;
    for (const Internal::ReductionVariable &r : rvars) {
        region.emplace_back(r.min, r.extent);
    }
    region[variable] = {0, terms.turns()};
    region.emplace_back(0, terms.each);
    RDom domain(region, f.name() + "_terms");
    for (size_t r = 0; r < rvars.size(); r++) {
        terms.variables[rvars[r].var] = domain[static_cast<int>(r)];
    }
    terms.turn = domain[static_cast<int>(variable)];
    terms.term = domain[static_cast<int>(rvars.size())];
    return domain;
}

}  // namespace

Func sum_in_dots(Func c, Func packed, Func padded, int terms) {
    Internal::Function f = c.function();
    const std::optional<NarrowProduct> product = narrow_product(f);
    const auto reads = [](const NarrowFactor &factor, const Func &func) {
        return factor.load->name == func.name();
    };
    const bool first = product && reads(product->a, packed) && reads(product->b, padded);
    if (!first && !(product && reads(product->b, packed) && reads(product->a, padded))) {
        throw UserError(c.name() + " is not the sum of products of narrow integers that " + packed.name() +
                        " and " + padded.name() + " hold: leave it as it is.");
    }
    const NarrowFactor &p = first ? product->a : product->b, &q = first ? product->b : product->a;
    if (terms != 2 && (terms != 4 || p.type.bits() != 8 || q.type.bits() != 8)) {
        throw UserError("No instruction sums up " + std::to_string(terms) + " products of " + c.name() +
                        " at once: give 2, or 4 where both factors have 8 bits.");
    }
    Terms of{f.update(0).schedule().rvars()[product->variable], terms, {}, {}, {}};
    RDom domain = in_turns(f, product->variable, of);
    const Copy in_p = copy_of(c.name() + "_packed_terms", p, element(p, terms), of, true);
    const Copy in_q = copy_of(c.name() + "_padded_terms", q, element(q, terms), of, false);
    replace_updates(f, {added(f, cast<int32_t>(in_p.read) * cast<int32_t>(in_q.read))});
    Halide::Stage update = c.update(0);
    std::vector<VarOrRVar> inner_first = {domain[domain.dimensions() - 1]};
    for (int r = 0; r + 1 < domain.dimensions(); r++) {
        inner_first.emplace_back(domain[r]);
    }
    update.reorder(inner_first).atomic().vectorize(domain[domain.dimensions() - 1]);
    return in_p.func;
}

Func other_factor(Func c, Func packed) {
    std::optional<Func> other;
    const Expr sum = c.has_update_definition() ? c.update_value(0) : Expr(0);
    for_each_node(sum, [&](const Expr &node) {
        const auto *load = node.as<Internal::Call>();
        const bool factor = load && load->call_type == Internal::Call::Halide && load->name != c.name() &&
                            load->name != packed.name();
        if (factor) {
            other = Func(Internal::Function(load->func));
        }
        return true;
    });
    if (!other) {
        throw UserError(c.name() + " reads no factor beside " + packed.name() +
                        ": call sum_in_dots() first.");
    }
    return *other;
}

}  // namespace eutectic
