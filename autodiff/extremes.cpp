#include "autodiff/extremes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// What is neither a sum nor an extreme, by its text.
using Atoms = std::map<std::string, Expr>;

bool is_extent(const Expr &atom) {
    const Variable *v = atom.as<Variable>();
    return v && v->param.defined() && v->param.is_buffer() && v->name.find(".extent.") != std::string::npos;
}

struct Linear {
    std::int64_t constant = 0;
    std::map<std::string, std::int64_t> factors;  // none is 0

    void add(const Linear &other, std::int64_t times) {
        constant += times * other.constant;
        for (const auto &[atom, factor] : other.factors) {
            factors[atom] += times * factor;
            if (factors[atom] == 0) {
                factors.erase(atom);
            }
        }
    }
    bool operator<(const Linear &other) const {
        return std::tie(factors, constant) < std::tie(other.factors, other.constant);
    }
};

// The least, or in a `Form` the greatest, of what it holds.
using Clause = std::vector<Linear>;
using Form = std::vector<Clause>;

// Forms of more terms are left as they are: regions of a chain of layers have up to a dozen.
constexpr size_t most_terms = 256;

class Forms {
public:
    // The maximum of minima that e is; nothing when it has too many terms, or numbers too large for an index.
    std::optional<Form> of(const Expr &e) {
        if (const Min *op = e.as<Min>()) {
            extremes_++;
            return combine(of(op->a), of(op->b), &Forms::least);
        }
        if (const Max *op = e.as<Max>()) {
            extremes_++;
            return combine(of(op->a), of(op->b), &Forms::greatest);
        }
        if (const Add *op = e.as<Add>()) {
            return combine(of(op->a), of(op->b), &Forms::sum);
        }
        if (const Sub *op = e.as<Sub>()) {
            return combine(of(op->a), times(of(op->b), -1), &Forms::sum);
        }
        if (const Mul *op = e.as<Mul>()) {
            const auto left = as_const_int(op->a), right = as_const_int(op->b);
            if (left || right) {
                return times(of(right ? op->a : op->b), right ? *right : *left);
            }
        }
        return Form{{linear(e)}};
    }
    // -form, as a maximum of minima again.
    std::optional<Form> negative(const Form &form) const {
        std::optional<Form> result;
        for (size_t c = 0; c < form.size() && (c == 0 || result); c++) {
            Form turned;
            for (const Linear &term : form[c]) {
                turned.push_back({Linear()});
                turned.back()[0].add(term, -1);
            }
            result = c == 0 ? shortest(turned) : combine(result, shortest(turned), &Forms::least);
        }
        return result;
    }
    bool is_at_most(const Form &a, const Form &b) const {
        return std::all_of(a.begin(), a.end(), [&](const Clause &x) {
            return std::any_of(b.begin(), b.end(), [&](const Clause &y) { return is_at_most(x, y); });
        });
    }
    // `turned`: the form is that of the negative.
    Expr as_expr(const Form &form, bool turned) const {
        Expr result;
        for (const Clause &clause : form) {
            Expr inner;
            for (const Linear &term : clause) {
                const Expr e = as_expr(term, turned ? -1 : 1);
                inner = !inner.defined() ? e : (turned ? max(inner, e) : min(inner, e));
            }
            result = !result.defined() ? inner : (turned ? min(result, inner) : max(result, inner));
        }
        return result;
    }
    /// Of minima and maxima in what was read, as written out.
    size_t extremes() const {
        return extremes_;
    }

private:
    using Combination = Form (Forms::*)(const Form &, const Form &) const;

    std::optional<Form> combine(const std::optional<Form> &a, const std::optional<Form> &b,
                                Combination how) const {
        if (!a || !b || a->size() * b->size() > most_terms) {
            return std::nullopt;
        }
        return within_limits((this->*how)(*a, *b));
    }
    static std::optional<Form> within_limits(Form form) {
        size_t terms = 0;
        for (const Clause &clause : form) {
            terms += clause.size();
            for (const Linear &term : clause) {
                if (std::abs(term.constant) > INT32_MAX) {
                    return std::nullopt;
                }
            }
        }
        return terms > most_terms ? std::nullopt : std::optional(std::move(form));
    }

    Linear linear(const Expr &e) {
        Linear term;
        if (const auto constant = as_const_int(e)) {
            term.constant = *constant;
            return term;
        }
        std::ostringstream text;
        text << e;
        term.factors[text.str()] = 1;
        atoms_.emplace(text.str(), e);
        return term;
    }

    std::optional<Form> times(const std::optional<Form> &form, std::int64_t factor) const {
        if (!form || std::abs(factor) > INT32_MAX) {
            return std::nullopt;
        }
        Form result = *form;
        for (Clause &clause : result) {
            for (Linear &term : clause) {
                Linear scaled;
                if (factor != 0) {
                    scaled.add(term, std::abs(factor));
                }
                term = scaled;
            }
        }
        return factor < 0 ? negative(result) : within_limits(shortest(result));
    }
    Form greatest(const Form &a, const Form &b) const {
        Form both = a;
        both.insert(both.end(), b.begin(), b.end());
        return shortest(both);
    }
    Form least(const Form &a, const Form &b) const {
        Form both;
        for (const Clause &x : a) {
            for (const Clause &y : b) {
                both.push_back(x);
                both.back().insert(both.back().end(), y.begin(), y.end());
            }
        }
        return shortest(both);
    }
    Form sum(const Form &a, const Form &b) const {
        Form both;
        for (const Clause &x : a) {
            for (const Clause &y : b) {
                both.emplace_back();
                for (const Linear &s : x) {
                    for (const Linear &t : y) {
                        both.back().push_back(s);
                        both.back().back().add(t, 1);
                    }
                }
            }
        }
        return shortest(both);
    }

    // b - a is a constant of at least 0, and extents, each of at least 1.
    bool is_at_most(const Linear &a, const Linear &b) const {
        Linear difference = b;
        difference.add(a, -1);
        std::int64_t lowest = difference.constant;
        for (const auto &[atom, factor] : difference.factors) {
            if (factor < 0 || !is_extent(atoms_.at(atom))) {
                return false;
            }
            lowest += factor;
        }
        return lowest >= 0;
    }
    // min(a) <= min(b) for all values of the atoms.
    bool is_at_most(const Clause &a, const Clause &b) const {
        return std::all_of(b.begin(), b.end(), [&](const Linear &y) {
            return std::any_of(a.begin(), a.end(), [&](const Linear &x) { return is_at_most(x, y); });
        });
    }

    // Without terms, and clauses, that others decide; in an order of their own.
    Form shortest(Form form) const {
        for (Clause &clause : form) {
            keep_those_that_matter(
                clause, [&](const Linear &kept, const Linear &other) { return is_at_most(kept, other); });
        }
        keep_those_that_matter(
            form, [&](const Clause &kept, const Clause &other) { return is_at_most(other, kept); });
        return form;
    }
    template<typename T, typename Decides>
    static void keep_those_that_matter(std::vector<T> &all, const Decides &decides) {
        std::sort(all.begin(), all.end());
        std::vector<T> result;
        for (const T &next : all) {
            if (std::any_of(result.begin(), result.end(),
                            [&](const T &kept) { return decides(kept, next); })) {
                continue;
            }
            result.erase(std::remove_if(result.begin(), result.end(),
                                        [&](const T &kept) { return decides(next, kept); }),
                         result.end());
            result.push_back(next);
        }
        all = std::move(result);
    }

    Expr as_expr(const Linear &term, std::int64_t sign) const {
        Expr result;
        for (const auto &[atom, factor] : term.factors) {
            const auto times = static_cast<int>(sign * factor);
            const Expr e = times == 1 ? atoms_.at(atom) : atoms_.at(atom) * times;
            result = result.defined() ? result + e : e;
        }
        const auto constant = static_cast<int>(sign * term.constant);
        return !result.defined() ? Expr(constant) : constant == 0 ? result : result + constant;
    }

    Atoms atoms_;
    size_t extremes_ = 0;
};

size_t extremes_in(const Form &form) {
    size_t terms = 0;
    for (const Clause &clause : form) {
        terms += clause.size();
    }
    return terms - 1;
}

}  // namespace

Expr with_fewest_extremes(const Expr &e) {
    if (e.type() != Int(32)) {
        return e;
    }
    Forms forms;
    const std::optional<Form> form = forms.of(e);
    if (!form) {
        return e;
    }
    const std::optional<Form> turned = forms.negative(*form);
    const bool is_turned = turned && extremes_in(*turned) < extremes_in(*form);
    const Form &fewest = is_turned ? *turned : *form;
    return extremes_in(fewest) < forms.extremes() ? forms.as_expr(fewest, is_turned) : e;
}

bool never_above(const Expr &a, const Expr &b) {
    if (a.type() != Int(32) || b.type() != Int(32)) {
        return false;
    }
    Forms forms;
    const std::optional<Form> low = forms.of(a), high = forms.of(b);
    return low && high && forms.is_at_most(*low, *high);
}

}  // namespace eutectic
