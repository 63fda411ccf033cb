#include "apps/digits/evaluation.h"

#include <algorithm>

namespace eutectic::digits {

void gather(const Digits &data, const std::vector<int> &lines, Floats &images,
            Halide::Runtime::Buffer<int32_t> *labels) {
    for (size_t i = 0; i < lines.size(); i++) {
        const int line = lines[i];
        std::copy_n(&data.images[static_cast<size_t>(line) * pixels], pixels, images.data() + i * pixels);
        if (labels) {
            (*labels)(static_cast<int>(i)) = data.labels[line];
        }
    }
    images.set_host_dirty();
    if (labels) {
        labels->set_host_dirty();
    }
}

double accuracy(Network &network, const Digits &data, const std::vector<int> &lines, const Kernel &logits) {
    const int count = static_cast<int>(lines.size());
    Floats images(pixels, count), scores(classes, count);
    gather(data, lines, images, nullptr);
    Values values;
    values.set("x", images);
    values.set("logits", scores);
    for (Parameter &parameter : network.parameters) {
        values.set(parameter.name, parameter.value);
    }
    logits.run(values);
    to_host(scores);
    int right = 0;
    for (int i = 0; i < count; i++) {
        const float *row = scores.data() + static_cast<size_t>(i) * classes;
        right += std::max_element(row, row + classes) - row == data.labels[lines[i]];
    }
    return static_cast<double>(right) / count;
}

}  // namespace eutectic::digits
