#include "autodiff/contract/hash.h"

#include "base/units.h"

#include <sstream>

namespace eutectic {

namespace {

void tell(std::ostream &out, const std::vector<ContractArgument> &arguments, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const ContractArgument &a = arguments[i];
        out << a.name << " " << a.type << " " << (a.is_buffer ? std::to_string(a.dimensions) : "number")
            << (a.is_output ? " given" : "") << "\n";
    }
}

}  // namespace

std::string contract_hash(const Contract &contract) {
    std::ostringstream out;
    tell(out, contract.forward, contract.forward.size());
    out << (contract.accumulates ? "adds\n" : "\n");
    tell(out, contract.backward, contract.backward.size() - contract.residuals.size());
    for (const ContractOutput &o : contract.outputs) {
        out << "\n" << o.name << (o.differentiated ? " differentiated" : "");
        for (const std::string &extent : o.extents) {
            out << ", " << extent;
        }
    }
    return stable_hash(out.str());
}

}  // namespace eutectic
