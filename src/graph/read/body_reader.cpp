#include "graph/read/body_reader.h"

#include <algorithm>
#include <set>

#include "graph/data/access.h"
#include "graph/read/clamps.h"
#include "graph/read/copies.h"
#include "graph/read/quotients.h"
#include "graph/read/read_arithmetic.h"
#include "graph/read/read_expr.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

std::optional<BufferDim> BodyReader::owned(const std::pair<std::string, DimId> &dim_of_parameter) const {
    const auto &[parameter, d] = dim_of_parameter;
    const auto owner = buffer_owner_.find(parameter);
    return owner == buffer_owner_.end() ? std::nullopt : std::optional<BufferDim>({owner->second, d});
}

std::optional<BufferDim> BodyReader::buffer_dim(const Expr &e) const {
    for (const auto &extent : extents_within(e)) {
        if (std::optional<BufferDim> found = owned(extent)) {
            return found;
        }
    }
    return std::nullopt;
}

namespace {

/** The Funcs that are left in `v` once Halide has simplified it, as lowering does: where a - a is 0, nothing
 * reads a, and where a was to be computed in loops, Halide (21) crashes. Large expressions are taken as they
 * are: to simplify one takes longer than all else about it. */
std::set<std::string> still_read(const Expr &v) {
    std::set<std::string> names;
    for_each_load(is_small(v) ? simplify_shared(with_constant_funcs(v)) : v,
                  [&](const Call *load) { names.insert(load->name); });
    return names;
}

std::vector<std::string> pure_names(const Dims &dims) {
    std::vector<std::string> names;
    for (const Dim &d : dims) {
        if (!d.reduction) {
            names.push_back(d.name);
        }
    }
    return names;
}

}  // namespace

std::map<std::string, DimId> positions(const Dims &all) {
    std::map<std::string, DimId> dims;
    for (const DimId d : all.ids()) {
        dims[all[d].name] = d;
    }
    return dims;
}

void BodyReader::add_quotients(const std::vector<Expr> &values, Stage &stage) {
    if (run_time_quotients(values).empty()) {
        return;
    }
    if (!stage.is_simplified_by(run_time_quotients_rewrite)) {
        stage.simplified.emplace_back(run_time_quotients_rewrite);
    }
    std::vector<Expr> usual;  // what mirrors an image divides beyond its edges alone
    std::transform(values.begin(), values.end(), std::back_inserter(usual), likely_sides);
    for (const Quotient &q : run_time_quotients(usual)) {
        stage.body.add_flops(quotient_operations + (q.remainder_used ? remainder_operations : 0),
                             q.dividend.type().bytes());
    }
}

ExprSummary BodyReader::work(const Expr &e, std::set<std::string> *guarding) const {
    return summarize(e, guarding, graph_.functions_in_vectors);
}

Access BodyReader::access(const std::vector<Expr> &args, const Stage &stage) const {
    const std::map<std::string, DimId> dims = positions(stage.dims);
    Access access;
    for (const Expr &arg : args) {
        access.indices.push_back(read_index_at_estimates(arg, dims));
        count_from_first(dims, access.indices.back());
    }
    return access;
}

void BodyReader::read(const std::vector<Expr> &values, Stage &stage, const std::string &self) {
    const std::map<std::string, DimId> dims = positions(stage.dims);
    const std::vector<std::string> moving = pure_names(stage.dims);
    add_quotients(values, stage);
    for (const Expr &value : values) {
        // What several loads or operations share is a let by now; its definition says what it is: an
        // index or work.
        const Expr v = without_lets(value);
        std::set<std::string> guarding;
        const ExprSummary sum = work(v, &guarding);
        const bool by_coordinates = std::any_of(stage.dims.begin(), stage.dims.end(),
                                                [&](const Dim &d) { return guarding.count(d.name) > 0; });
        if (sum.guards > 0 || by_coordinates) {
            stage.guarded.resize(stage.dims.size());
        }
        for (const DimId d : stage.guarded.ids()) {
            stage.guarded[d] = stage.guarded[d] || guarding.count(stage.dims[d].name) > 0;
        }
        stage.body += sum;
        if (!stage.is_simplified_by(bare_clamps_rewrite) && has_bare_clamps(v, moving)) {
            stage.simplified.emplace_back(bare_clamps_rewrite);
        }
        const std::set<std::string> read = still_read(v);
        for_each_load(v, [&](const Call *load) {
            if (load->call_type == Call::Halide && load->name != self) {
                if (read.count(load->name) == 0) {
                    stage.cancels = true;
                    // Halide asks for its place before it finds out, and has none for it in loops afterwards.
                    std::string &reason = graph_.funcs[order_.ids.at(load->name)].own_buffer_reason;
                    reason = reason.empty()
                                 ? "is read in terms that cancel, for which loops that read it have no place"
                                 : reason;
                }
                add_edge(load, dims, stage);
            }
        });
        stage.result |= result_of(v);
        add_uses(v, stage);
    }
}

/** Ways to read a Func are not told apart: the expressions move together. */
void BodyReader::add_uses(const Expr &value, const Stage &stage) {
    const std::map<std::string, LoadUse> uses = uses_of(value);
    for (const EdgeId e : stage.edges) {
        Edge &edge = graph_.edges[e];
        const auto use = uses.find(order_.functions[edge.producer].name());
        edge.into |= use == uses.end() ? Arithmetic() : use->second.into;
        edge.forwarded = edge.forwarded || (use != uses.end() && use->second.forwarded);
    }
}

void BodyReader::read_extern(const Function &f, Stage &stage) {
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
        edge.access.indices.assign(producer.dimensions(), anywhere);
        stage.edges.push_back(graph_.edges.next_id());
        graph_.edges.push_back(edge);
    }
}

void BodyReader::read_product(const Function &f, const ProductCall &call, Stage &stage) {
    LibraryCall library;
    library.whole = call.whole;
    std::vector<int64_t> points;  // of each sum
    for (const Expr &extent : call.sum_extents) {
        points.push_back(std::max<int64_t>(1, as_const_int(at_estimates(extent)).value_or(1)));
        library.terms *= points.back();
    }
    library.in_a.assign(stage.dims.size(), false);
    library.in_b.assign(stage.dims.size(), false);
    for (const size_t operand : {0, 1}) {
        Edge edge;
        edge.producer =
            order_.ids.at(operand_of(f.extern_arguments()[operand], order_.functions.elements())->name());
        for (const FactorIndex &along : operand == 0 ? call.a : call.b) {
            Index index;
            index.scale.assign(stage.dims.size(), 0.0);
            if (along.sum >= 0) {
                index.halo = static_cast<double>(along.step * (points[along.sum] - 1));
                index.exact = false;
            }
            if (along.dim >= 0) {
                index.scale[along.dim] = along.scale;
                (operand == 0 ? library.in_a : library.in_b)[along.dim] = true;
            }
            edge.access.indices.push_back(index);
        }
        edge.into.products = true;
        stage.edges.push_back(graph_.edges.next_id());
        graph_.edges.push_back(edge);
    }
    stage.body.add_flops(2 * static_cast<double>(library.terms), f.output_types()[0].bytes());
    stage.library = library;
}

bool BodyReader::is_view_of_buffer(FuncId f) const {
    while (!wrapped_buffer(order_.functions[f])) {
        const Call *read = copied(order_.functions[f]);
        const auto producer =
            read && read->call_type == Call::Halide ? order_.ids.find(read->name) : order_.ids.end();
        if (producer == order_.ids.end()) {
            return false;
        }
        f = producer->second;
    }
    return true;
}

void BodyReader::add_edge(const Call *load, const std::map<std::string, DimId> &dims, Stage &stage) {
    Edge edge;
    edge.producer = order_.ids.at(load->name);
    for (const Expr &whole : load->args) {
        // What Halide's bounds of a Func take for both sides of a choice is of no interest for a buffer,
        // which is there: a mirrored or repeated image is read where it is not mirrored nearly always.
        const Expr likely = likely_side(whole);
        const Expr arg = !likely.same_as(whole) && is_view_of_buffer(edge.producer) ? likely : whole;
        Index index = read_index_at_estimates(arg, dims);
        if (const std::optional<ClampedLoop> clamped = clamped_to_buffer(arg, dims)) {
            index.clamped_dim = clamped->loop;
            index.clamped_to = owned({clamped->parameter, clamped->dim});
            if (index.clamped_to) {
                index.clamped_to->from_zero = clamped->from_zero;
            }
        }
        count_from_first(dims, index);
        edge.access.indices.push_back(index);
    }
    const bool comparable = same_points(edge.access, edge.access);  // a stencil's are not, and has many
    for (size_t i = 0; comparable && i < stage.edges.size(); i++) {
        Edge &old = graph_.edges[stage.edges[i]];
        if (old.producer == edge.producer && same_points(old.access, edge.access)) {
            old.loads++;
            return;
        }
    }
    stage.edges.push_back(graph_.edges.next_id());
    graph_.edges.push_back(edge);
}

/** Loops are numbered from 0, whatever a reduction variable begins at. */
void BodyReader::count_from_first(const std::map<std::string, DimId> &dims, Index &index) const {
    for (const auto &[name, dim] : dims) {
        const auto first = first_value_.find(name);
        if (first != first_value_.end() && index.scale[dim] != 0) {
            const double scale = index.scale[dim];
            index.offset =
                index.offset && first->second
                    ? std::optional<double>(*index.offset + scale * static_cast<double>(*first->second))
                    : std::nullopt;
        }
    }
}

RewrittenBody BodyReader::rewritten(const std::vector<Expr> &values, const Dims &dims,
                                    const std::string &self) {
    Stage stage;
    stage.dims = dims;
    const size_t before = graph_.edges.size();
    read(values, stage, self);
    RewrittenBody result;
    result.body = stage.body;
    result.edges.assign(graph_.edges.begin() + static_cast<std::ptrdiff_t>(before), graph_.edges.end());
    graph_.edges.resize(before);
    return result;
}

}  // namespace eutectic
