// The wrapper of an input, w_im(j, k) = w(j, k)   →   w_im(j, k) = v(j % 16, k, j / 16), where v is a buffer
// of the same name with one dimension more. (Of as many, w(j % 16 + 16 k, j / 16), it would be told from one
// that is not packed by its sizes alone, and these may agree.)

#include <algorithm>

#include "base/user_error.h"
#include "graph/read/outputs.h"
#include "graph/read/size_names.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

[[noreturn]] void refuse(const std::string &input, const std::string &why) {
    throw UserError("The input " + input + " cannot be read in panels, because " + why +
                    ": leave it as it is.");
}

const Internal::Call *load_of(const Func &input) {
    const Internal::Call *load = nullptr;
    if (input.defined() && !input.is_extern() && input.function().has_pure_definition()) {
        load = input.function().definition().values()[0].as<Internal::Call>();
    }
    if (!load || load->call_type != Internal::Call::Image || !load->param.defined()) {
        refuse(input.name(), "it wraps no buffer of the caller's");
    }
    return load;
}

/** The buffer in panels: the columns of one begin at 0 and lie side by side, one such row after the other. */
Parameter panels_of(const Parameter &p, const std::vector<int> &order, int columns) {
    Parameter v(p.type(), true, p.dimensions() + 1, p.name());
    const auto estimate = [&](int to, const Expr &points) {
        v.set_min_constraint_estimate(to, 0);
        if (points.defined()) {
            v.set_extent_constraint_estimate(to, Internal::simplify(points));
        }
    };
    const Expr all = p.extent_constraint_estimate(order[0]);
    estimate(0, columns);
    for (size_t d = 1; d < order.size(); d++) {
        estimate(static_cast<int>(d), p.extent_constraint_estimate(order[d]));
    }
    estimate(p.dimensions(), all.defined() ? (all + (columns - 1)) / columns : Expr());
    for (int d = 0; d < v.dimensions(); d++) {
        v.set_min_constraint(d, 0);
    }
    v.set_extent_constraint(0, columns);
    v.set_stride_constraint(0, 1);
    v.set_stride_constraint(1, columns);
    return v;
}

/** What is said of an input's sizes is said of those of its panels. */
class Sizes : public Internal::IRMutator {
public:
    Sizes(const Parameter &input, const Parameter &panels, const std::vector<int> &order)
        : input_(input), panels_(panels), order_(order) {
    }

    /** Of what is expected of a buffer of the caller's. */
    void change(Parameter &p) {
        for (int d = 0; d < (p.is_buffer() ? p.dimensions() : 0); d++) {
            p.set_min_constraint(d, changed(p.min_constraint(d)));
            p.set_extent_constraint(d, changed(p.extent_constraint(d)));
            if (p.stride_constraint(d).defined()) {
                p.set_stride_constraint(d, changed(p.stride_constraint(d)));
            }
        }
    }

private:
    const Parameter &input_, &panels_;
    const std::vector<int> &order_;
    using IRMutator::visit;

    Expr changed(const Expr &e) {
        return e.defined() ? mutate(e) : e;
    }

    Expr visit(const Internal::Variable *op) override {
        std::string kind;
        DimId dim = 0;
        if (op->name.rfind(input_.name() + ".", 0) != 0 || !split_size_name(op->name, &kind, &dim)) {
            return op;
        }
        if (kind == "min") {
            return 0;
        }
        const auto at = std::find(order_.begin(), order_.end(), static_cast<int>(dim));
        if (kind != "extent" || at == order_.begin() || at == order_.end()) {
            refuse(input_.name(), "the pipeline asks for its " + kind + " in dimension " +
                                      std::to_string(static_cast<int>(dim)) + ", which panels do not tell");
        }
        return Internal::Variable::make(
            Int(32), panels_.name() + ".extent." + std::to_string(at - order_.begin()), panels_);
    }
};

/** The buffers that callers pass to `f`, as far as its definition loads them. */
class Buffers : public Internal::IRGraphVisitor {
public:
    std::vector<Parameter> found;

private:
    using IRGraphVisitor::visit;

    void visit(const Internal::Call *op) override {
        if (op->param.defined()) {
            found.push_back(op->param);
        }
        IRGraphVisitor::visit(op);
    }
};

}  // namespace

void read_panels(const Pipeline &pipeline, Func input, const std::vector<int> &order, int columns) {
    const Internal::Call *load = load_of(input);
    const Parameter p = load->param;
    const Parameter v = panels_of(p, order, columns);
    const std::vector<Var> args = input.args();
    std::vector<Expr> at = {args[order[0]] % columns};
    for (size_t d = 1; d < order.size(); d++) {
        at.emplace_back(args[order[d]]);
    }
    at.push_back(args[order[0]] / columns);
    input.function().definition().values()[0] = Internal::Call::make(v, at);

    Sizes sizes(p, v, order);
    Buffers buffers;
    for (auto &[name, f] : Internal::build_environment(output_functions(pipeline))) {
        Internal::Function function = f;
        function.mutate(&sizes);
        function.accept(&buffers);
        buffers.found.insert(buffers.found.end(), function.output_buffers().begin(),
                             function.output_buffers().end());
    }
    for (Parameter &buffer : buffers.found) {
        if (!buffer.same_as(v)) {
            sizes.change(buffer);
        }
    }
}

Func pack_panels(const Parameter &p, const std::vector<int> &order, int columns, int lanes) {
    std::vector<Var> args = {Var("column")};
    for (size_t d = 1; d < order.size(); d++) {
        args.emplace_back("inside" + std::to_string(d));
    }
    args.emplace_back("panel");
    std::vector<Expr> at(order.size());
    for (size_t d = 1; d < order.size(); d++) {
        at[order[d]] = args[d];
    }
    const Expr column = args.back() * columns + args.front();
    const auto size = [&](const char *kind) {
        return Internal::Variable::make(Int(32), p.name() + "." + kind + "." + std::to_string(order[0]), p);
    };
    const Expr first = size("min"), last = first + size("extent") - 1;
    at[order[0]] = clamp(column, first, last);
    Func packed(p.name() + "_packed");
    packed(args) =
        select(column >= first && column <= last, Internal::Call::make(p, at), Internal::make_zero(p.type()));
    packed.output_buffer().dim(0).set_bounds(0, columns);
    packed.output_buffer().dim(1).set_stride(columns);
    for (int d = 1; d < packed.dimensions(); d++) {
        packed.output_buffer().dim(d).set_min(0);
    }
    const Var vector("vector");
    packed.split(args.front(), args.front(), vector, lanes).vectorize(vector).parallel(args.back());
    return packed;
}

}  // namespace eutectic
