#include "graph/read/copies.h"

#include <algorithm>
#include <sstream>

#include "graph/data/ids.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

const Call *copied(const Function &f) {
    if (!f.has_pure_definition() || f.has_update_definition() || f.definition().values().size() != 1) {
        return nullptr;
    }
    const Call *load = f.definition().values()[0].as<Call>();
    if (!load || load->args.size() != f.args().size()) {
        return nullptr;
    }
    for (DimId i = 0; i < f.dimensions(); i++) {
        const Variable *v = load->args[i].as<Variable>();
        if (!v || v->name != f.args()[i]) {
            return nullptr;
        }
    }
    return load;
}

const Call *wrapped_buffer(const Function &f) {
    const Call *load = copied(f);
    return load && load->call_type == Call::Image ? load : nullptr;
}

namespace {

template<typename Buffer>
Function wrapper_around(const Buffer &buffer, const std::string &name) {
    Func wrapper(name);
    std::vector<Var> vars;
    std::vector<Expr> at;
    for (int d = 0; d < buffer.dimensions(); d++) {
        vars.push_back(Var::implicit(d));
        at.emplace_back(vars.back());
    }
    wrapper(vars) = Call::make(buffer, at);
    Function made = wrapper.function();
    made.lock_loop_levels();
    return made;
}

}  // namespace

Function wrapper_of(const Parameter &buffer, const std::string &name) {
    return wrapper_around(buffer, name);
}

Function wrapper_of(const Buffer<> &buffer, const std::string &name) {
    return wrapper_around(buffer, name);
}

std::string input_name(const Function &f) {
    return input_name(f, f.name());
}

std::string input_name(const Function &f, const std::string &name) {
    const std::string ending = "_im";
    const std::string number = name.substr(std::min(name.size(), name.find('$')));
    const std::string stem = name.substr(0, name.size() - number.size());
    const bool stands = copied(f) && stem.size() > ending.size() &&
                        stem.compare(stem.size() - ending.size(), ending.size(), ending) == 0;
    return stands ? stem.substr(0, stem.size() - ending.size()) + number : "";
}

namespace {

/** Calls of Functions that stand for inputs become calls by the inputs' names. */
class WithInputs : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Call *op) override {
        const Expr e = IRMutator::visit(op);
        const Call *call = e.as<Call>();
        if (!call || call->call_type != Call::Halide || !call->func.defined()) {
            return e;
        }
        const std::string name = input_name(Function(call->func));
        return name.empty() ? e : Call::make(call->type, name, call->args, Call::Extern);
    }
};

}  // namespace

std::string text_of(const Expr &e) {
    std::ostringstream text;
    text << WithInputs().mutate(e);
    return text.str();
}

}  // namespace eutectic
