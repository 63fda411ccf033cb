// c(j, i) += i32(a(k, i)) * i32(b(j, k))   →   c(j, i) += dot(p(j, k', 0 .. terms), q(terms * k' + 0 ..
// terms, i)), where p holds b, q holds a, and an instruction sums up the products of a turn
//
// Policies ask for it in register tiles. Integers: the same values.

#include "graph/data/narrow_factors.h"
#include "graph/read/narrow_product.h"
#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic {

using namespace Halide;

namespace {

NarrowFactorOf factor_of(const NarrowFactor &factor, const DefinitionContext &d) {
    NarrowFactorOf result;
    result.func = d.bodies.id_of(factor.load->name);
    result.access = d.bodies.access(factor.load->args, d.stage);
    result.dim = DimId(factor.dim);
    result.bits = factor.type.bits();
    result.sign = factor.type.is_int();
    result.body = d.bodies.work(factor.value);
    return result;
}

/** Makes the copy with the terms of a turn apart, and has the sum read both. */
class PackedTerms : public MadeRewrite {
public:
    const char *name() const override {
        return "packed_terms";
    }

    std::shared_ptr<const Pattern> find(const DefinitionContext &d) const override {
        const std::optional<NarrowProduct> product = d.stage.update >= 0 ? narrow_product(d.f) : std::nullopt;
        if (!product) {
            return nullptr;
        }
        auto found = std::make_shared<NarrowFactors>(*this);
        found->a = factor_of(product->a, d);
        found->b = factor_of(product->b, d);
        found->sum = DimId(d.f.dimensions() + static_cast<int>(product->variable));
        return found;
    }

    const char *function() const override {
        return "sum_in_dots";
    }
    bool takes_size() const override {
        return true;
    }
    Func make(const RewriteArguments &a) const override {
        return sum_in_dots(a.func, a.others.at(0), a.others.at(1), a.size);
    }
};

/** The other copy, which that has made, too. */
class PaddedTerms : public MadeRewrite {
public:
    const char *name() const override {
        return "padded_terms";
    }
    const char *function() const override {
        return "other_factor";
    }
    Func make(const RewriteArguments &a) const override {
        return other_factor(a.func, a.others.at(0));
    }
};

}  // namespace

const MadeRewrite &packed_terms() {
    static const PackedTerms rewrite;
    return rewrite;
}

const MadeRewrite &padded_terms() {
    static const PaddedTerms rewrite;
    return rewrite;
}

}  // namespace eutectic
