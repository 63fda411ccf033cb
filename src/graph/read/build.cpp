#include "graph/read/build.h"

#include <algorithm>
#include <map>

#include "base/user_error.h"
#include "graph/data/access.h"
#include "graph/patterns/between.h"
#include "graph/patterns/lower_bounds.h"
#include "graph/read/assigned_region.h"
#include "graph/read/boundaries.h"
#include "graph/read/constant_regions.h"
#include "graph/read/late_divisor.h"
#include "graph/read/online_sum.h"
#include "graph/read/order.h"
#include "graph/read/quotients.h"
#include "graph/read/read_arithmetic.h"
#include "graph/read/read_expr.h"
#include "graph/read/regions.h"
#include "graph/read/row_divisor.h"
#include "graph/read/shared.h"
#include "graph/read/two_sides.h"
#include "graph/read/updates.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

class Builder {
public:
    explicit Builder(const std::vector<Function> &outputs) : outputs_(outputs) {
        for (const Function &f : outputs) {
            order_.add(f);
            output_names_.insert(f.name());
        }
    }

    Graph build() {
        add_funcs();
        const Regions regions = infer_regions(outputs_, order_.functions);
        const std::map<std::string, Box> constants = constant_regions(outputs_, order_.functions);
        for (size_t f = 0; f < order_.functions.size(); f++) {
            FuncInfo &info = graph_.funcs[f];
            info.constant = constant_dims(constants, order_.functions[f]);
            info.extents = regions.extents(order_.functions[f], wrapped_buffer(order_.functions[f]));
            if (!info.input) {
                add_stages(static_cast<FuncId>(f));
            }
        }
        find_lower_bounds(graph_);
        for (size_t f = 0; f < order_.functions.size(); f++) {
            const auto around = order_.ids.find(computed_inside(order_.functions[f]));
            if (around != order_.ids.end()) {
                inline_between(graph_, static_cast<FuncId>(f), static_cast<FuncId>(f), around->second);
            }
        }
        return std::move(graph_);
    }

private:
    const std::vector<Function> &outputs_;
    std::set<std::string> output_names_;
    Order order_;
    Graph graph_;
    std::map<std::string, FuncId> buffer_owner_;                 // parameter name → input or output Func
    std::map<std::string, std::optional<int64_t>> first_value_;  // of reduction variables, where it is known

    void add_funcs() {
        const std::map<std::string, Function> env = build_environment(outputs_);
        std::map<std::string, int> pipeline_order;
        for (const std::string &name : topological_order(outputs_, env)) {
            pipeline_order.emplace(name, static_cast<int>(pipeline_order.size()));
        }
        const std::set<std::string> owners = loop_owners(order_.functions);
        for (const Function &f : order_.functions) {
            FuncInfo info;
            info.name = order_.plain_name(f.name());
            info.pipeline_index = pipeline_order.at(f.name());
            info.output = output_names_.count(f.name()) > 0;
            info.bytes_per_point = info.element_bytes = 0;
            for (const Type &t : f.output_types()) {
                info.bytes_per_point += t.bytes();
                info.element_bytes = std::max(info.element_bytes, t.bytes());
            }
            info.tuple_size = static_cast<int>(f.output_types().size());
            info.at_least.resize(static_cast<size_t>(f.dimensions()));
            const FuncId id = static_cast<FuncId>(graph_.funcs.size());
            const Call *load = wrapped_buffer(f);
            info.input = load && !info.output;
            if (info.input && load->param.defined()) {
                buffer_owner_[load->param.name()] = id;
            }
            if (info.output) {
                for (const Parameter &p : f.output_buffers()) {
                    buffer_owner_[p.name()] = id;
                }
                for (int d = 0; d < f.dimensions(); d++) {
                    info.at_least[static_cast<size_t>(d)] = BufferDim{id, d};
                }
            }
            info.inside.assign(info.at_least.size(), std::nullopt);
            if (!info.input) {
                const UserSchedule user = read_user_schedule(f, owners);
                info.user_scheduled = user.loops;
                info.user_placed = user.placed;
                info.kept = user.kept;
            }
            graph_.funcs.push_back(info);
        }
    }

    void add_stages(FuncId id) {
        const Function &f = order_.functions[static_cast<size_t>(id)];
        Stage pure;
        pure.func = id;
        const FuncInfo &info = graph_.funcs[static_cast<size_t>(id)];
        for (size_t d = 0; d < f.args().size(); d++) {
            // Halide may compute more of what others read than they need; of an output it computes what it is
            // bound to.
            pure.dims.push_back(
                {f.args()[d], info.extents[d], false, info.at_least[d], info.output && info.is_constant(d)});
        }
        const std::string why = opaque_because(f);
        if (f.has_extern_definition()) {
            pure.why_opaque = why;
            pure.external = true;
            add_extern_edges(f, pure);
            push(pure);
            return;
        }
        if (const std::optional<Expr> chosen =
                info.output || info.user_scheduled || !why.empty() ? std::nullopt : assigned_region(f)) {
            pure.assigned_region = true;
            read_body({*chosen}, pure, "");
            pure.role = pure_role(f, pure);
            push(pure);
            return;
        }
        read_body(f.definition().values(), pure, "");
        pure.role = pure_role(f, pure);
        if (const std::optional<Expr> divisor = row_divisor(f)) {
            pure.row_division.emplace();
            for (const std::string &arg : f.args()) {
                pure.row_division->push_back(expr_uses_var(*divisor, arg));
            }
        }
        pure.line_of = line_of(f);
        pure.two_sides = two_sides(f).has_value() && !info.user_scheduled;
        push(pure);
        for (size_t u = 0; u < f.updates().size(); u++) {
            add_update(f, id, static_cast<int>(u));
        }
        for (const StageId s :
             why.empty() ? std::vector<StageId>() : graph_.funcs[static_cast<size_t>(id)].stages) {
            graph_.stages[static_cast<size_t>(s)].role = Role::opaque;
            graph_.stages[static_cast<size_t>(s)].why_opaque = why;
            graph_.stages[static_cast<size_t>(s)].row_division.reset();
            graph_.stages[static_cast<size_t>(s)].late_division.reset();
        }
    }

    void push(const Stage &s) {
        const StageId id = static_cast<StageId>(graph_.stages.size());
        for (const int e : s.edges) {
            graph_.edges[static_cast<size_t>(e)].consumer = id;
        }
        graph_.funcs[static_cast<size_t>(s.func)].stages.push_back(id);
        graph_.stages.push_back(s);
    }

    /** Loads and work of `values`; loads of `self` are the accumulator and not edges. */
    void read_body(const std::vector<Expr> &values, Stage &stage, const std::string &self) {
        std::map<std::string, int> dims;
        for (size_t d = 0; d < stage.dims.size(); d++) {
            dims[stage.dims[d].name] = static_cast<int>(d);
        }
        for (const Quotient &q : run_time_quotients(values)) {
            stage.run_time_quotients = true;
            stage.body.flops += quotient_operations + (q.remainder_used ? remainder_operations : 0);
        }
        for (const Expr &value : values) {
            // What several loads or operations share is a let by now; its definition says what it is: an
            // index or work.
            const Expr v = without_lets(value);
            std::set<std::string> guarding;
            const ExprSummary sum = summarize(v, &guarding);
            const bool by_coordinates = std::any_of(stage.dims.begin(), stage.dims.end(),
                                                    [&](const Dim &d) { return guarding.count(d.name) > 0; });
            if (sum.guards > 0 || by_coordinates) {
                stage.guarded.resize(stage.dims.size());
            }
            for (size_t d = 0; d < stage.guarded.size(); d++) {
                stage.guarded[d] = stage.guarded[d] || guarding.count(stage.dims[d].name) > 0;
            }
            stage.body += sum;
            for_each_load(v, [&](const Call *load) {
                if (load->call_type == Call::Halide && load->name != self) {
                    add_edge(load, dims, stage);
                }
            });
            stage.result |= result_of(v);
            add_uses(uses_of(v), stage);
        }
    }

    /** Ways to read a Func are not told apart: the expressions move together. */
    void add_uses(const std::map<std::string, LoadUse> &uses, const Stage &stage) {
        for (const int e : stage.edges) {
            Edge &edge = graph_.edges[static_cast<size_t>(e)];
            const auto use = uses.find(order_.functions[static_cast<size_t>(edge.producer)].name());
            edge.into |= use == uses.end() ? Arithmetic() : use->second.into;
            edge.forwarded = edge.forwarded || (use != uses.end() && use->second.forwarded);
        }
    }

    /** An extern stage may read all of each Func that it is given. */
    void add_extern_edges(const Function &f, Stage &stage) {
        for (const ExternFuncArgument &a : f.extern_arguments()) {
            if (!a.is_func()) {
                continue;
            }
            const Function producer(a.func);
            Edge edge;
            edge.producer = order_.ids.at(producer.name());
            Index anywhere;
            anywhere.scale.assign(stage.dims.size(), 0.0);
            anywhere.affine = anywhere.exact = false;
            edge.access.indices.assign(static_cast<size_t>(producer.dimensions()), anywhere);
            stage.edges.push_back(static_cast<int>(graph_.edges.size()));
            graph_.edges.push_back(edge);
        }
    }

    void add_edge(const Call *load, const std::map<std::string, int> &dims, Stage &stage) {
        Edge edge;
        edge.producer = order_.ids.at(load->name);
        for (const Expr &arg : load->args) {
            Index index = read_index_at_estimates(arg, dims);
            const auto [buffer, d] = clamped_to_buffer(arg, dims, &index.clamped_dim);
            if (const auto owner = buffer_owner_.find(buffer); owner != buffer_owner_.end()) {
                index.clamped_to = BufferDim{owner->second, d};
            }
            count_from_first(dims, index);
            edge.access.indices.push_back(index);
        }
        const bool comparable = same_points(edge.access, edge.access);  // a stencil's are not, and has many
        for (size_t i = 0; comparable && i < stage.edges.size(); i++) {
            Edge &old = graph_.edges[static_cast<size_t>(stage.edges[i])];
            if (old.producer == edge.producer && same_points(old.access, edge.access)) {
                old.loads++;
                return;
            }
        }
        stage.edges.push_back(static_cast<int>(graph_.edges.size()));
        graph_.edges.push_back(edge);
    }

    /** Loops are numbered from 0, whatever a reduction variable begins at. */
    void count_from_first(const std::map<std::string, int> &dims, Index &index) const {
        for (const auto &[name, dim] : dims) {
            const auto first = first_value_.find(name);
            if (first != first_value_.end() && index.scale[static_cast<size_t>(dim)] != 0) {
                const double scale = index.scale[static_cast<size_t>(dim)];
                index.offset =
                    index.offset && first->second
                        ? std::optional<double>(*index.offset + scale * static_cast<double>(*first->second))
                        : std::nullopt;
            }
        }
    }

    std::optional<BufferDim> line_of(const Function &f) const {
        const std::optional<Expr> width = line_width(f.args(), f.definition().values());
        const auto [buffer, d] = width ? extent_of_parameter(*width) : std::make_pair(std::string(), 0);
        const auto owner = buffer_owner_.find(buffer);
        return owner == buffer_owner_.end() ? std::nullopt : std::optional<BufferDim>({owner->second, d});
    }

    Role pure_role(const Function &f, Stage &stage) const {
        const auto gathers = [&](int e) { return !graph_.edges[static_cast<size_t>(e)].access.affine(); };
        if (std::any_of(stage.edges.begin(), stage.edges.end(), gathers)) {
            return Role::gather;
        }
        const Call *only =
            f.definition().values().size() == 1 ? f.definition().values()[0].as<Call>() : nullptr;
        return only && only->call_type == Call::Halide ? Role::view : Role::pointwise;
    }

    void add_update(const Function &f, FuncId id, int u) {
        const Definition &def = f.updates()[static_cast<size_t>(u)];
        Stage stage;
        stage.func = id;
        stage.update = u;
        const Stage pure = graph_.pure_stage(id);
        stage.dims = pure.dims;
        for (const ReductionVariable &rv : def.schedule().rvars()) {
            const std::optional<int64_t> extent = as_const_int(at_estimates(rv.extent));
            if (!extent) {
                std::ostringstream s;
                s << "The reduction variable " << rv.var << " of " << f.name() << " has the extent "
                  << rv.extent
                  << ", which the estimates do not determine: give an estimate to every input dimension and "
                     "scalar that it names.";
                throw UserError(s.str());
            }
            first_value_[rv.var] = as_const_int(at_estimates(rv.min));
            Dim dim{rv.var, std::max<int64_t>(1, *extent), true, std::nullopt,
                    is_const(at_constraints(rv.extent))};
            const auto [buffer, d] = extent_of_parameter(rv.extent);
            if (const auto owner = buffer_owner_.find(buffer); owner != buffer_owner_.end()) {
                dim.at_least = BufferDim{owner->second, d};
            }
            stage.dims.push_back(dim);
        }
        classify_update(f, def, stage);
        if (stage.role == Role::reduction || stage.role == Role::contraction) {
            read_late_division(f, def, stage);
            read_online(f, stage);
        }
        push(stage);
    }

    /** What `values`, over `dims`, compute and load. */
    RewrittenBody rewritten(const std::vector<Expr> &values, const std::vector<Dim> &dims,
                            const std::string &self) {
        Stage stage;
        stage.dims = dims;
        const size_t before = graph_.edges.size();
        read_body(values, stage, self);
        RewrittenBody result;
        result.body = stage.body;
        result.edges.assign(graph_.edges.begin() + static_cast<std::ptrdiff_t>(before), graph_.edges.end());
        graph_.edges.resize(before);
        return result;
    }

    void read_late_division(const Function &f, const Definition &def, Stage &stage) {
        const std::optional<LateDivisor> late = late_divisor(f);
        if (!late) {
            return;
        }
        LateDivision &division = stage.late_division.emplace();
        division.from_zero = late->from_zero;
        std::vector<Expr> values, args;
        values.push_back(late->undivided);
        if (!is_const_one(def.predicate())) {
            values.push_back(def.predicate());
        }
        division.undivided = rewritten(values, stage.dims, f.name());
        const Add *sum = late->undivided.as<Add>();
        division.undivided.multiply_accumulate = sum && sum->b.as<Mul>() != nullptr;
        for (const std::string &arg : f.args()) {
            args.push_back(Variable::make(Int(32), arg));
        }
        division.division =
            rewritten({late->apply(Call::make(f, args))}, graph_.pure_stage(stage.func).dims, f.name());
        if (late->quotient) {
            division.quotient = order_.ids.at(late->quotient->name());
            division.numerator = rewritten({late->numerator}, graph_.pure_stage(division.quotient).dims, "");
        }
    }

    void read_online(const Function &f, Stage &stage) {
        const std::optional<OnlineSum> sum = online_sum(f, order_.ids);
        if (!sum) {
            return;
        }
        const Expr before_max = Variable::make(f.output_types()[0], "running_maximum"),
                   before_sum = Variable::make(f.output_types()[0], "running_sum");
        const RunningSum one = merged({before_max, before_sum}, {sum->value, sum->weight});
        const RunningSum two = merged({before_max, before_sum}, {Variable::make(before_max.type(), "maximum"),
                                                                 Variable::make(before_sum.type(), "sum")});
        // As one value: what both need is computed once.
        stage.online = {order_.ids.at(sum->maximum.name()),
                        rewritten({one.maximum + one.sum}, stage.dims, f.name()),
                        summarize(two.maximum + two.sum)};
    }

    void classify_update(const Function &f, const Definition &def, Stage &stage) {
        if (!writes_own_point(f, def)) {
            read_body(def.values(), stage, f.name());
            read_body(def.args(), stage, f.name());
            const bool scan = reads_other_points(f, def);
            stage.role = scan ? Role::scan : Role::scatter;
            const Variable *innermost = def.args().empty() ? nullptr : def.args()[0].as<Variable>();
            stage.own_innermost = innermost && innermost->name == f.args()[0];
            for (size_t d = 0; d < def.args().size(); d++) {
                const Variable *v = def.args()[d].as<Variable>();
                if (!v || v->name != f.args()[d]) {
                    stage.dims[d].extent = 1;  // the reduction variables go along this one
                }
            }
            stage.why_opaque = scan ? "its update reads what it wrote at other coordinates (a scan)"
                                    : "it writes to computed coordinates (a scatter)";
            return;
        }
        const AssociativeOp op = associativity(f, def);
        stage.reassociable = op.associative() && op.commutative() && f.output_types().size() == 1;
        stage.order_free = stage.reassociable && !f.output_types()[0].is_float();
        stage.starts_neutral = stage.reassociable && (stage.order_free || starts_neutral(f, op));
        read_body(def.values(), stage, f.name());
        if (!is_const_one(def.predicate())) {
            read_body({def.predicate()}, stage, f.name());
        }
        if (f.output_types().size() > 1) {
            stage.role = Role::opaque;
            stage.why_opaque = "its update is tuple-valued";
        } else if (!op.associative()) {
            stage.role = Role::scan;
            stage.why_opaque = "its update is not an associative reduction over its reduction variables";
        } else {
            const bool sum = op.pattern.ops[0].as<Add>() != nullptr;
            stage.multiply_accumulate = sum && op.ys[0].expr.defined() && op.ys[0].expr.as<Mul>() != nullptr;
            const bool contracts =
                stage.multiply_accumulate && is_product_with_reuse(op.ys[0].expr, f.args());
            stage.role = contracts ? Role::contraction : Role::reduction;
        }
    }
};

}  // namespace

Graph build_graph(const std::vector<Function> &outputs) {
    Graph graph;
    on_large_stack([&] { graph = Builder(outputs).build(); });
    return graph;
}

}  // namespace eutectic
