#include <set>
#include <sstream>

#include "schedules/directive.h"

namespace eutectic {

namespace {

class Printer {
public:
    explicit Printer(const Schedule &schedule) : schedule_(schedule) {
    }

    std::string run() {
        s_ << "// Needs schedules/rewrites.h of Eutectic for the sizes of inputs.\n";
        for (size_t f = 0; f < schedule_.names.size(); f++) {
            s_ << "Halide::Func " << schedule_.names[f] << " = pipeline.get_func("
               << schedule_.pipeline_index[f] << ");\n";
        }
        declare_variables();
        for (const Directive &d : schedule_.directives) {
            print(d);
        }
        for (const std::string &name : schedule_.names) {
            s_ << "(void)" << name << ";\n";
        }
        return s_.str();
    }

private:
    const Schedule &schedule_;
    std::ostringstream s_;

    std::string name(FuncId f) const {
        return f < static_cast<FuncId>(schedule_.names.size()) ? schedule_.names[static_cast<size_t>(f)]
                                                               : schedule_.made_names.at(f);
    }

    /** A made name may serve as a Var of one Func and an RVar of another. */
    static std::string variable(const VarRef &v) {
        return (v.made_reduction ? "r_" : "v_") + v.made;
    }

    void declare_variables() {
        std::set<std::string> done;
        for (const Directive &d : schedule_.directives) {
            for (const VarRef &v : d.vars) {
                if (!v.made.empty() && done.insert(variable(v)).second) {
                    s_ << "Halide::" << (v.made_reduction ? "RVar " : "Var ") << variable(v) << "(\""
                       << v.made << "\");\n";
                }
            }
        }
    }

    std::string var(FuncId func, int update, const VarRef &v) const {
        if (v.argument >= 0) {
            return name(func) + ".args()[" + std::to_string(v.argument) + "]";
        } else if (v.reduction >= 0) {
            return name(func) + ".rvars(" + std::to_string(update) + ")[" + std::to_string(v.reduction) + "]";
        }
        return variable(v);
    }

    std::string vars(const Directive &d) const {
        std::string list;
        for (const VarRef &v : d.vars) {
            list += (list.empty() ? "" : ", ") + var(d.func, d.update, v);
        }
        return list;
    }

    /** One pair of a reduction variable and the Var that takes its place, or a list of pairs. */
    std::string kept_apart(const Directive &d) const {
        if (d.vars.size() == 2) {
            return vars(d);
        }
        std::string list;
        for (size_t v = 0; v + 1 < d.vars.size(); v += 2) {
            list += (v ? ", {" : "{") + var(d.func, d.update, d.vars[v]) + ", " +
                    var(d.func, d.update, d.vars[v + 1]) + "}";
        }
        return "{" + list + "}";
    }

    std::string stage(const Directive &d) const {
        if (d.whole) {
            return name(d.func) + (d.update < 0 ? "" : "_update" + std::to_string(d.update)) + "_whole";
        }
        return name(d.func) + (d.update < 0 ? "" : ".update(" + std::to_string(d.update) + ")");
    }

    void print(const Directive &d) {
        using Op = Directive::Op;
        switch (d.op) {
        case Op::choose:
            s_ << name(d.func) << " = eutectic::choose_assigned(" << name(d.func) << ");\n";
            return;
        case Op::quotients: s_ << "eutectic::multiply_for_quotients(" << name(d.func) << ");\n"; return;
        case Op::reciprocal:
            s_ << "Halide::Func " << name(d.made) << " = eutectic::multiply_by_reciprocal(" << name(d.func)
               << ");\n";
            return;
        case Op::lines:
            s_ << "Halide::Func " << name(d.made) << " = eutectic::write_line_by_rows(" << name(d.func)
               << ", {" << names(d.others) << "}, " << d.size << ");\n";
            return;
        case Op::rows:
            s_ << "Halide::Func " << name(d.made) << " = eutectic::put_rows_together(" << name(d.func) << ", "
               << name(d.other) << ", " << d.size << ");\n";
            return;
        case Op::division:
            s_ << "Halide::Func " << name(d.made) << " = eutectic::divide_after_reduction(" << name(d.func)
               << (d.other < 0 ? "" : ", " + name(d.other)) << ");\n";
            return;
        case Op::move_sum:
            s_ << "Halide::Func " << name(d.made) << " = eutectic::move_sum(" << name(d.func) << ");\n";
            return;
        case Op::again:
            s_ << "Halide::Func " << name(d.made) << " = eutectic::compute_again(" << name(d.func) << ", "
               << name(d.other) << ");\n";
            return;
        case Op::online:
            s_ << "Halide::Func " << name(d.made) << " = eutectic::sum_online(" << name(d.func) << ", "
               << name(d.other) << ");\n";
            return;
        case Op::partial_pairs:
            s_ << "Halide::Func " << name(d.made) << " = eutectic::partial_pairs(" << name(d.func) << ", "
               << d.size << ");\n";
            return;
        case Op::wrap:
            s_ << "Halide::Func " << name(d.made) << " = " << name(d.func) << ".in("
               << (!d.others.empty() ? "{" + names(d.others) + "}"
                   : d.other < 0     ? ""
                                     : name(d.other))
               << ");\n";
            return;
        case Op::rfactor:
            s_ << "Halide::Func " << name(d.made) << " = " << stage(d) << ".rfactor(" << kept_apart(d)
               << ");\n";
            return;
        case Op::specialize: print_specialize(d); return;
        case Op::compute_at: print_level(d, "compute_at"); return;
        case Op::compute_with:
            s_ << stage(d) << ".compute_with(" << name(d.other) << ", " << var(d.other, d.update, d.vars[0])
               << ");\n";
            return;
        case Op::rename:
            s_ << "eutectic::rename_loop(" << name(d.func) << ", " << d.vars[0].argument << ", \""
               << d.vars[1].made << "\");\n";
            return;
        case Op::store_on_stack: s_ << name(d.func) << ".store_in(Halide::MemoryType::Stack);\n"; return;
        case Op::hoist_storage: print_level(d, "hoist_storage"); return;
        case Op::bound_storage:
            s_ << name(d.func) << ".bound_storage(" << vars(d) << ", " << d.size << ");\n";
            return;
        case Op::by_threads: s_ << name(d.func) << ".store_in(Halide::MemoryType::Stack);\n"; return;
        case Op::narrow_threads: s_ << "eutectic::keep_threads_apart(pipeline);\n"; return;
        case Op::bound_extent:
            s_ << name(d.func) << ".bound_extent(" << vars(d) << ", " << d.size << ");\n";
            return;
        case Op::split:
            s_ << stage(d) << ".split(" << vars(d) << ", " << d.size << ", Halide::TailStrategy::"
               << (d.tail == Directive::Tail::guard ? "GuardWithIf" : "ShiftInwards") << ");\n";
            return;
        default: s_ << stage(d) << "." << call(d.op) << "(" << vars(d) << ");\n";
        }
    }

    std::string names(const std::vector<FuncId> &funcs) const {
        std::string all;
        for (const FuncId f : funcs) {
            all += (all.empty() ? "" : ", ") + name(f);
        }
        return all;
    }

    static const char *call(Directive::Op op) {
        using Op = Directive::Op;
        switch (op) {
        case Op::reorder: return "reorder";
        case Op::atomic: return "atomic";
        case Op::vectorize: return "vectorize";
        case Op::unroll: return "unroll";
        case Op::parallel: return "parallel";
        case Op::fuse: return "fuse";
        case Op::gpu_blocks: return "gpu_blocks";
        case Op::gpu_threads: return "gpu_threads";
        case Op::gpu_lanes: return "gpu_lanes";
        case Op::compute_root: return "compute_root";
        case Op::reorder_storage: return "reorder_storage";
        default: return "unscheduled";
        }
    }

    /** "extent" or "min" of a buffer that the caller passes. */
    std::string size(const std::string &which, const BufferDim &b) const {
        const std::string buffer = name(b.func), dim = std::to_string(b.dim);
        const bool input = schedule_.input[static_cast<size_t>(b.func)];
        return input ? "eutectic::input_" + which + "(" + buffer + ", " + dim + ")"
                     : buffer + ".output_buffers()[0].dim(" + dim + ")." + which + "()";
    }

    void print_specialize(const Directive &d) {
        Directive special = d;
        special.whole = true;
        s_ << "Halide::Stage " << stage(special) << " = " << stage(d) << ".specialize(";
        for (size_t c = 0; c < d.conditions.size(); c++) {
            const Condition &w = d.conditions[c];
            s_ << (c ? " && " : "") << size("extent", w.buffer) << " >= " << w.points;
            if (w.inside) {
                s_ << " && " << size("min", w.buffer) << " >= " << size("min", *w.inside) << " && "
                   << size("min", w.buffer) << " + " << size("extent", w.buffer)
                   << " <= " << size("min", *w.inside) << " + " << size("extent", *w.inside);
            }
        }
        s_ << ");\n";
    }

    void print_level(const Directive &d, const char *call) {
        const std::string loop = var(d.other, d.update, d.vars[0]);
        s_ << name(d.func) << "." << call << "(Halide::LoopLevel(" << name(d.other) << ", " << loop
           << "));\n";
    }
};

}  // namespace

std::string print(const Schedule &schedule) {
    return Printer(schedule).run();
}

}  // namespace eutectic
