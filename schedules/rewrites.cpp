#include "schedules/rewrites.h"

#include "base/user_error.h"

namespace eutectic {

using namespace Halide;

Expr input_extent(const Func &input, int dim) {
    const Internal::Call *load = nullptr;
    if (input.defined() && !input.is_extern() && input.function().has_pure_definition()) {
        load = input.function().definition().values()[0].as<Internal::Call>();
    }
    if (!load || load->call_type != Internal::Call::Image) {
        throw UserError("The extent of " + input.name() + " was asked for as that of an input, but it wraps no buffer: pass the Func that the "
                                                          "input is called through.");
    }
    if (!load->param.defined()) {
        return load->image.dim(dim).extent();
    }
    return Internal::Variable::make(Int(32), load->param.name() + ".extent." + std::to_string(dim), load->param);
}

}  // namespace eutectic
