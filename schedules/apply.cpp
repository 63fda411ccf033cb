#include "graph/read/outputs.h"
#include "graph/read/shared.h"
#include "schedules/directive.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

class Applier {
public:
    Applier(const Schedule &schedule, const Pipeline &pipeline) : schedule_(schedule), pipeline_(pipeline) {
        // All before the first directive: wrappers and rfactor change what get_func() counts. What it counts
        // is looked up once here; it does so for every Func again, a time that grows with the square of their
        // number.
        const std::vector<Internal::Function> outputs = output_functions(pipeline);
        const std::map<std::string, Internal::Function> env = Internal::build_environment(outputs);
        const std::vector<std::string> order = Internal::topological_order(outputs, env);
        for (const FuncId f : schedule.pipeline_index.ids()) {
            if (schedule.pipeline_index[f] >= 0) {
                funcs_[f] = Func(env.at(order[schedule.pipeline_index[f]]));
            }
        }
        const std::vector<Func> measured = measured_buffers(pipeline);
        for (const FuncId f : schedule.measured_index.ids()) {
            if (schedule.measured_index[f] >= 0) {
                funcs_[f] = measured[schedule.measured_index[f]];
            }
        }
    }

    std::map<FuncId, Func> run() {
        for (const Directive &d : schedule_.directives) {
            perform(d);
        }
        if (schedule_.vectorize_functions) {
            vectorize_functions(pipeline_);
        }
        if (schedule_.approximate_functions) {
            approximate_functions(pipeline_);
        }
        return funcs_;
    }

private:
    const Schedule &schedule_;
    Pipeline pipeline_;
    std::map<FuncId, Func> funcs_;
    std::map<std::pair<FuncId, int>, Halide::Stage> whole_;

    VarOrRVar var(const Directive &d, const VarRef &v) {
        Func &f = funcs_.at(d.func);
        if (v.argument >= 0) {
            return f.args()[v.argument];
        } else if (v.reduction >= 0) {
            return f.rvars(d.update)[v.reduction];
        }
        return v.made_reduction ? VarOrRVar(RVar(v.made)) : VarOrRVar(Var(v.made));
    }

    VarOrRVar var(const Directive &d, size_t i) {
        return var(d, d.vars[i]);
    }

    std::vector<Func> funcs_of(const std::vector<FuncId> &ids) const {
        std::vector<Func> funcs;
        for (const FuncId f : ids) {
            funcs.push_back(funcs_.at(f));
        }
        return funcs;
    }

    Halide::Stage stage(const Directive &d) {
        if (d.whole) {
            return whole_.at({d.func, d.update});
        }
        return d.update < 0 ? Halide::Stage(funcs_.at(d.func)) : funcs_.at(d.func).update(d.update);
    }

    /** What a run tells of a buffer's dimension: of an input, by `of_input`. */
    Expr size_of(const BufferDim &b, Expr (*of_input)(const Func &, int),
                 Expr (Internal::Dimension::*of_output)() const) {
        Func &f = funcs_.at(b.func);
        return schedule_.input[b.func] ? of_input(f, b.dim) : (f.output_buffers()[0].dim(b.dim).*of_output)();
    }

    Expr extent(const BufferDim &b) {
        return size_of(b, input_extent, &Internal::Dimension::extent);
    }

    Expr min(const BufferDim &b) {
        return size_of(b, input_min, &Internal::Dimension::min);
    }

    Expr stride(const BufferDim &b) {
        return size_of(b, input_stride, &Internal::Dimension::stride);
    }

    Expr condition(const std::vector<Condition> &conditions) {
        Expr all;
        // In the order, and nested, as C++ would.
        const auto also = [&](const Expr &c) { all = all.defined() ? all && c : c; };
        for (const Condition &c : conditions) {
            const int size = static_cast<int32_t>(c.points);
            const Expr points = size;
            switch (c.kind) {
            case Condition::Kind::stride: also(stride(c.buffer) == points); break;
            case Condition::Kind::rows:
                also(rows_at_multiples(funcs_.at(c.buffer.func), c.buffer.dim, size));
                break;
            case Condition::Kind::aligned: also(on_device_at_multiple(funcs_.at(c.buffer.func), size)); break;
            case Condition::Kind::multiple: also(min(c.buffer) % points == 0); break;
            case Condition::Kind::at_least: also(extent(c.buffer) >= points); break;
            case Condition::Kind::exactly:
                also(min(c.buffer) == static_cast<int32_t>(c.first));
                also(extent(c.buffer) == points);
                break;
            }
            if (c.inside) {
                const Expr first = c.inside->from_zero ? Expr(0) : min(*c.inside);
                also(min(c.buffer) >= first);
                also(min(c.buffer) + extent(c.buffer) <= first + extent(*c.inside));
            }
        }
        return all;
    }

    void perform(const Directive &d) {
        using Op = Directive::Op;
        switch (d.op) {
        // Rewrites of definitions, and Funcs that are made.
        case Op::rewrite: rewrite(d); break;
        case Op::read_panels: read_panels(pipeline_, func(d), arguments(d), size(d)); break;
        case Op::wrap: funcs_[d.made] = wrapper(d); break;
        case Op::rfactor: funcs_[d.made] = stage(d).rfactor(preserved_vars(d)); break;
        case Op::narrow_threads: keep_threads_apart(pipeline_); break;
        // Loops.
        case Op::specialize: specialize(d); break;
        case Op::split: stage(d).split(var(d, 0), var(d, 1), var(d, 2), step(d), tail(d)); break;
        case Op::fuse: stage(d).fuse(var(d, 0), var(d, 1), var(d, 2)); break;
        case Op::rename: rename_loop(func(d), d.vars[0].argument, d.vars[1].made); break;
        case Op::reorder: stage(d).reorder(all_vars(d)); break;
        case Op::atomic: stage(d).atomic(); break;
        case Op::vectorize: stage(d).vectorize(var(d, 0)); break;
        case Op::unroll: stage(d).unroll(var(d, 0)); break;
        case Op::parallel: stage(d).parallel(var(d, 0)); break;
        case Op::never_partition: stage(d).never_partition(all_vars(d)); break;
        case Op::gpu_blocks: stage(d).gpu_blocks(var(d, 0)); break;
        case Op::gpu_threads: stage(d).gpu_threads(var(d, 0)); break;
        case Op::gpu_lanes: stage(d).gpu_lanes(var(d, 0)); break;
        case Op::bound_extent: func(d).bound_extent(var(d, 0).var, size(d)); break;
        case Op::unscheduled: stage(d).unscheduled(); break;
        // Placement, and how what is placed is stored.
        case Op::compute_root: func(d).compute_root(); break;
        case Op::compute_at: func(d).compute_at(level(d)); break;
        case Op::compute_with: stage(d).compute_with(Halide::Stage(other(d)), level_var(d)); break;
        case Op::store_at: func(d).store_at(level(d)); break;
        case Op::hoist_storage: func(d).hoist_storage(level(d)); break;
        case Op::store_on_stack:
        case Op::by_threads: func(d).store_in(MemoryType::Stack); break;
        case Op::align_storage: func(d).align_storage(var(d, 0).var, size(d)); break;
        case Op::bound_storage: func(d).bound_storage(var(d, 0).var, size(d)); break;
        case Op::reorder_storage: reorder_storage(d); break;
        }
    }

    Func &func(const Directive &d) {
        return funcs_.at(d.func);
    }

    Func &other(const Directive &d) {
        return funcs_.at(d.other);
    }

    static int32_t size(const Directive &d) {
        return static_cast<int32_t>(d.size);
    }

    /** Of a split. */
    Expr step(const Directive &d) {
        return d.fit ? fitted_step(extent(d.fit->buffer), size(d), static_cast<int32_t>(d.fit->turns),
                                   static_cast<int32_t>(d.fit->beyond))
                     : Expr(size(d));
    }

    static TailStrategy tail(const Directive &d) {
        return d.tail == Directive::Tail::guard ? TailStrategy::GuardWithIf : TailStrategy::ShiftInwards;
    }

    void rewrite(const Directive &d) {
        const Func made = d.rewrite->make({func(d), funcs_of(d.others), size(d)});
        if (d.made >= 0) {
            funcs_[d.made] = made;
        }
    }

    Func wrapper(const Directive &d) {
        return !d.others.empty() ? func(d).in(funcs_of(d.others))
               : d.other < 0     ? func(d).in()
                                 : func(d).in(other(d));
    }

    void specialize(const Directive &d) {
        whole_.emplace(std::make_pair(d.func, d.update), stage(d).specialize(condition(d.conditions)));
    }

    void reorder_storage(const Directive &d) {
        std::vector<Var> vars;
        for (const VarOrRVar &v : all_vars(d)) {
            vars.push_back(v.var);
        }
        func(d).reorder_storage(vars);
    }

    static std::vector<int> arguments(const Directive &d) {
        std::vector<int> numbers;
        for (const VarRef &v : d.vars) {
            numbers.push_back(v.argument);
        }
        return numbers;
    }

    std::vector<VarOrRVar> all_vars(const Directive &d) {
        std::vector<VarOrRVar> vars;
        for (const VarRef &v : d.vars) {
            vars.push_back(var(d, v));
        }
        return vars;
    }

    /** The reduction variables that rfactor keeps apart, and the Vars that take their places. */
    std::vector<std::pair<RVar, Var>> preserved_vars(const Directive &d) {
        std::vector<std::pair<RVar, Var>> pairs;
        for (size_t v = 0; v + 1 < d.vars.size(); v += 2) {
            pairs.emplace_back(var(d, v).rvar, var(d, v + 1).var);
        }
        return pairs;
    }

    /** vars[0], which is a loop of `other`. */
    VarOrRVar level_var(const Directive &d) {
        Directive at = d;
        at.func = d.other;
        return var(at, 0);
    }

    LoopLevel level(const Directive &d) {
        return LoopLevel(other(d), level_var(d));
    }
};

}  // namespace

std::map<FuncId, Func> apply(const Schedule &schedule, const Pipeline &pipeline) {
    std::map<FuncId, Func> funcs;
    on_large_stack([&] { funcs = Applier(schedule, pipeline).run(); });
    return funcs;
}

}  // namespace eutectic
