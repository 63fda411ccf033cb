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
        std::vector<Internal::Function> outputs;
        for (const Func &f : pipeline.outputs()) {
            outputs.push_back(f.function());
        }
        const std::map<std::string, Internal::Function> env = Internal::build_environment(outputs);
        const std::vector<std::string> order = Internal::topological_order(outputs, env);
        for (size_t f = 0; f < schedule.pipeline_index.size(); f++) {
            funcs_[static_cast<FuncId>(f)] =
                Func(env.at(order[static_cast<size_t>(schedule.pipeline_index[f])]));
        }
    }

    std::map<FuncId, Func> run() {
        for (const Directive &d : schedule_.directives) {
            perform(d);
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
            return f.args()[static_cast<size_t>(v.argument)];
        } else if (v.reduction >= 0) {
            return f.rvars(d.update)[static_cast<size_t>(v.reduction)];
        }
        return v.made_reduction ? VarOrRVar(RVar(v.made)) : VarOrRVar(Var(v.made));
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

    Expr extent(const BufferDim &b) {
        Func &f = funcs_.at(b.func);
        return schedule_.input[static_cast<size_t>(b.func)] ? input_extent(f, b.dim)
                                                            : f.output_buffers()[0].dim(b.dim).extent();
    }

    Expr min(const BufferDim &b) {
        Func &f = funcs_.at(b.func);
        return schedule_.input[static_cast<size_t>(b.func)] ? input_min(f, b.dim)
                                                            : f.output_buffers()[0].dim(b.dim).min();
    }

    Expr condition(const std::vector<Condition> &conditions) {
        Expr all;
        const auto also = [&](const Expr &c) {
            all = all.defined() ? all && c : c;
        };  // in the order, and nested, as C++ would
        for (const Condition &c : conditions) {
            also(extent(c.buffer) >= Expr(static_cast<int32_t>(c.points)));
            if (c.inside) {
                also(min(c.buffer) >= min(*c.inside));
                also(min(c.buffer) + extent(c.buffer) <= min(*c.inside) + extent(*c.inside));
            }
        }
        return all;
    }

    void perform(const Directive &d) {
        using Op = Directive::Op;
        const TailStrategy tail =
            d.tail == Directive::Tail::guard ? TailStrategy::GuardWithIf : TailStrategy::ShiftInwards;
        switch (d.op) {
        case Op::choose: funcs_[d.func] = choose_assigned(funcs_.at(d.func)); break;
        case Op::quotients: multiply_for_quotients(funcs_.at(d.func)); break;
        case Op::reciprocal: funcs_[d.made] = multiply_by_reciprocal(funcs_.at(d.func)); break;
        case Op::lines:
            funcs_[d.made] =
                write_line_by_rows(funcs_.at(d.func), funcs_of(d.others), static_cast<int>(d.size));
            break;
        case Op::rows:
            funcs_[d.made] =
                put_rows_together(funcs_.at(d.func), funcs_.at(d.other), static_cast<int>(d.size));
            break;
        case Op::division:
            funcs_[d.made] = d.other < 0 ? divide_after_reduction(funcs_.at(d.func))
                                         : divide_after_reduction(funcs_.at(d.func), funcs_.at(d.other));
            break;
        case Op::move_sum: funcs_[d.made] = move_sum(funcs_.at(d.func)); break;
        case Op::again: funcs_[d.made] = compute_again(funcs_.at(d.func), funcs_.at(d.other)); break;
        case Op::online: funcs_[d.made] = sum_online(funcs_.at(d.func), funcs_.at(d.other)); break;
        case Op::partial_pairs:
            funcs_[d.made] = partial_pairs(funcs_.at(d.func), static_cast<int>(d.size));
            break;
        case Op::wrap:
            funcs_[d.made] = !d.others.empty() ? funcs_.at(d.func).in(funcs_of(d.others))
                             : d.other < 0     ? funcs_.at(d.func).in()
                                               : funcs_.at(d.func).in(funcs_.at(d.other));
            break;
        case Op::rfactor: funcs_[d.made] = stage(d).rfactor(kept_apart(d)); break;
        case Op::specialize:
            whole_.emplace(std::make_pair(d.func, d.update), stage(d).specialize(condition(d.conditions)));
            break;
        case Op::split:
            stage(d).split(var(d, d.vars[0]), var(d, d.vars[1]), var(d, d.vars[2]),
                           static_cast<int32_t>(d.size), tail);
            break;
        case Op::reorder: stage(d).reorder(all_vars(d)); break;
        case Op::atomic: stage(d).atomic(); break;
        case Op::vectorize: stage(d).vectorize(var(d, d.vars[0])); break;
        case Op::unroll: stage(d).unroll(var(d, d.vars[0])); break;
        case Op::parallel: stage(d).parallel(var(d, d.vars[0])); break;
        case Op::fuse: stage(d).fuse(var(d, d.vars[0]), var(d, d.vars[1]), var(d, d.vars[2])); break;
        case Op::gpu_blocks: stage(d).gpu_blocks(var(d, d.vars[0])); break;
        case Op::gpu_threads: stage(d).gpu_threads(var(d, d.vars[0])); break;
        case Op::gpu_lanes: stage(d).gpu_lanes(var(d, d.vars[0])); break;
        case Op::compute_root: funcs_.at(d.func).compute_root(); break;
        case Op::compute_at: funcs_.at(d.func).compute_at(level(d)); break;
        case Op::compute_with: stage(d).compute_with(Halide::Stage(funcs_.at(d.other)), level_var(d)); break;
        case Op::rename: rename_loop(funcs_.at(d.func), d.vars[0].argument, d.vars[1].made); break;
        case Op::store_on_stack: funcs_.at(d.func).store_in(MemoryType::Stack); break;
        case Op::hoist_storage: funcs_.at(d.func).hoist_storage(level(d)); break;
        case Op::bound_storage:
            funcs_.at(d.func).bound_storage(var(d, d.vars[0]).var, static_cast<int32_t>(d.size));
            break;
        case Op::by_threads: funcs_.at(d.func).store_in(MemoryType::Stack); break;
        case Op::narrow_threads: keep_threads_apart(pipeline_); break;
        case Op::bound_extent:
            funcs_.at(d.func).bound_extent(var(d, d.vars[0]).var, static_cast<int32_t>(d.size));
            break;
        case Op::reorder_storage: {
            std::vector<Var> vars;
            for (const VarOrRVar &v : all_vars(d)) {
                vars.push_back(v.var);
            }
            funcs_.at(d.func).reorder_storage(vars);
            break;
        }
        case Op::unscheduled: stage(d).unscheduled(); break;
        }
    }

    std::vector<VarOrRVar> all_vars(const Directive &d) {
        std::vector<VarOrRVar> vars;
        for (const VarRef &v : d.vars) {
            vars.push_back(var(d, v));
        }
        return vars;
    }

    /** The reduction variables that rfactor keeps apart, and the Vars that take their places. */
    std::vector<std::pair<RVar, Var>> kept_apart(const Directive &d) {
        std::vector<std::pair<RVar, Var>> pairs;
        for (size_t v = 0; v + 1 < d.vars.size(); v += 2) {
            pairs.emplace_back(var(d, d.vars[v]).rvar, var(d, d.vars[v + 1]).var);
        }
        return pairs;
    }

    /** vars[0], which is a loop of `other`. */
    VarOrRVar level_var(const Directive &d) {
        Directive at = d;
        at.func = d.other;
        return var(at, d.vars[0]);
    }

    LoopLevel level(const Directive &d) {
        return LoopLevel(funcs_.at(d.other), level_var(d));
    }
};

}  // namespace

std::map<FuncId, Func> apply(const Schedule &schedule, const Pipeline &pipeline) {
    std::map<FuncId, Func> funcs;
    on_large_stack([&] { funcs = Applier(schedule, pipeline).run(); });
    return funcs;
}

}  // namespace eutectic
