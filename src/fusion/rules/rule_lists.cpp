// The rules for each kind of device, in the order in which ties are broken. One more is a file, and its lines
// here.

#include "fusion/rules/rules.h"

namespace eutectic {

Rule inline_pointwise();
Rule fuse_on_read();
Rule fuse_on_write();
Rule tile_producer();
Rule multiply_by_reciprocal();
Rule divide_after_reduction();
Rule write_together();
Rule sum_beside();
Rule write_rows_together();
Rule materialize();
Rule sum_online();

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
