#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/user_error.h"
#include "graph/read/shared.h"
#include "schedules/calls/associative_operation.h"
#include "schedules/calls/replace_calls.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

/** f(…, r, …) = op(f(…, r - 1, …), term), or factor * f(…, r - 1, …) + term, taken apart. */
struct Scan {
    size_t along = 0;  ///< the argument that r goes along
    Internal::ReductionVariable r;
    Expr term;                           ///< may read f(…, r, …)
    std::function<Expr(Expr, Expr)> op;  ///< of what came before (times the factor), and a term
    Expr neutral;
    Expr factor = {};  ///< not defined: there is none

    Expr next(const Expr &before, const Expr &factor_here, const Expr &term_here) const {
        return op(factor.defined() ? factor_here * before : before, term_here);
    }
};

/** factor * x + rest. */
struct Linear {
    Expr factor, rest;
};

/** `e` as a linear function of what `is_x`; nothing where it is none. */
std::optional<Linear> linear_in(const Expr &e, const std::function<bool(const Expr &)> &is_x) {
    if (is_x(e)) {
        return Linear{Internal::make_one(e.type()), Internal::make_zero(e.type())};
    }
    bool any = false;
    for_each_node(e, [&](const Expr &inner) {
        any = any || is_x(inner);
        return !any;
    });
    if (!any) {
        return Linear{Internal::make_zero(e.type()), e};
    }
    const auto of = [&](const Expr &operand) { return linear_in(operand, is_x); };
    if (const auto *sum = e.as<Internal::Add>()) {
        const std::optional<Linear> a = of(sum->a), b = of(sum->b);
        return a && b ? std::optional(Linear{a->factor + b->factor, a->rest + b->rest}) : std::nullopt;
    }
    if (const auto *difference = e.as<Internal::Sub>()) {
        const std::optional<Linear> a = of(difference->a), b = of(difference->b);
        return a && b ? std::optional(Linear{a->factor - b->factor, a->rest - b->rest}) : std::nullopt;
    }
    if (const auto *product = e.as<Internal::Mul>()) {
        const std::optional<Linear> a = of(product->a), b = of(product->b);
        const bool first = b && Internal::is_const_zero(b->factor);
        const std::optional<Linear> &x = first ? a : b;
        const Expr by = first ? product->b : product->a;
        const bool one = first || (a && Internal::is_const_zero(a->factor));
        return one && x ? std::optional(Linear{x->factor * by, x->rest * by}) : std::nullopt;
    }
    const auto *quotient = e.as<Internal::Div>();
    const std::optional<Linear> a = quotient && e.type().is_float() ? of(quotient->a) : std::nullopt;
    const std::optional<Linear> b = a ? of(quotient->b) : std::nullopt;
    return b && Internal::is_const_zero(b->factor)
               ? std::optional(Linear{a->factor / quotient->b, a->rest / quotient->b})
               : std::nullopt;
}

class FindScan {
public:
    explicit FindScan(const Internal::Function &f) : f_(f), update_(f.update(0)) {
    }

    std::optional<Scan> run() const {
        const std::vector<Internal::ReductionVariable> &rvars = update_.schedule().rvars();
        if (rvars.size() != 1 || !Internal::is_const_one(update_.predicate())) {
            return std::nullopt;
        }
        Scan scan;
        scan.r = rvars.front();
        size_t found = 0;
        for (size_t a = 0; a < update_.args().size(); a++) {
            const auto *v = update_.args()[a].as<Internal::Variable>();
            if (v && v->name == scan.r.var) {
                scan.along = a;
                found++;
            } else if (!v || v->name != f_.args()[a]) {
                return std::nullopt;
            }
        }
        const Expr value = without_lets(update_.values().front());
        const bool known =
            found == 1 && is_small(value) && (find_operation(value, scan) || find_factor(value, scan));
        return known ? std::optional(scan) : std::nullopt;
    }

private:
    const Internal::Function &f_;
    const Internal::Definition &update_;

    bool find_operation(const Expr &value, Scan &scan) const {
        const std::optional<AssociativeOperation> of = associative_operation(value);
        const bool first = of && is_previous(of->a, scan), second = of && is_previous(of->b, scan);
        if (first == second) {
            return false;
        }
        scan.term = first ? of->b : of->a;
        scan.op = of->make;
        scan.neutral = of->neutral;
        return reads_own_point(scan.term);
    }

    /** Numbers wrap in the same way in any order. */
    bool find_factor(const Expr &value, Scan &scan) const {
        const Type type = value.type();
        const std::optional<Linear> of =
            linear_in(value, [&](const Expr &e) { return is_previous(e, scan); });
        if (!of || Internal::is_const_zero(of->factor) || type.is_bool()) {
            return false;
        }
        scan.factor = Internal::simplify(of->factor);
        scan.term = Internal::simplify(of->rest);
        scan.op = [](Expr a, Expr b) { return std::move(a) + std::move(b); };
        scan.neutral = Internal::make_zero(type);
        return reads_own_point(scan.term) && reads_own_point(scan.factor);
    }

    const Internal::Call *self(const Expr &e) const {
        const auto *call = e.as<Internal::Call>();
        return call && call->call_type == Internal::Call::Halide && call->name == f_.name() ? call : nullptr;
    }

    /** Is it f(…, r - 1, …)? */
    bool is_previous(const Expr &e, const Scan &scan) const {
        const Internal::Call *call = self(e);
        for (size_t a = 0; call && a < call->args.size(); a++) {
            const Expr back = a == scan.along ? update_.args()[a] - 1 : update_.args()[a];
            if (!Internal::is_const_zero(Internal::simplify(call->args[a] - back))) {
                return false;
            }
        }
        return call;
    }

    /** Are all its loads of f of the point that is written? */
    bool reads_own_point(const Expr &term) const {
        bool own = true;
        for_each_node(term, [&](const Expr &e) {
            const Internal::Call *call = self(e);
            for (size_t a = 0; call && a < call->args.size(); a++) {
                own = own && Internal::equal(call->args[a], update_.args()[a]);
            }
            return own;
        });
        return own;
    }
};

/** The scan begins with the point before r's first, which only starts it. Pieces lie between multiples of
 * their size, so that a vector of f's points is in one of them. */
class CutScan {
public:
    CutScan(const Func &f, Scan scan, int points)
        : f_(f.function()),
          scan_(std::move(scan)),
          points_(points),
          first_(scan_.r.min - 1),
          last_(first_ + scan_.r.extent),
          piece_(new_name(f)),
          partial_(f.name() + "_pieces"),
          carried_(f.name() + "_carried"),
          factors_(f.name() + "_factors"),
          args_(f.args()),
          start_(f_.definition().values().front()) {
    }

    /** Returns the names of the Funcs that go along each piece. */
    std::vector<std::string> make() {
        if (scan_.factor.defined()) {
            multiply_along_pieces();
        }
        go_along_pieces();
        carry();
        const Var &x = args_[scan_.along];
        const Expr at = clamp(likely(x), first_, last_);
        const Expr scanned =
            scan_.next(carried_(carried_at(at / points_)), factors_until(at % points_, at / points_),
                       partial_(partial_at(at % points_, at / points_)));
        f_.definition().values().front() = select(likely(x >= first_ && x <= last_), scanned, start_);
        drop_updates(f_);
        return scan_.factor.defined() ? std::vector{partial_.name(), factors_.name()}
                                      : std::vector{partial_.name()};
    }

private:
    Internal::Function f_;
    Scan scan_;
    int points_;
    Expr first_, last_;
    Var piece_;
    Func partial_, carried_;
    Func factors_;            // of each piece: those of its points up to one, multiplied
    std::vector<Var> apart_;  // arguments of f that factors differ for, but that along which f goes
    bool differ_ = false;     // they do along that, too
    std::vector<Var> args_;
    Expr start_;  // f's pure definition

    class ReplaceStarts : public ReplaceCalls {
    public:
        ReplaceStarts(const std::string &f, Expr by)
            : ReplaceCalls(f, [by = std::move(by)](const Internal::Call *) { return by; }) {
        }
    };

    /** What is cut again has pieces already. */
    static std::string new_name(const Func &f) {
        std::string name = "piece";
        const std::vector<Var> args = f.args();
        while (std::any_of(args.begin(), args.end(), [&](const Var &v) { return v.name() == name; })) {
            name = "piece_of_" + name;
        }
        return name;
    }

    std::vector<Expr> partial_at(const Expr &point, const Expr &piece) const {
        std::vector<Expr> all(args_.begin(), args_.end());
        all[scan_.along] = point;
        all.push_back(piece);
        return all;
    }
    std::vector<Expr> carried_at(const Expr &piece) const {
        std::vector<Expr> all(args_.begin(), args_.end());
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(scan_.along));
        all.push_back(piece);
        return all;
    }

    Expr start_at(const Expr &x) const {
        return substitute_shared({{args_[scan_.along].name(), x}}, start_);
    }
    /** `e` of the point x, before the scan. */
    Expr at_start(const Expr &e, const Expr &x) const {
        ReplaceStarts starts(f_.name(), start_at(x));
        return substitute_shared({{scan_.r.var, x}}, starts.mutate(e));
    }
    Expr within(const Expr &at) const {
        return clamp(at, min(scan_.r.min, last_), last_);
    }

    std::vector<Expr> factors_at(const Expr &point, const Expr &piece) const {
        std::vector<Expr> all(apart_.begin(), apart_.end());
        all.insert(all.begin(), point);
        if (differ_) {
            all.push_back(piece);
        }
        return all;
    }
    /** All factors of a piece up to that of `point`; not defined: there are none. */
    Expr factors_until(const Expr &point, const Expr &piece) const {
        return scan_.factor.defined() ? Expr(factors_(factors_at(point, piece))) : Expr();
    }

    /** Where the scan starts nothing comes before, whatever it would be multiplied by. */
    void multiply_along_pieces() {
        const Var &x = args_[scan_.along];
        const Expr factor = at_start(scan_.factor, within(piece_ * points_ + x));
        for (const Var &arg : args_) {
            if (arg.name() != x.name() && uses_variable(arg.name())(factor)) {
                apart_.push_back(arg);
            }
        }
        differ_ = uses_variable(x.name())(factor);
        factors_(factors_at(x, piece_)) = factor;
        const RDom inside(1, points_ - 1);
        factors_(factors_at(inside, piece_)) *= factors_(factors_at(inside - 1, piece_));
    }

    /** What each piece comes to on its own: terms, but where the scan starts. (Before that and behind the
     * last point they are those of the nearest: nobody reads what they come to.) */
    void go_along_pieces() {
        const Var &x = args_[scan_.along];
        const Expr at = piece_ * points_ + x;
        partial_(partial_at(x, piece_)) =
            select(at <= first_, start_at(first_), at_start(scan_.term, within(at)));
        const RDom inside(1, points_ - 1);
        const Expr own = partial_(partial_at(inside, piece_));
        const Expr here =
            scan_.factor.defined() ? at_start(scan_.factor, within(piece_ * points_ + inside)) : Expr();
        const Expr next = scan_.next(partial_(partial_at(inside - 1, piece_)), here, own);
        const bool starts_piece = Internal::is_const_zero(Internal::simplify(first_ % points_));
        partial_(partial_at(inside, piece_)) =
            starts_piece ? next : select(piece_ * points_ + inside > first_, next, own);
    }

    /** What comes before each piece. */
    void carry() {
        carried_(carried_at(piece_)) = scan_.neutral;
        const RDom before(first_ / points_ + 1, last_ / points_ - first_ / points_);
        carried_(carried_at(before)) =
            scan_.next(carried_(carried_at(before - 1)), factors_until(points_ - 1, before - 1),
                       partial_(partial_at(points_ - 1, before - 1)));
    }
};

std::optional<Scan> scan_of(const Internal::Function &f) {
    const bool one = f.updates().size() == 1 && f.outputs() == 1 && !f.has_extern_definition();
    return one ? FindScan(f).run() : std::nullopt;
}

}  // namespace

std::optional<CuttableScan> cuttable_scan(const Internal::Function &f) {
    const std::optional<Scan> scan = scan_of(f);
    return scan ? std::optional(CuttableScan{static_cast<int>(scan->along), scan->factor.defined()})
                : std::nullopt;
}

std::vector<std::string> cut_scans(Pipeline pipeline, const std::vector<std::pair<int, int>> &scans) {
    std::vector<std::pair<Func, Scan>>
        found;  // all before the first change, which adds to what get_func() counts
    for (const auto &[index, points] : scans) {
        const Func f = pipeline.get_func(index);
        const std::optional<Scan> scan = scan_of(f.function());
        if (!scan || points < 2) {
            throw UserError(
                f.name() + " was to be scanned in pieces of " + std::to_string(points) + " points, but " +
                (scan ? "a piece has two or more."
                      : "it is no scan f(r) = f(r - 1) + ... by an associative operation, nor c * f(r "
                        "- 1) + ...: leave it out."));
        }
        found.emplace_back(f, *scan);
    }
    std::vector<std::string> made;
    for (size_t s = 0; s < scans.size(); s++) {
        const std::vector<std::string> names =
            CutScan(found[s].first, found[s].second, scans[s].second).make();
        made.insert(made.end(), names.begin(), names.end());
    }
    return made;
}

}  // namespace eutectic
