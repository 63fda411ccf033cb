#include "fusion/rules/rules.h"

namespace eutectic {

std::vector<Rule> cpu_rules() {
    return {
        inline_pointwise(),       fuse_on_read(),
        fuse_on_write(),          tile_producer(),
        multiply_by_reciprocal(), divide_after_reduction(),
        write_together(),         sum_beside(),
        write_rows_together(),    materialize(),
    };
}

std::vector<Rule> gpu_rules() {
    return {
        inline_pointwise(), fuse_on_read(), fuse_on_write(), tile_producer(), sum_online(),
    };
}

}  // namespace eutectic
