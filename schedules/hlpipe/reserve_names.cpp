#include "schedules/hlpipe/reserve_names.h"

#include <set>
#include <string>

#include "base/user_error.h"
#include "graph/read/outputs.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** Every name in expressions. */
class Names : public IRGraphVisitor {
public:
    std::set<std::string> names;

private:
    using IRGraphVisitor::visit;

    void visit(const Variable *op) override {
        names.insert(op->name);
        if (op->param.defined()) {
            names.insert(op->param.name());
        }
        IRGraphVisitor::visit(op);
    }
    void visit(const Let *op) override {
        names.insert(op->name);
        IRGraphVisitor::visit(op);
    }
    void visit(const Call *op) override {
        names.insert(op->name);
        IRGraphVisitor::visit(op);
    }
};

void add_stage(const Definition &d, Names &all) {
    const StageSchedule &s = d.schedule();
    for (const ReductionVariable &rv : s.rvars()) {
        all.names.insert(rv.var);
    }
    for (const Dim &dim : s.dims()) {
        all.names.insert(dim.var);
    }
    for (const Split &split : s.splits()) {
        all.names.insert({split.old_var, split.outer, split.inner});
    }
    for (const Specialization &special : d.specializations()) {
        add_stage(special.definition, all);
    }
}

std::set<std::string> names_of(const Pipeline &pipeline) {
    Names all;
    for (const auto &[name, f] : build_environment(output_functions(pipeline))) {
        all.names.insert(name);
        all.names.insert(f.args().begin(), f.args().end());
        f.accept(&all);
        if (f.has_pure_definition()) {
            add_stage(f.definition(), all);
        }
        for (const Definition &u : f.updates()) {
            add_stage(u, all);
        }
        for (const Parameter &p : f.output_buffers()) {
            all.names.insert(p.name());
        }
    }
    return all.names;
}

bool all_digits(const std::string &text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/** Asks Halide for new names until the digits behind `digits_after` characters of one count `number` or more.
 */
template<typename F>
void count_up_to(const std::string &name, const std::string &number, size_t digits_after, F &&make) {
    // Counting that far takes a second.
    if (number.size() > 7) {
        throw UserError(
            "The pipeline has something named " + name +
            ", a number that no program comes to by leaving things unnamed: give it a name of its own.");
    }
    for (;;) {
        const std::string made = make();
        // "z" itself comes before "z$1".
        if (made.size() > digits_after && std::stol(made.substr(digits_after)) >= std::stol(number)) {
            return;
        }
    }
}

}  // namespace

void reserve_names(const Pipeline &pipeline) {
    for (const std::string &name : names_of(pipeline)) {
        const size_t dollar = name.rfind('$');
        if (name.size() > 1 && all_digits(name.substr(1))) {
            count_up_to(name, name.substr(1), 1, [&] { return unique_name(name[0]); });
        } else if (dollar != std::string::npos && dollar > 0 && all_digits(name.substr(dollar + 1))) {
            count_up_to(name, name.substr(dollar + 1), dollar + 1,
                        [&] { return unique_name(name.substr(0, dollar)); });
        } else if (!name.empty()) {
            unique_name(name);
        }
    }
}

}  // namespace eutectic
