#include "graph/read/measured_buffers.h"

#include <set>
#include <string>

#include "graph/read/copies.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** Buffers that are read, and those of which a size is named, of all that some outputs need. */
class Mentions : public IRGraphVisitor {
public:
    std::set<std::string> read;
    std::vector<Parameter> measured;

    void add(const Function &f) {
        if (!begun_.insert(f.name()).second) {
            return;
        }
        f.accept(this);
        for (const Parameter &p : f.output_buffers()) {
            read.insert(p.name());  // by the caller
        }
        for (const ExternFuncArgument &a : f.extern_arguments()) {
            if (a.is_func()) {
                add(Function(a.func));
            } else if (a.is_image_param()) {
                read.insert(a.image_param.name());
            }
        }
    }

private:
    std::set<std::string> begun_, named_;
    using IRGraphVisitor::visit;

    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        if (op->call_type == Call::Image && op->param.defined()) {
            read.insert(op->param.name());
        }
        if (op->call_type == Call::Halide && op->func.defined()) {
            add(Function(op->func));
        }
    }

    void visit(const Variable *op) override {
        if (op->param.defined() && op->param.is_buffer() && named_.insert(op->param.name()).second) {
            measured.push_back(op->param);
        }
    }
};

}  // namespace

std::vector<Function> measured_buffers(const std::vector<Function> &outputs) {
    Mentions all;
    for (const Function &f : outputs) {
        all.add(f);
    }
    std::vector<Function> found;
    for (const Parameter &p : all.measured) {
        if (all.read.count(p.name()) == 0) {
            found.push_back(wrapper_of(p, p.name() + "_im"));
        }
    }
    return found;
}

}  // namespace eutectic
