#include "apps/eutectic/reorder.h"

#include <algorithm>
#include <set>

#include "autodiff/contract/reordered.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** A function `name` that calls `kernel`, whose arguments are those of `args` that `order` names. */
LoweredFunc in_front_of(const LoweredFunc &kernel, const std::string &name,
                        const std::vector<LoweredArgument> &args, const std::vector<size_t> &order) {
    std::vector<Expr> passed;
    for (const size_t at : order) {
        const LoweredArgument &a = args[at];
        passed.push_back(a.is_buffer() ? Variable::make(type_of<halide_buffer_t *>(), a.name + ".buffer")
                                       : Variable::make(a.type, a.name));
    }
    const std::string result = unique_name("result");
    const Expr status = Variable::make(Int(32), result);
    const Stmt body = LetStmt::make(result, Call::make(Int(32), kernel.name, passed, Call::Extern),
                                    AssertStmt::make(status == 0, status));
    return LoweredFunc(name, args, body, LinkageType::ExternalPlusMetadata);
}

}  // namespace

void reorder_arguments(const std::string &name, const std::vector<size_t> &order, Module &module) {
    const auto function = std::find_if(module.functions().begin(), module.functions().end(),
                                       [&](const LoweredFunc &f) { return f.name == name; });
    if (order.empty() || function == module.functions().end()) {
        return;
    }
    const size_t context = function->args.size() - order.size();  // the user's, which is first
    const size_t count = std::set<size_t>(order.begin(), order.end()).size();
    std::vector<size_t> all(context, 0);
    std::vector<LoweredArgument> args(function->args.begin(),
                                      function->args.begin() + static_cast<std::ptrdiff_t>(context + count));
    for (size_t i = 0; i < order.size(); i++) {
        args[context + order[i]] = function->args[context + i];
        all.push_back(context + order[i]);
    }
    if (count == order.size()) {
        function->args = std::move(args);
        return;
    }
    function->name = kernel_name(name.substr(name.rfind(':') + 1));
    function->linkage = LinkageType::Internal;
    module.append(in_front_of(*function, name, args, all));
}

}  // namespace eutectic
