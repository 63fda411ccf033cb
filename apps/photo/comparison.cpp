#include "apps/photo/comparison.h"

#include "apps/support/largest.h"
#include "apps/support/timing.h"

#include <algorithm>
#include <cmath>

namespace eutectic::photo {

namespace {

double difference_of(const Floats &a, const Floats &b, bool relative) {
    double largest = 0, difference = 0;
    a.for_each_value(
        [&](float u, float v) {
            raise(largest, std::abs(static_cast<double>(v)));
            raise(difference, std::abs(static_cast<double>(u) - v));
        },
        b);
    return relative && difference > 0 ? difference / largest : difference;
}

/// Where gradients are no differences of nearly equal sums, as they are where training ends.
Parameters halfway_to(Parameters &parameters) {
    Parameters result = Parameters::identity();
    const auto values = result.named(), ends = parameters.named();
    for (size_t t = 0; t < values.size(); t++) {
        values[t].second->for_each_value([](float &value, float end) { value = (value + end) / 2; },
                                         *ends[t].second);
    }
    return result;
}

}  // namespace

Comparison compare(Kernels &fused, Kernels &unfused, Floats &in, Floats &target, Parameters &parameters,
                   double seconds) {
    Floats out = Floats::make_with_shape_of(in), other = Floats::make_with_shape_of(in);
    Parameters gradients, others, halfway = halfway_to(parameters);
    fused.restore(in, parameters, out);
    unfused.restore(in, parameters, other);
    fused.differentiate(in, halfway, target, gradients);
    unfused.differentiate(in, halfway, target, others);

    Comparison result;
    result.picture_difference = difference_of(out, other, false);
    const auto of_fused = gradients.named(), of_unfused = others.named();
    for (size_t t = 0; t < of_fused.size(); t++) {
        raise(result.gradient_difference, difference_of(*of_fused[t].second, *of_unfused[t].second, true));
    }
    if (!result.agrees()) {
        return result;
    }
    const std::vector<std::vector<double>> times = time_parts(
        {[&] { fused.differentiate(in, parameters, target, gradients); },
         [&] { unfused.differentiate(in, parameters, target, others); },
         [&] { fused.restore(in, parameters, out); }, [&] { unfused.restore(in, parameters, other); }},
        seconds);
    const auto least = [&](size_t part) { return *std::min_element(times[part].begin(), times[part].end()); };
    result.fused_step = least(0), result.unfused_step = least(1);
    result.fused_restore = least(2), result.unfused_restore = least(3);
    return result;
}

}  // namespace eutectic::photo
