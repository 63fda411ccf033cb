#include "graph/read/build.h"

#include <algorithm>
#include <map>

#include "base/user_error.h"
#include "graph/patterns/between.h"
#include "graph/patterns/lower_bounds.h"
#include "graph/read/assigned_region.h"
#include "graph/read/body_reader.h"
#include "graph/read/boundaries.h"
#include "graph/read/cases.h"
#include "graph/read/chain.h"
#include "graph/read/constant_regions.h"
#include "graph/read/copies.h"
#include "graph/read/interleaving.h"
#include "graph/read/measured_buffers.h"
#include "graph/read/order.h"
#include "graph/read/product_call.h"
#include "graph/read/read_expr.h"
#include "graph/read/regions.h"
#include "graph/read/shared.h"
#include "graph/read/updates.h"
#include "graph/read/work_of_some_dims.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

class Builder {
public:
    Builder(const std::vector<Function> &outputs, const std::vector<const PatternFinder *> &finders,
            bool functions_in_vectors)
        : outputs_(outputs), finders_(finders) {
        graph_.functions_in_vectors = functions_in_vectors;
        for (const Function &f : measured_buffers(outputs)) {
            measured_.emplace(f.name(), static_cast<int>(measured_.size()));
            order_.add(f);
        }
        for (const Function &f : outputs) {
            order_.add(f);
            output_names_.insert(f.name());
        }
    }

    Graph build() {
        add_funcs();
        regions_ = infer_regions(outputs_, order_.functions.elements());
        const std::map<std::string, Box> constants = constant_regions(outputs_, order_.functions.elements());
        for (const FuncId f : order_.functions.ids()) {
            FuncInfo &info = graph_.funcs[f];
            info.constant = constant_dims(constants, order_.functions[f]);
            info.extents = regions_.extents(order_.functions[f], wrapped_buffer(order_.functions[f]));
            find_interleaving(f);
            if (!info.input) {
                add_stages(f);
            }
        }
        find_lower_bounds(graph_);
        for (const FuncId f : order_.functions.ids()) {
            const auto around = order_.ids.find(computed_inside(order_.functions[f]));
            if (around != order_.ids.end()) {
                inline_between(graph_, f, f, around->second);
            }
        }
        return std::move(graph_);
    }

private:
    const std::vector<Function> &outputs_;
    const std::vector<const PatternFinder *> &finders_;
    std::set<std::string> output_names_;
    std::map<std::string, int> measured_;  ///< FuncInfo::measured_index by name
    Order order_;
    Regions regions_;
    Graph graph_;
    BodyReader bodies_{order_, graph_};

    void add_funcs() {
        const std::map<std::string, Function> env = build_environment(outputs_);
        std::map<std::string, int> pipeline_order;
        for (const std::string &name : topological_order(outputs_, env)) {
            pipeline_order.emplace(name, static_cast<int>(pipeline_order.size()));
        }
        const std::set<std::string> owners = loop_owners(order_.functions.elements());
        const Table<FuncId, std::string> names = order_.readable_names();
        for (const Function &f : order_.functions) {
            FuncInfo info;
            info.name = names[graph_.funcs.next_id()];
            const auto in_pipeline = pipeline_order.find(f.name());
            info.pipeline_index = in_pipeline == pipeline_order.end() ? -1 : in_pipeline->second;
            const auto measured = measured_.find(f.name());
            info.measured_index = measured == measured_.end() ? -1 : measured->second;
            info.output = output_names_.count(f.name()) > 0;
            info.bytes_per_point = info.element_bytes = 0;
            for (const Type &t : f.output_types()) {
                info.bytes_per_point += t.bytes();
                info.element_bytes = std::max(info.element_bytes, t.bytes());
            }
            info.tuple_size = static_cast<int>(f.output_types().size());
            info.at_least.resize(f.dimensions());
            const FuncId id = graph_.funcs.next_id();
            const Call *load = wrapped_buffer(f);
            info.input = load && !info.output;
            if (info.input && load->param.defined() &&
                (info.pipeline_index >= 0 || info.measured_index >= 0)) {
                bodies_.own_buffer(load->param.name(), id);
            }
            if (info.output) {
                for (const Parameter &p : f.output_buffers()) {
                    bodies_.own_buffer(p.name(), id);
                }
                for (const DimId d : info.at_least.ids()) {
                    info.at_least[d] = BufferDim{id, d};
                }
            }
            info.inside.assign(info.at_least.size(), std::nullopt);
            if (!info.input) {
                const UserSchedule user = read_user_schedule(f, owners);
                info.user_scheduled = user.loops;
                info.user_placed = user.placed;
                info.own_buffer_reason = user.own_buffer_reason;
                const std::vector<std::string> &tags = f.get_trace_tags();
                info.in_place =
                    info.output && std::find(tags.begin(), tags.end(), in_place_tag) != tags.end();
            }
            graph_.funcs.push_back(info);
        }
    }

    /** Of the caller's buffers. */
    void find_interleaving(FuncId id) {
        const Function &f = order_.functions[id];
        FuncInfo &info = graph_.funcs[id];
        const Call *load = info.input ? wrapped_buffer(f) : nullptr;
        if (load && load->param.defined()) {
            info.interleaving = interleaving_of(load->param, info.extents);
        } else if (info.output) {
            info.interleaving = interleaving_of(f.output_buffers()[0], info.extents);
        }
    }

    void add_stages(FuncId id) {
        const Function &f = order_.functions[id];
        Stage pure;
        pure.func = id;
        const FuncInfo &info = graph_.funcs[id];
        for (const DimId d : info.extents.ids()) {
            // Halide may compute more of what others read than they need; of an output it computes what it is
            // bound to.
            pure.dims.push_back(
                {f.args()[d], info.extents[d], false, info.at_least[d], info.output && info.is_constant(d)});
            pure.dims[d].first = first_point(f, d);
        }
        const std::string why = opaque_because(f);
        if (f.has_extern_definition()) {
            pure.why_opaque = why;
            pure.external = true;
            read_extern(f, pure);
            push(pure);
            return;
        }
        if (const std::optional<Expr> chosen =
                info.output || info.user_scheduled || !why.empty() ? std::nullopt : assigned_region(f)) {
            pure.simplified.emplace_back(assigned_region_rewrite);
            bodies_.read({*chosen}, pure, "");
            pure.role = pure_role(f, pure);
            push(pure);
            return;
        }
        bodies_.read(f.definition().values(), pure, "");
        find_cases(f.definition().values(), "", bodies_, graph_, pure);
        find_phases(f.definition().values(), "", bodies_, graph_, pure);
        pure.role = pure_role(f, pure);
        find_patterns(f, pure);
        push(pure);
        for (size_t u = 0; u < f.updates().size(); u++) {
            add_update(f, id, static_cast<int>(u));
        }
        for (const StageId s : why.empty() ? std::vector<StageId>() : graph_.funcs[id].stages) {
            graph_.stages[s].role = Role::opaque;
            graph_.stages[s].why_opaque = why;
            graph_.stages[s].patterns.clear();
        }
    }

    void read_extern(const Function &f, Stage &stage) {
        const std::optional<ProductCall> product = product_call(f);
        if (!product) {
            bodies_.read_extern(f, stage);
            return;
        }
        bodies_.read_product(f, *product, stage);
        stage.role = product->whole ? Role::opaque : Role::library;
        stage.why_opaque = product->whole ? "one call computes all of it, on all threads" : "";
    }

    /** The coordinate of the first point along a dim of `f`, where the estimates tell. */
    std::optional<int64_t> first_point(const Function &f, DimId d) const {
        const auto box = regions_.boxes.find(f.name());
        return box == regions_.boxes.end() || d >= static_cast<int>(box->second.size())
                   ? std::nullopt
                   : as_const_int(at_estimates(box->second[d].min));
    }

    void push(const Stage &s) {
        const StageId id = graph_.stages.next_id();
        for (const EdgeId e : s.edges) {
            graph_.edges[e].consumer = id;
        }
        graph_.funcs[s.func].stages.push_back(id);
        graph_.stages.push_back(s);
    }

    void find_patterns(const Function &f, Stage &stage) {
        for (const PatternFinder *finder : finders_) {
            if (auto found = finder->find({f, stage, graph_.funcs[stage.func], graph_, order_, bodies_})) {
                stage.patterns.push_back(std::move(found));
            }
        }
    }

    Role pure_role(const Function &f, Stage &stage) const {
        const auto gathers = [&](EdgeId e) { return !graph_.edges[e].access.affine(); };
        if (std::any_of(stage.edges.begin(), stage.edges.end(), gathers)) {
            return Role::gather;
        }
        const Call *only =
            f.definition().values().size() == 1 ? f.definition().values()[0].as<Call>() : nullptr;
        return only && only->call_type == Call::Halide ? Role::view : Role::pointwise;
    }

    void add_update(const Function &f, FuncId id, int u) {
        const Definition &def = f.updates()[u];
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
            const std::optional<int64_t> first = as_const_int(at_estimates(rv.min));
            bodies_.begin_at(rv.var, first);
            stage.dims.push_back({rv.var, std::max<int64_t>(1, *extent), true, bodies_.buffer_dim(rv.extent),
                                  is_const(at_constraints(rv.extent))});
            stage.dims[stage.dims.next_id() - 1].first = first;
        }
        bodies_.read(def.values(), stage, f.name());
        find_cases(def.values(), f.name(), bodies_, graph_, stage);
        if (!is_const_one(def.predicate())) {
            stage.taken = taken_iterations(def.predicate(), stage.dims);
            bodies_.read({def.predicate()}, stage, f.name());
            for_each_load(def.predicate(), [&](const Call *load) {
                stage.condition.resize(stage.dims.size());
                for (const DimId d : stage.dims.ids()) {
                    stage.condition[d] = stage.condition[d] || uses_variable(stage.dims[d].name)(load);
                }
            });
        }
        classify_update(f, def, stage);
        find_shared_work(f, def, stage);
        find_patterns(f, stage);
        push(stage);
    }

    /** Tells work apart that not all dims change. Of sums it is that of operands, which are priced as loads.
     */
    void find_shared_work(const Function &f, const Definition &def, Stage &stage) const {
        if (stage.role == Role::reduction || stage.role == Role::contraction || !stage.own.empty() ||
            stage.cases) {
            return;
        }
        stage.hoisted = work_of_some_dims(def.values(), stage, f.name(), bodies_);
        for (const HoistedWork &hoisted : stage.hoisted) {
            stage.body -= hoisted.body;
        }
    }

    /** Finds what goes along points of its own; `written`: where it writes. */
    static void find_independent(const Function &f, const Definition &def, const Access &written,
                                 Stage &stage) {
        const std::vector<ReductionVariable> &rvars = def.schedule().rvars();
        stage.goes_along.assign(stage.dims.size(), -1);
        for (size_t r = 0; r < rvars.size(); r++) {
            const DimId d = f.dimensions() + static_cast<int>(r);
            if (!can_parallelize_rvar(rvars[r].var, f.name(), def)) {
                continue;
            }
            std::vector<DimId> changed;
            for (const DimId i : written.indices.ids()) {
                if (written.indices[i].depends_on(d)) {
                    changed.push_back(i);
                }
            }
            const bool counts = changed.size() == 1 && written.indices[changed.front()].affine &&
                                written.indices[changed.front()].scale[d] == 1;
            stage.goes_along[d] = counts ? changed.front() : written.indices.next_id();
        }
    }

    /** The dims that change the places of `written` which are computed. */
    static DimFlags computed_by(const Access &written, const Stage &stage) {
        DimFlags by(stage.dims.size(), false);
        for (const Index &i : written.indices) {
            for (const DimId d : stage.dims.ids()) {
                by[d] = by[d] || (!i.affine && i.depends_on(d));
            }
        }
        return by;
    }

    void classify_update(const Function &f, const Definition &def, Stage &stage) {
        const AssociativeOp op = associativity(f, def);
        stage.reassociable = op.associative() && op.commutative() && f.output_types().size() == 1;
        stage.order_free = stage.reassociable && !f.output_types()[0].is_float();
        stage.adds = stage.reassociable && op.pattern.ops[0].as<Add>() != nullptr;
        stage.adds_or_multiplies =
            stage.adds || (stage.reassociable && op.pattern.ops[0].as<Mul>() != nullptr);
        const std::vector<Type> &types = f.output_types();
        stage.mergeable = op.associative();
        stage.mergeable_exactly = stage.mergeable && std::none_of(types.begin(), types.end(),
                                                                  [](const Type &t) { return t.is_float(); });
        if (!writes_own_point(f, def)) {
            bodies_.read(def.args(), stage, f.name());
            const Access written = bodies_.access(def.args(), stage);
            find_independent(f, def, written, stage);
            if (written.affine()) {
                stage.written = written;
            } else {
                stage.scattered_by = computed_by(written, stage);
            }
            const bool scan = reads_other_points(f, def);
            stage.chain = scan ? chain_of(f, def) : std::nullopt;
            stage.role = scan ? Role::scan : Role::scatter;
            for (DimId d = 0; d < f.dimensions(); d++) {
                const Variable *v = def.args()[d].as<Variable>();
                stage.own.push_back(v && v->name == f.args()[d]);
                if (!stage.own[d]) {
                    stage.dims[d].extent = 1;  // the reduction variables go along this one
                }
            }
            stage.why_opaque = scan ? "its update reads what it wrote at other coordinates (a scan)"
                                    : "it writes to computed coordinates (a scatter)";
            return;
        }
        stage.starts_neutral = stage.reassociable && (stage.order_free || starts_neutral(f, op));
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

Graph build_graph(const std::vector<Function> &outputs, const std::vector<const PatternFinder *> &finders,
                  bool functions_in_vectors) {
    Graph graph;
    on_large_stack([&] { graph = Builder(outputs, finders, functions_in_vectors).build(); });
    return graph;
}

}  // namespace eutectic
