#include <map>
#include <optional>
#include <utility>

#include "base/user_error.h"
#include "graph/read/quotients.h"
#include "graph/read/shared.h"
#include "schedules/calls/replace_calls.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

/** An update, taken apart. */
struct Update {
    std::vector<Expr> args, values;
    Expr predicate;
    std::vector<Internal::ReductionVariable> rvars;
};

/** An argument floor((r + offset) / step) + shift, not more than high and not less than low where these are
 * defined. Terms that one point gets lie beside each other. */
struct Segments {
    size_t arg = 0;
    size_t r = 0;  ///< which of the reduction variables
    Expr offset = 0, shift = 0;
    Expr step = 1;
    Expr low, high;

    /** The argument at `r`. */
    Expr at(const Expr &variable) const {
        Expr place = (variable + offset) / step + shift;
        place = high.defined() ? min(place, high) : place;
        return low.defined() ? max(place, low) : place;
    }
};

bool is_constant_in_loops(const Expr &e) {
    return e.defined() && !varies(e);
}

/** What is added to `r` in `e`; undefined: e is no such sum. */
Expr added_to(const Expr &r, const Expr &e) {
    const Expr rest = Internal::simplify(e - r);
    return is_constant_in_loops(rest) ? rest : Expr();
}

class FindSegments {
public:
    explicit FindSegments(const Update &update) : update_(update) {
    }

    std::optional<Segments> run() const {
        for (size_t a = 0; a < update_.args.size(); a++) {
            const std::optional<size_t> r = only_variable(a);
            std::optional<Segments> found = r ? at(a, *r) : std::nullopt;
            if (found) {
                return found;
            }
        }
        return std::nullopt;
    }

private:
    const Update &update_;

    bool uses(const Expr &e, size_t r) const {
        return Internal::expr_uses_var(e, update_.rvars[r].var);
    }

    /** The reduction variable that alone changes argument `a`. */
    std::optional<size_t> only_variable(size_t a) const {
        std::optional<size_t> only;
        for (size_t r = 0; r < update_.rvars.size(); r++) {
            if (uses(update_.args[a], r)) {
                if (only) {
                    return std::nullopt;
                }
                only = r;
            }
        }
        return only;
    }

    std::optional<Segments> at(size_t arg, size_t r) const {
        Segments s;
        s.arg = arg;
        s.r = r;
        const Expr variable = Internal::Variable::make(Int(32), update_.rvars[r].var);
        Expr e = Internal::simplify(without_domains(without_lets(update_.args[arg])));
        for (Expr kept = bounded(e, r, s); kept.defined(); kept = bounded(e, r, s)) {
            e = kept;
        }
        for (const Expr &part : {e, first_operand(e)}) {
            const auto *quotient = part.defined() ? part.as<Internal::Div>() : nullptr;
            if (quotient && Internal::is_positive_const(quotient->b)) {
                s.step = quotient->b;
                s.shift = added_to(part, e);
                s.offset = added_to(variable, quotient->a);
                return s.shift.defined() && s.offset.defined() ? std::optional(s) : std::nullopt;
            }
        }
        s.offset = added_to(variable, e);
        const bool kept = s.low.defined() || s.high.defined();
        return kept && s.offset.defined() ? std::optional(s) : std::nullopt;
    }

    /** Of a sum or a difference. */
    static Expr first_operand(const Expr &e) {
        const auto *sum = e.as<Internal::Add>();
        const auto *difference = e.as<Internal::Sub>();
        return sum ? sum->a : difference ? difference->a : Expr();
    }

    /** What is kept above or below a bound, which becomes part of `s`; undefined where nothing is. Of
     * max(min(e, high), low) as of min(max(e, low), high) the bounds are told apart by their order alone:
     * low is high where it is more, as in the first of both. */
    Expr bounded(const Expr &e, size_t r, Segments &s) const {
        const auto *max = e.as<Internal::Max>();
        const auto *min = e.as<Internal::Min>();
        if (!max && !min) {
            return Expr();
        }
        const Expr a = max ? max->a : min->a, b = max ? max->b : min->b;
        const Expr &of = uses(a, r) ? a : b, &bound = uses(a, r) ? b : a;
        Expr &end = max ? s.low : s.high;
        if (!is_constant_in_loops(bound) || end.defined()) {
            return Expr();
        }
        // Whichever is outside decides where they contradict each other.
        Expr &other = max ? s.high : s.low;
        end = !other.defined() ? bound : max ? Halide::min(bound, other) : Halide::max(bound, other);
        return of;
    }

    static Expr without_domains(const Expr &e);
};

/** Variables by name alone, as comparisons and substitutions take them. */
class WithoutDomains : public Internal::IRGraphMutator {
protected:
    using IRGraphMutator::visit;

    Expr visit(const Internal::Variable *op) override {
        return op->reduction_domain.defined() ? Internal::Variable::make(op->type, op->name) : Expr(op);
    }
};

Expr FindSegments::without_domains(const Expr &e) {
    return WithoutDomains().mutate(e);
}

/** Variables of a domain, by name. */
class WithDomain : public Internal::IRGraphMutator {
public:
    explicit WithDomain(const std::vector<Internal::ReductionVariable> &rvars) : domain_(rvars) {
        for (const Internal::ReductionVariable &r : rvars) {
            names_.insert(r.var);
        }
    }
    const Internal::ReductionDomain &domain() const {
        return domain_;
    }

protected:
    using IRGraphMutator::visit;

    Expr visit(const Internal::Variable *op) override {
        return names_.count(op->name) > 0 ? Internal::Variable::make(op->type, op->name, domain_) : Expr(op);
    }

private:
    std::set<std::string> names_;
    Internal::ReductionDomain domain_;
};

/** Quotients of whole numbers, rounded up. */
Expr up(const Expr &a, const Expr &b) {
    return (a + b - 1) / b;
}

class Gather {
public:
    explicit Gather(Internal::Function f) : f_(std::move(f)) {
    }

    /** `update` in up to three parts, the whole segments of which are taken apart by their other arguments,
     * too. Each point of f is written in one of these parts alone, and in each its terms keep their order. */
    std::vector<Update> parts(const Update &update) const {
        const std::optional<Segments> found = FindSegments(update).run();
        if (!found) {
            return {update};
        }
        const Segments &s = *found;
        const Internal::ReductionVariable &r = update.rvars[s.r];
        const Expr end = r.min + r.extent;
        Expr first = up(r.min + s.offset, s.step),
             last = (end + s.offset) / s.step;  // as Halide rounds, down
        if (s.low.defined()) {
            first = max(first, s.low - s.shift + 1);
        }
        if (s.high.defined()) {
            last = min(last, s.high - s.shift);
        }
        first = Internal::simplify(first);
        const Expr count = Internal::simplify(max(last - first, 0));
        const Expr before = Internal::simplify(clamp(first * s.step - s.offset, r.min, max(r.min, end)));
        const Expr after = Internal::simplify(before + count * s.step);
        std::vector<Update> all;
        add_rest(update, s, r.min, Internal::simplify(before - r.min), all);
        // No segments lie where the first term does: what they would read and write is within what there is.
        const Expr point = Internal::simplify(select(count > 0, first + s.shift, s.at(r.min)));
        const std::vector<Update> whole = parts(segments(update, s, {point, before, count}));
        all.insert(all.end(), whole.begin(), whole.end());
        add_rest(update, s, after, Internal::simplify(max(end, r.min) - after), all);
        return all;
    }

    /** As f.define_update() would make it, which a Func that others read no longer allows. */
    Internal::Definition definition(const Update &update) const {
        std::vector<Var> args;
        for (const std::string &name : f_.args()) {
            args.emplace_back(name);
        }
        Func made;
        made(args) = Tuple(f_.definition().values());
        ReplaceCalls own(f_.name(), [&](const Internal::Call *load) {
            return Internal::Call::make(made.function(), load->args, load->value_index);
        });
        WithDomain with_domain(update.rvars);
        Internal::ReductionDomain domain = with_domain.domain();
        domain.set_predicate(with_domain.mutate(own.mutate(update.predicate)));
        made.function().define_update(with_domain.mutate(update.args),
                                      with_domain.mutate(own.mutate(update.values)), domain);
        Internal::FunctionPtr itself = f_.get_contents();
        itself.weaken();  // a definition that kept its Func would never be freed
        ReplaceCalls back(made.name(), [&](const Internal::Call *load) {
            return Internal::Call::make(load->type, f_.name(), load->args, Internal::Call::Halide, itself,
                                        load->value_index);
        });
        Internal::Definition result = made.function().update(0).get_copy();
        result.mutate(&back);
        return result;
    }

private:
    Internal::Function f_;

    /** The terms from `min` on, as they are. */
    static void add_rest(const Update &update, const Segments &s, const Expr &min, const Expr &extent,
                         std::vector<Update> &all) {
        if (Internal::is_const_zero(extent)) {
            return;
        }
        Update rest = update;
        rest.rvars[s.r].min = min;
        rest.rvars[s.r].extent = extent;
        all.push_back(std::move(rest));
    }

    /** So many segments, each of them one point. */
    struct Range {
        Expr point, term, count;  ///< the first point, and its first term
    };
    Update segments(const Update &update, const Segments &s, const Range &range) const {
        Update whole = update;
        const std::string name = whole.rvars[s.r].var, segment = name + "_segment";
        const Expr point = Internal::Variable::make(Int(32), segment);
        Expr term = range.term + (point - range.point) * s.step;
        whole.rvars[s.r] = {segment, range.point, range.count};
        if (!Internal::is_const_one(s.step)) {
            term += Internal::Variable::make(Int(32), name);
            whole.rvars.insert(whole.rvars.begin() + static_cast<std::ptrdiff_t>(s.r), {name, 0, s.step});
        }
        const std::map<std::string, Expr> at = {{name, Internal::simplify(term)}};
        for (Expr &arg : whole.args) {
            arg = substitute_shared(at, arg);
        }
        whole.args[s.arg] = point;
        ReplaceCalls own(f_.name(), [&](const Internal::Call *load) {
            return Internal::Call::make(f_, whole.args, load->value_index);
        });
        for (Expr &value : whole.values) {
            value = own.mutate(substitute_shared(at, value));
        }
        whole.predicate = own.mutate(substitute_shared(at, whole.predicate));
        return whole;
    }
};

Update taken_apart(const Internal::Definition &update) {
    WithoutDomains plain;
    return {plain.mutate(update.args()), plain.mutate(update.values()), plain.mutate(update.predicate()),
            update.schedule().rvars()};
}

}  // namespace

bool adds_known_segments(const Internal::Function &f, int update) {
    return FindSegments(taken_apart(f.updates().at(static_cast<size_t>(update)))).run().has_value();
}

void gather_segments(Pipeline pipeline, const std::vector<std::pair<int, int>> &scatters) {
    std::map<int, std::set<int>> updates;
    for (const auto &[index, update] : scatters) {
        const Func f = pipeline.get_func(index);
        if (update < 0 || update >= f.num_update_definitions() ||
            !adds_known_segments(f.function(), update)) {
            throw UserError("Segments of update " + std::to_string(update) + " of " + f.name() +
                            " were to be gathered, but it has no argument such as r / 2 or clamp(r, 0, 9) "
                            "that one reduction variable alone changes: leave it out.");
        }
        updates[index].insert(update);
    }
    for (const auto &[index, gathered] : updates) {
        Internal::Function f = pipeline.get_func(index).function();
        const Gather gather(f);
        std::vector<Internal::Definition> all;
        for (size_t u = 0; u < f.updates().size(); u++) {
            if (gathered.count(static_cast<int>(u)) == 0) {
                all.push_back(f.updates()[u]);
                continue;
            }
            for (const Update &part : gather.parts(taken_apart(f.updates()[u]))) {
                all.push_back(gather.definition(part));
            }
        }
        replace_updates(f, std::move(all));
    }
}

}  // namespace eutectic
