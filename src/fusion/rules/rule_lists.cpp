// The rules for each kind of device, in the order in which ties are broken. One more is a file, and its lines
// here.

#include "fusion/rules/rules.h"

namespace eutectic {

Rule inline_pointwise();
Rule fuse_on_read();
Rule fuse_on_write();
Rule tile_producer();
Rule write_together();
Rule sum_in_strips();
Rule write_rows_together();
Rule materialize();

namespace {

/** `first`, those of rewrites, `last`. */
std::vector<Rule> joined(std::vector<Rule> first, const std::vector<Rule> &of_rewrites,
                         const std::vector<Rule> &last) {
    first.insert(first.end(), of_rewrites.begin(), of_rewrites.end());
    first.insert(first.end(), last.begin(), last.end());
    return first;
}

}  // namespace

std::vector<Rule> cpu_rules(const std::vector<Rule> &of_rewrites) {
    return joined({inline_pointwise(), fuse_on_read(), fuse_on_write(), tile_producer()}, of_rewrites,
                  {write_together(), sum_in_strips(), write_rows_together(), materialize()});
}

std::vector<Rule> gpu_rules(const std::vector<Rule> &of_rewrites) {
    return joined({inline_pointwise(), fuse_on_read(), fuse_on_write(), tile_producer()}, of_rewrites, {});
}

}  // namespace eutectic
