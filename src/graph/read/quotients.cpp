#include "graph/read/quotients.h"

#include <map>
#include <utility>

#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** The divisions and remainders in expressions, each pair of a dividend and a divisor once. */
class FindQuotients {
public:
    std::vector<Quotient> found;

    void look(const Expr &e) {
        for_each_node(without_lets(e), [&](const Expr &node) {
            if (!divides_by_run_time_number(node)) {
                return true;
            }
            if (const Div *div = node.as<Div>()) {
                add(div->a, div->b, false);
            } else if (const Mod *mod = node.as<Mod>()) {
                add(mod->a, mod->b, true);
            }
            return true;
        });
    }

private:
    ValueNumbers numbers_;
    std::map<std::pair<int, int>, size_t> places_;

    void add(const Expr &dividend, const Expr &divisor, bool remainder) {
        const std::pair<int, int> numbers(numbers_(dividend), numbers_(divisor));
        const auto [place, first] = places_.emplace(numbers, found.size());
        if (first) {
            found.push_back({dividend, divisor, remainder});
        } else {
            found[place->second].remainder_used = found[place->second].remainder_used || remainder;
        }
    }
};

}  // namespace

bool is_varying(const Expr &node) {
    if (const Variable *v = node.as<Variable>()) {
        return !v->param.defined();
    }
    const Call *call = node.as<Call>();
    const bool load = call && (call->call_type == Call::Halide || call->call_type == Call::Image);
    return call && (!call->is_pure() || (load && !call->args.empty()));
}

bool varies(const Expr &e) {
    bool found = false;
    for_each_node(e, [&](const Expr &node) {
        found = found || is_varying(node);
        return !found;
    });
    return found;
}

bool divides_by_run_time_number(const Expr &e) {
    const Div *div = e.as<Div>();
    const Mod *mod = e.as<Mod>();
    if ((!div && !mod) || e.type() != Int(32)) {
        return false;
    }
    const Expr &divisor = div ? div->b : mod->b;
    const Expr &dividend = div ? div->a : mod->a;
    return !is_const(divisor) && !varies(divisor) && varies(dividend) && !is_const(simplify_shared(divisor));
}

std::vector<Quotient> run_time_quotients(const std::vector<Expr> &expressions) {
    FindQuotients find;
    for (const Expr &e : expressions) {
        find.look(e);
    }
    return find.found;
}

std::optional<Expr> line_width(const std::vector<std::string> &args, const std::vector<Expr> &values) {
    const std::vector<Quotient> all = run_time_quotients(values);
    for (const Quotient &q : all) {
        const Variable *v = q.dividend.as<Variable>();
        if (args.empty() || !v || v->name != args.front() || !graph_equal(q.divisor, all.front().divisor)) {
            return std::nullopt;
        }
    }
    return all.empty() ? std::nullopt : std::optional<Expr>(all.front().divisor);
}

}  // namespace eutectic
