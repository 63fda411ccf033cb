#include <algorithm>
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
        for (const Prepared &change : schedule_.prepared) {
            print_change(change);
        }
        for (size_t f = 0; f < schedule_.names.size(); f++) {
            if (is_declared(f)) {
                s_ << "Halide::Func " << schedule_.names[f] << " = " << declared(f) << ";\n";
            }
        }
        declare_variables();
        for (const Directive &d : schedule_.directives) {
            s_ << statement(d) << ";\n";
        }
        if (schedule_.vectorize_functions) {
            s_ << "eutectic::vectorize_functions(pipeline);\n";
        }
        if (schedule_.approximate_functions) {
            s_ << "eutectic::approximate_functions(pipeline);\n";
        }
        for (size_t f = 0; f < schedule_.names.size(); f++) {
            if (is_declared(f)) {
                s_ << "(void)" << schedule_.names[f] << ";\n";
            }
        }
        return s_.str();
    }

private:
    const Schedule &schedule_;
    std::ostringstream s_;

    void print_change(const Prepared &change) {
        std::string list;
        for (const auto &[index, number] : change.changes) {
            list +=
                (list.empty() ? "{" : ", {") + std::to_string(index) + ", " + std::to_string(number) + "}";
        }
        s_ << "eutectic::" << change.call << "(pipeline, {" << list << "});\n";
    }

    /** Not what extern stages alone read. */
    bool is_declared(FuncId f) const {
        return schedule_.pipeline_index[f] >= 0 || schedule_.measured_index[f] >= 0;
    }

    std::string declared(FuncId f) const {
        const int measured = schedule_.measured_index[f];
        return measured >= 0 ? "eutectic::measured_buffers(pipeline)[" + std::to_string(measured) + "]"
                             : "pipeline.get_func(" + std::to_string(schedule_.pipeline_index[f]) + ")";
    }

    std::string name(FuncId f) const {
        return schedule_.names.contains(f) ? schedule_.names[f] : schedule_.made_names.at(f);
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
    std::string preserved_vars(const Directive &d) const {
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

    /** What `d` is in C++, without the semicolon. */
    std::string statement(const Directive &d) const {
        using Op = Directive::Op;
        switch (d.op) {
        // Rewrites of definitions, and Funcs that are made.
        case Op::rewrite: return made_by(d);
        case Op::read_panels: return read_panels(d);
        case Op::wrap: return make(d, on_func(d, "in", readers(d)));
        case Op::rfactor: return make(d, on_stage(d, "rfactor", preserved_vars(d)));
        case Op::narrow_threads: return "eutectic::keep_threads_apart(pipeline)";
        // Loops.
        case Op::specialize: return specialize(d);
        case Op::split: return on_stage(d, "split", vars(d) + ", " + step(d) + ", " + tail(d));
        case Op::fuse: return on_stage(d, "fuse", vars(d));
        case Op::rename: return rewrite(d, "rename_loop", renaming(d));
        case Op::reorder: return on_stage(d, "reorder", vars(d));
        case Op::atomic: return on_stage(d, "atomic", vars(d));
        case Op::vectorize: return on_stage(d, "vectorize", vars(d));
        case Op::unroll: return on_stage(d, "unroll", vars(d));
        case Op::parallel: return on_stage(d, "parallel", vars(d));
        case Op::never_partition: return on_stage(d, "never_partition", vars(d));
        case Op::gpu_blocks: return on_stage(d, "gpu_blocks", vars(d));
        case Op::gpu_threads: return on_stage(d, "gpu_threads", vars(d));
        case Op::gpu_lanes: return on_stage(d, "gpu_lanes", vars(d));
        case Op::bound_extent: return on_func(d, "bound_extent", vars(d) + ", " + size(d));
        case Op::unscheduled: break;
        // Placement, and how what is placed is stored.
        case Op::compute_root: return on_func(d, "compute_root", vars(d));
        case Op::compute_at: return on_func(d, "compute_at", level(d));
        case Op::compute_with: return on_stage(d, "compute_with", loop_of_other(d));
        case Op::store_at: return on_func(d, "store_at", level(d));
        case Op::hoist_storage: return on_func(d, "hoist_storage", level(d));
        case Op::store_on_stack:
        case Op::by_threads: return on_func(d, "store_in", "Halide::MemoryType::Stack");
        case Op::align_storage: return on_func(d, "align_storage", vars(d) + ", " + size(d));
        case Op::bound_storage: return on_func(d, "bound_storage", vars(d) + ", " + size(d));
        case Op::reorder_storage: return on_func(d, "reorder_storage", vars(d));
        }
        return on_stage(d, "unscheduled", vars(d));
    }

    std::string make(const Directive &d, const std::string &value) const {
        return "Halide::Func " + name(d.made) + " = " + value;
    }

    std::string made_by(const Directive &d) const {
        std::string arguments;
        const auto add = [&](const std::string &argument) {
            arguments += (arguments.empty() ? "" : ", ") + argument;
        };
        if (d.rewrite->others() == MadeRewrite::Others::list) {
            add(list(d.others));
        } else {
            std::for_each(d.others.begin(), d.others.end(), [&](FuncId f) { add(name(f)); });
        }
        if (d.rewrite->takes_size()) {
            add(size(d));
        }
        const std::string call = rewrite(d, d.rewrite->function(), arguments);
        return d.made < 0 ? call : d.made == d.func ? name(d.func) + " = " + call : make(d, call);
    }

    std::string read_panels(const Directive &d) const {
        std::string order;
        for (const VarRef &v : d.vars) {
            order += (order.empty() ? "" : ", ") + std::to_string(v.argument);
        }
        return "eutectic::read_panels(pipeline, " + name(d.func) + ", {" + order + "}, " + size(d) + ")";
    }

    /** A call of what schedules/rewrites.h declares, on the directive's Func. */
    std::string rewrite(const Directive &d, const std::string &function,
                        const std::string &arguments = "") const {
        return "eutectic::" + function + "(" + name(d.func) + (arguments.empty() ? "" : ", ") + arguments +
               ")";
    }

    std::string on_func(const Directive &d, const std::string &method, const std::string &arguments) const {
        return name(d.func) + "." + method + "(" + arguments + ")";
    }

    std::string on_stage(const Directive &d, const std::string &method, const std::string &arguments) const {
        return stage(d) + "." + method + "(" + arguments + ")";
    }

    static std::string size(const Directive &d) {
        return std::to_string(d.size);
    }

    /** Of a split. */
    std::string step(const Directive &d) const {
        return d.fit ? "eutectic::fitted_step(" + buffer_size("extent", d.fit->buffer) + ", " + size(d) +
                           ", " + std::to_string(d.fit->turns) +
                           (d.fit->beyond > 0 ? ", " + std::to_string(d.fit->beyond) : "") + ")"
                     : size(d);
    }

    static std::string tail(const Directive &d) {
        return std::string("Halide::TailStrategy::") +
               (d.tail == Directive::Tail::guard ? "GuardWithIf" : "ShiftInwards");
    }

    static std::string renaming(const Directive &d) {
        return std::to_string(d.vars[0].argument) + ", \"" + d.vars[1].made + "\"";
    }

    std::string list(const std::vector<FuncId> &funcs) const {
        std::string all;
        for (const FuncId f : funcs) {
            all += (all.empty() ? "" : ", ") + name(f);
        }
        return "{" + all + "}";
    }

    /** For whom Func::in() is: several Funcs, one, or whoever reads. */
    std::string readers(const Directive &d) const {
        return !d.others.empty() ? list(d.others) : d.other < 0 ? "" : name(d.other);
    }

    /** vars[0], which is a loop of `other`, after that Func. */
    std::string loop_of_other(const Directive &d) const {
        return name(d.other) + ", " + var(d.other, d.update, d.vars[0]);
    }

    std::string level(const Directive &d) const {
        return "Halide::LoopLevel(" + loop_of_other(d) + ")";
    }

    /** "extent", "min" or "stride" of a buffer that the caller passes. */
    std::string buffer_size(const std::string &which, const BufferDim &b) const {
        const std::string buffer = name(b.func), dim = std::to_string(b.dim);
        const bool input = schedule_.input[b.func];
        return input ? "eutectic::input_" + which + "(" + buffer + ", " + dim + ")"
                     : buffer + ".output_buffers()[0].dim(" + dim + ")." + which + "()";
    }

    std::string specialize(const Directive &d) const {
        Directive special = d;
        special.whole = true;
        std::string all;
        for (const Condition &c : d.conditions) {
            all += (all.empty() ? "" : " && ") + condition(c);
        }
        return "Halide::Stage " + stage(special) + " = " + on_stage(d, "specialize", all);
    }

    std::string condition(const Condition &c) const {
        const std::string min = buffer_size("min", c.buffer), extent = buffer_size("extent", c.buffer);
        const std::string points = std::to_string(c.points);
        if (c.kind == Condition::Kind::stride) {
            return buffer_size("stride", c.buffer) + " == " + points;
        }
        if (c.kind == Condition::Kind::rows) {
            return "eutectic::rows_at_multiples(" + name(c.buffer.func) + ", " +
                   std::to_string(c.buffer.dim) + ", " + points + ")";
        }
        if (c.kind == Condition::Kind::aligned) {
            return "eutectic::on_device_at_multiple(" + name(c.buffer.func) + ", " + points + ")";
        }
        if (c.kind == Condition::Kind::multiple) {
            return min + " % " + points + " == 0";
        }
        if (c.kind == Condition::Kind::exactly) {
            return min + " == " + std::to_string(c.first) + " && " + extent + " == " + points;
        }
        const std::string text = extent + " >= " + points;
        if (!c.inside) {
            return text;
        }
        const std::string outer_min = c.inside->from_zero ? "Halide::Expr(0)" : buffer_size("min", *c.inside),
                          outer_extent = buffer_size("extent", *c.inside);
        return text + " && " + min + " >= " + outer_min + " && " + min + " + " + extent + " <= " + outer_min +
               " + " + outer_extent;
    }
};

}  // namespace

std::string print(const Schedule &schedule) {
    return Printer(schedule).run();
}

}  // namespace eutectic
