#include "graph/read/boundaries.h"

#include <algorithm>

#include "graph/data/ids.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

bool inside(const LoopLevel &level) {
    return !level.is_inlined() && !level.is_root();
}

std::vector<StageSchedule> stage_schedules(const Function &f) {
    std::vector<StageSchedule> all;
    if (f.has_pure_definition() || f.has_extern_definition()) {
        all.push_back(f.definition().schedule());
    }
    for (const Definition &u : f.updates()) {
        all.push_back(u.schedule());
    }
    return all;
}

bool specialized(const Function &f) {
    const auto has = [](const Definition &d) { return !d.specializations().empty(); };
    return (f.has_pure_definition() && has(f.definition())) ||
           std::any_of(f.updates().begin(), f.updates().end(), has);
}

std::string own_buffer_reason_of(const Function &f) {
    const FuncSchedule &s = f.schedule();
    if (s.memoized()) {
        return "is memoized: its values are looked up and kept as a whole";
    }
    if (s.ring_buffer().defined()) {
        return "has a ring buffer, which its user gave it";
    }
    if (s.async()) {
        return "is computed asynchronously, as its user asked";
    }
    if (f.is_tracing_loads() || f.is_tracing_stores() || f.is_tracing_realizations()) {
        return "is traced: every load and store of it is told";
    }
    const bool storage =
        std::any_of(s.storage_dims().begin(), s.storage_dims().end(), [](const StorageDim &d) {
            return d.alignment.defined() || d.fold_factor.defined() || d.bound.defined();
        });
    return storage || s.memory_type() != MemoryType::Auto ? "has a storage that its user chose" : "";
}

/** The first call of a function that is not known to be pure. */
class FindEffect : public IRGraphVisitor {
public:
    std::string name;

private:
    using IRGraphVisitor::visit;

    void visit(const Call *op) override {
        if (name.empty() && (op->call_type == Call::Extern || op->call_type == Call::ExternCPlusPlus)) {
            name = op->name;
        }
        IRGraphVisitor::visit(op);
    }
};

}  // namespace

std::set<std::string> loop_owners(const std::vector<Function> &functions) {
    std::set<std::string> owners;
    const auto add = [&](const LoopLevel &level) {
        if (inside(level)) {
            owners.insert(level.func());
        }
    };
    for (const Function &f : functions) {
        add(f.schedule().compute_level());
        add(f.schedule().store_level());
        add(f.schedule().hoist_storage_level());
        for (const StageSchedule &s : stage_schedules(f)) {
            add(s.fuse_level().level);
        }
    }
    return owners;
}

UserSchedule read_user_schedule(const Function &f, const std::set<std::string> &loop_owners) {
    UserSchedule user;
    const FuncSchedule &s = f.schedule();
    user.placed = !s.compute_level().is_inlined();
    user.loops = user.placed || !s.wrappers().empty() || specialized(f) || loop_owners.count(f.name()) > 0;
    for (const StageSchedule &stage : stage_schedules(f)) {
        user.loops = user.loops || stage.touched() || stage.atomic() || inside(stage.fuse_level().level);
    }
    user.own_buffer_reason = own_buffer_reason_of(f);
    return user;
}

std::string computed_inside(const Function &f) {
    return inside(f.schedule().compute_level()) ? f.schedule().compute_level().func() : "";
}

std::string opaque_because(const Function &f) {
    if (f.has_extern_definition()) {
        return f.extern_function_name() == "halide_buffer_copy" ? "it copies between a device and the host"
                                                                : "it is an extern stage";
    }
    FindEffect effect;
    const auto look = [&](const Definition &d) {
        for (const Expr &e : d.values()) {
            e.accept(&effect);
        }
        for (const Expr &e : d.args()) {
            e.accept(&effect);
        }
        d.predicate().accept(&effect);
    };
    if (f.has_pure_definition()) {
        look(f.definition());
    }
    std::for_each(f.updates().begin(), f.updates().end(), look);
    return effect.name.empty()
               ? ""
               : "it calls " + effect.name +
                     ", which may have effects: one call for each of its points, in their order";
}

}  // namespace eutectic
