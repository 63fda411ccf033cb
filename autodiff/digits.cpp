#include "autodiff/digits.h"

#include "autodiff/expr_tools.h"

#include <algorithm>
#include <optional>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

struct Digit {
    std::string variable;  // of a number; of a remainder, none
    size_t dim = 0;        // of a remainder
    int64_t stride = 1;
    int64_t base = 0;  // 0: the last, which goes as far as there is
};

// Is each digit's stride the product of the bases before? Sets the bases of all but the last.
bool are_digits(std::vector<Digit> &digits) {
    std::sort(digits.begin(), digits.end(),
              [](const Digit &a, const Digit &b) { return a.stride < b.stride; });
    for (size_t k = 0; k + 1 < digits.size(); k++) {
        const int64_t low = digits[k].stride, high = digits[k + 1].stride;
        if (high == low || high % low != 0 || (digits[k].base != 0 && digits[k].base != high / low)) {
            return false;
        }
        digits[k].base = high / low;
    }
    return true;
}

class Search {
public:
    Search(const std::vector<Expr> &args, const VariableBounds &loop, const std::vector<std::string> &vars,
           const VariableBounds &elements)
        : args_(args), loop_(loop), vars_(vars), elements_(elements) {
        for (size_t d = 0; d < args.size(); d++) {
            for (const Expr &v : free_variables(args[d])) {
                dims_[v.as<Variable>()->name].push_back(d);
            }
        }
        found_.inside = const_true();
    }

    Digits run() {
        for (size_t d = 0; d < args_.size(); d++) {
            add_number(d);
        }
        for (const auto &[name, dims] : dims_) {
            if (dims.size() > 1) {
                add_remainders(name, dims);
            }
        }
        return found_;
    }

private:
    const std::vector<Expr> &args_;
    const VariableBounds &loop_;
    const std::vector<std::string> &vars_;
    const VariableBounds &elements_;
    std::map<std::string, std::vector<size_t>> dims_;  // in which each variable is
    Digits found_;

    void require(const Expr &condition) {
        if (!proved(condition, elements_)) {
            found_.inside = is_const_one(found_.inside) ? condition : found_.inside && condition;
        }
    }

    bool has_ends(const std::string &name) const {
        return loop_.contains(name) && loop_.get(name).is_bounded();
    }

    // v0 + 8 * v1 + 32 * v2 + …, of variables that are in no other argument.
    void add_number(size_t d) {
        std::vector<Digit> digits;
        Expr rest = args_[d];
        for (const Expr &v : free_variables(args_[d])) {
            const std::string &name = v.as<Variable>()->name;
            const auto step = as_const_int(simplify(substitute(name, v + 1, args_[d]) - args_[d]));
            if (dims_[name].size() > 1 || !has_ends(name) || !step || *step <= 0) {
                return;
            }
            digits.push_back({name, d, *step, 0});
            rest = simplify(rest - static_cast<int>(*step) * v);
        }
        if (digits.empty() || !free_variables(rest).empty() || !calls_in(rest).empty() ||
            !are_digits(digits)) {
            return;
        }
        for (const Digit &digit : digits) {
            const Interval &i = loop_.get(digit.variable);
            if (digit.base != 0 && !proved(i.max - i.min < static_cast<int>(digit.base), elements_)) {
                return;  // two points for one element
            }
        }
        found_.dims.insert(d);
        if (digits.size() == 1 && digits[0].stride == 1) {
            const Interval &i = loop_.get(digits[0].variable);
            const Expr v = simplify_index(Var(vars_[d]) - rest);
            require(v >= i.min);
            require(v <= i.max);
            found_.points[digits[0].variable] = v;
            return;
        }
        Expr number = Var(vars_[d]) - rest;
        for (const Digit &digit : digits) {
            number = number - static_cast<int>(digit.stride) * loop_.get(digit.variable).min;
        }
        number = simplify_index(number);
        require(number >= 0);
        if (digits[0].stride > 1) {
            require(number % static_cast<int>(digits[0].stride) == 0);
        }
        for (const Digit &digit : digits) {
            const Interval &i = loop_.get(digit.variable);
            Expr value = number / static_cast<int>(digit.stride);
            value = digit.base != 0 ? value % static_cast<int>(digit.base) : value;
            if (digit.base == 0 || !proved(i.max - i.min == static_cast<int>(digit.base) - 1, elements_)) {
                require(value <= i.max - i.min);
            }
            found_.points[digit.variable] = simplify_index(value + i.min);
        }
    }

    // `e` as the digit v / stride % base.
    static std::optional<Digit> remainder(const Expr &e, const std::string &name, size_t d) {
        Digit digit{"", d, 1, 0};
        Expr inner = e;
        if (const Mod *mod = inner.as<Mod>()) {
            const auto base = as_const_int(mod->b);
            if (!base || *base <= 0) {
                return std::nullopt;
            }
            digit.base = *base;
            inner = mod->a;
        }
        if (const Div *div = inner.as<Div>()) {
            const auto stride = as_const_int(div->b);
            if (!stride || *stride <= 0) {
                return std::nullopt;
            }
            digit.stride = *stride;
            inner = div->a;
        }
        const Variable *v = inner.as<Variable>();
        return v && v->name == name ? std::optional(digit) : std::nullopt;
    }

    // v % 8, v / 8 % 4, v / 32, which are arguments of their own.
    void add_remainders(const std::string &name, const std::vector<size_t> &dims) {
        std::vector<Digit> digits;
        for (const size_t d : dims) {
            const auto digit = remainder(simplify(args_[d]), name, d);
            if (!digit) {
                return;
            }
            digits.push_back(*digit);
        }
        if (!has_ends(name) || !are_digits(digits) || digits[0].stride != 1) {
            return;
        }
        Expr number = 0;
        for (const Digit &digit : digits) {
            const Expr x = Var(vars_[digit.dim]);
            number = number + x * static_cast<int>(digit.stride);
            if (digit.base != 0) {
                require(x >= 0);
                require(x < static_cast<int>(digit.base));
            }
        }
        const Interval &i = loop_.get(name);
        const Digit &last = digits.back();
        if (last.base != 0 && !(proved(i.min >= 0, elements_) &&
                                proved(i.max < static_cast<int>(last.stride * last.base), elements_))) {
            return;
        }
        number = simplify_index(number);
        require(number >= i.min);
        require(number <= i.max);
        found_.points[name] = number;
        found_.dims.insert(dims.begin(), dims.end());
    }
};

}  // namespace

Digits digits_of(const std::vector<Expr> &args, const VariableBounds &loop,
                 const std::vector<std::string> &vars, const VariableBounds &elements) {
    return Search(args, loop, vars, elements).run();
}

}  // namespace eutectic
