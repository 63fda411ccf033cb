#include "graph/quotients.h"

#include <algorithm>

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

class Varies : public IRVisitor {
public:
    bool result = false;

private:
    using IRVisitor::visit;

    void visit(const Variable *op) override {
        result = result || !op->param.defined();
    }
    void visit(const Call *op) override {
        result = result || !op->is_pure() || ((op->call_type == Call::Halide || op->call_type == Call::Image) && !op->args.empty());
        IRVisitor::visit(op);
    }
};

class FindQuotients : public IRGraphVisitor {
public:
    std::vector<Quotient> found;

private:
    using IRGraphVisitor::visit;

    void visit(const Div *op) override {
        add(op, op->a, op->b, false);
        IRGraphVisitor::visit(op);
    }
    void visit(const Mod *op) override {
        add(op, op->a, op->b, true);
        IRGraphVisitor::visit(op);
    }

    void add(const Expr &e, const Expr &dividend, const Expr &divisor, bool remainder) {
        if (!divides_by_run_time_number(e)) {
            return;
        }
        const auto same = [&](const Quotient &q) { return equal(q.dividend, dividend) && equal(q.divisor, divisor); };
        const auto it = std::find_if(found.begin(), found.end(), same);
        if (it == found.end()) {
            found.push_back({dividend, divisor, remainder});
        } else {
            it->remainder_used = it->remainder_used || remainder;
        }
    }
};

}  // namespace

bool varies(const Expr &e) {
    Varies v;
    e.accept(&v);
    return v.result;
}

bool divides_by_run_time_number(const Expr &e) {
    const Div *div = e.as<Div>();
    const Mod *mod = e.as<Mod>();
    if ((!div && !mod) || e.type() != Int(32)) {
        return false;
    }
    const Expr &divisor = div ? div->b : mod->b;
    return !is_const(simplify(divisor)) && !varies(divisor) && varies(div ? div->a : mod->a);
}

std::vector<Quotient> run_time_quotients(const std::vector<Expr> &expressions) {
    FindQuotients find;
    for (const Expr &e : expressions) {
        substitute_in_all_lets(e).accept(&find);
    }
    return find.found;
}

std::optional<Expr> line_width(const std::vector<std::string> &args, const std::vector<Expr> &values) {
    const std::vector<Quotient> all = run_time_quotients(values);
    for (const Quotient &q : all) {
        const Variable *v = q.dividend.as<Variable>();
        if (args.empty() || !v || v->name != args.front() || !equal(q.divisor, all.front().divisor)) {
            return std::nullopt;
        }
    }
    return all.empty() ? std::nullopt : std::optional<Expr>(all.front().divisor);
}

}  // namespace eutectic
