#include "graph/read/copies.h"

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

}  // namespace eutectic
