#include "tests/numerics/evaluate.h"

#include "apps/support/random.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <mutex>
#include <sstream>
#include <stdexcept>

namespace eutectic::numerics {

namespace {

std::mutex message_mutex;
std::string message;

/// Called by any thread of a kernel that fails.
void remember_error(void *, const char *text) {
    const std::lock_guard<std::mutex> lock(message_mutex);
    message += text;
}

/// What Halide's runtime calls for a parallel loop: its iterations on this thread, the last one first.
int last_to_first(void *user_context, halide_task_t task, int min, int size, uint8_t *closure) {
    for (int i = size - 1; i >= 0; i--) {
        if (const int error = task(user_context, min + i, closure)) {
            return error;
        }
    }
    return 0;
}

bool is_float(halide_type_t type) {
    return type.code == halide_type_float || type.code == halide_type_bfloat;
}

/// The buffers of one call, inputs found by name among `tensors`, outputs made.
class Call {
public:
    Call(const Subject &subject, const Kernel &kernel, std::map<std::string, GuardedTensor *> &tensors)
        : subject_(subject), kernel_(kernel), tensors_(tensors), scalars_(kernel.arguments().size()) {
    }

    bool run(Failures &failures) {
        std::vector<void *> pointers;
        std::map<std::string, std::vector<uint8_t>> inputs;
        for (size_t i = 0; i < kernel_.arguments().size(); i++) {
            const Argument &argument = kernel_.arguments()[i];
            if (argument.is_scalar()) {
                scalars_[i] = scalar_value(subject_, argument);
                pointers.push_back(&scalars_[i]);
                continue;
            }
            GuardedTensor &tensor = *tensors_.at(argument.name);
            if (!argument.is_output()) {
                inputs[argument.name] = tensor.bytes();
            }
            // What an earlier kernel wrote on a device is there already.
            tensor.raw()->set_flag(halide_buffer_flag_host_dirty,
                                   !argument.is_output() && !tensor.raw()->device);
            pointers.push_back(tensor.raw());
        }
        std::string error = call(kernel_, pointers);
        for (const Argument &argument : kernel_.arguments()) {
            halide_buffer_t *buffer = argument.is_scalar() ? nullptr : tensors_.at(argument.name)->raw();
            if (error.empty() && buffer && buffer->device_dirty() &&
                buffer->device_interface->copy_to_host(nullptr, buffer) != 0) {
                error = "what it wrote could not be copied from the device";
            }
        }
        if (!error.empty()) {
            failures.push_back(kernel_.name() + " failed: " + error);
        }
        for (const Argument &argument : kernel_.arguments()) {
            if (argument.is_scalar()) {
                continue;
            }
            const GuardedTensor &tensor = *tensors_.at(argument.name);
            if (const auto damage = tensor.damage()) {
                failures.push_back(kernel_.name() + ", buffer " + argument.name + ": " + *damage);
            }
            if (!argument.is_output() && tensor.bytes() != inputs[argument.name]) {
                failures.push_back(kernel_.name() + " wrote to its input " + argument.name);
            }
        }
        return error.empty();
    }

private:
    const Subject &subject_;
    const Kernel &kernel_;
    std::map<std::string, GuardedTensor *> &tensors_;
    std::vector<halide_scalar_value_t> scalars_;
};

/// Of `roundings` in the type of the arithmetic and one in the type of the result, in parts of a value.
double tolerance(halide_type_t type, double roundings) {
    if (!is_float(type)) {
        return 0;
    }
    const double arithmetic = type.bits == 64 ? 0x1p-52 : 0x1p-23;
    const double storage = type.code == halide_type_bfloat ? 0x1p-8 : type.bits == 16 ? 0x1p-11 : 0;
    return roundings * arithmetic + storage;
}

const Result *find(const std::vector<Result> &results, const std::string &output) {
    const auto found =
        std::find_if(results.begin(), results.end(), [&](const Result &r) { return r.output == output; });
    return found == results.end() ? nullptr : &*found;
}

}  // namespace

std::string call(const Kernel &kernel, std::vector<void *> &arguments) {
    halide_set_error_handler(remember_error);
    message.clear();
    try {
        kernel.run(arguments);
    } catch (const std::runtime_error &e) {
        return message.empty() ? e.what() : message;
    }
    return message;
}

halide_scalar_value_t scalar_value(const Subject &subject, const Argument &argument) {
    const auto found = subject.shapes().scalars.find(argument.name);
    if (found == subject.shapes().scalars.end()) {
        throw std::logic_error("tests/numerics/shapes.cpp gives '" + subject.shapes_line +
                               "' no value for its scalar '" + argument.name + "'");
    }
    halide_scalar_value_t value{};
    if (argument.type == halide_type_of<float>()) {
        value.u.f32 = static_cast<float>(found->second);
    } else if (argument.type == halide_type_of<double>()) {
        value.u.f64 = found->second;
    } else {
        value.u.i64 =
            static_cast<int64_t>(found->second);  // little-endian: its first bytes are the smaller integers
    }
    return value;
}

std::vector<Range> ranges_of(const Subject &subject, const std::string &name, const Sizes &sizes,
                             const std::map<std::string, std::vector<Range>> &residuals) {
    const auto dims = subject.shapes().dims_of(name);
    if (!dims) {
        const auto found = residuals.find(name);
        if (found == residuals.end()) {
            throw std::logic_error("nothing says how large '" + name + "' of '" + subject.shapes_line +
                                   "' is");
        }
        return found->second;
    }
    std::vector<Range> ranges;
    for (const std::string &dim : *dims) {
        ranges.push_back(range_of(dim, sizes));
    }
    return ranges;
}

void draw(const Subject &subject, const std::string &name, const Sizes &sizes, Numbers numbers,
          GuardedTensor &tensor) {
    uint64_t seed = 0;
    for (const char c : name) {
        seed = Random(seed ^ static_cast<unsigned char>(c)).next();
    }
    Random random(seed);
    Draw values;
    const Shapes &shapes = subject.shapes();
    if (const auto index = shapes.indices_into.find(name); index != shapes.indices_into.end()) {
        const Range r = sizes.at(index->second);
        values = {static_cast<double>(r.min), static_cast<double>(r.min + r.extent - 1), 1};
    } else if (const auto given = shapes.draws.find(name); given != shapes.draws.end()) {
        values = given->second;
    }
    const auto count = static_cast<uint64_t>((values.high - values.low) / values.step) + 1;
    const bool spread = numbers == Numbers::rounding && is_float(tensor.type());
    tensor.set([&] {
        const double value = values.low + values.step * static_cast<double>(random.below(count));
        return spread ? value * (1 + 0.1 * static_cast<double>(random.symmetric())) : value;
    });
}

std::map<std::string, std::vector<Range>> residual_ranges(const Subject &subject, const Sizes &sizes) {
    std::map<std::string, std::vector<Range>> found;
    if (!subject.has_gradients()) {
        return found;
    }
    const Kernel &backward = subject.reference.back();
    std::vector<GuardedTensor> tensors;
    std::vector<halide_buffer_t *> buffers;
    std::vector<halide_scalar_value_t> scalars(backward.arguments().size());
    std::vector<void *> pointers;
    tensors.reserve(backward.arguments().size());
    for (size_t i = 0; i < backward.arguments().size(); i++) {
        const Argument &argument = backward.arguments()[i];
        if (argument.is_scalar()) {
            scalars[i] = scalar_value(subject, argument);
            pointers.push_back(&scalars[i]);
            buffers.push_back(nullptr);
            continue;
        }
        const bool known = subject.shapes().dims_of(argument.name).has_value();
        const std::vector<Range> ranges = known
                                              ? ranges_of(subject, argument.name, sizes, {})
                                              : std::vector<Range>(static_cast<size_t>(argument.dimensions));
        tensors.emplace_back(argument.type, ranges, GuardedTensor::Place::middle, 0);
        buffers.push_back(tensors.back().raw());
        if (!known) {
            buffers.back()->host = nullptr;
        }
        pointers.push_back(buffers.back());
    }
    const std::string error = call(backward, pointers);
    if (!error.empty()) {
        throw std::runtime_error("the bounds query of " + backward.name() + " failed: " + error);
    }
    for (size_t i = 0; i < buffers.size(); i++) {
        if (buffers[i] && !buffers[i]->host) {
            std::vector<Range> &ranges = found[backward.arguments()[i].name];
            for (int d = 0; d < buffers[i]->dimensions; d++) {
                ranges.push_back({buffers[i]->dim[d].min, buffers[i]->dim[d].extent});
            }
        }
    }
    return found;
}

std::vector<Result> evaluate(const Subject &subject, const std::vector<Kernel> &kernels, const Sizes &sizes,
                             const std::map<std::string, std::vector<Range>> &residuals,
                             const Setting &setting, Failures &failures) {
    halide_set_num_threads(setting.threads);
    halide_set_custom_do_par_for(setting.order == Order::last_to_first ? last_to_first
                                                                       : halide_default_do_par_for);
    std::map<std::string, GuardedTensor> drawn;
    std::vector<Result> results;
    size_t outputs = 0;
    for (const Kernel &kernel : kernels) {
        outputs += kernel.arguments().size();
    }
    results.reserve(outputs);  // pointers into it stay good
    std::map<std::string, GuardedTensor *> tensors;
    for (const Kernel &kernel : kernels) {
        for (const Argument &argument : kernel.arguments()) {
            const std::string &name = argument.name;
            if (argument.is_scalar() || (!argument.is_output() && tensors.count(name))) {
                continue;
            }
            GuardedTensor tensor(argument.type, ranges_of(subject, name, sizes, residuals), setting.place,
                                 setting.padding);
            if (argument.is_output()) {
                tensor.fill(0xFF);
                results.push_back({kernel.name(), name, std::move(tensor)});
                tensors[name] = &results.back().tensor;
            } else {
                draw(subject, name, sizes, setting.numbers, tensor);
                tensors[name] = &drawn.emplace(name, std::move(tensor)).first->second;
            }
        }
        if (!Call(subject, kernel, tensors).run(failures)) {
            break;
        }
    }
    return results;
}

void compare(const std::vector<Result> &results, const std::vector<Result> &reference, double roundings,
             Failures &failures) {
    for (const Result &r : results) {
        const Result *expected = find(reference, r.output);
        if (!expected) {
            failures.push_back("the reference has no output " + r.output + " of " + r.kernel);
            continue;
        }
        const std::vector<double> got = r.tensor.values(), right = expected->tensor.values();
        double largest = 0x1p-10, worst = 0;
        size_t at = 0;
        for (size_t i = 0; i < got.size(); i++) {
            largest = std::max(largest, std::abs(right[i]));
            const double difference = std::abs(got[i] - right[i]);
            if (!(difference <= worst) && !std::isnan(worst)) {
                worst = difference;
                at = i;
            }
        }
        const double allowed = largest * tolerance(r.tensor.type(), roundings);
        if (!(worst <= allowed)) {
            std::ostringstream text;
            text << std::setprecision(9) << r.kernel << ", " << r.output << r.tensor.where(at) << " is "
                 << got[at] << ", but " << right[at] << " in the reference; they may differ by " << allowed;
            failures.push_back(text.str());
        }
    }
}

double roundings_of(const Sizes &sizes) {
    double points = 0;
    for (const auto &[name, range] : sizes) {
        points += range.extent;
    }
    return 4 * std::sqrt(points);
}

void compare_bits(const std::vector<Result> &results, const std::vector<Result> &first,
                  const std::string &what, Failures &failures) {
    for (size_t i = 0; i < std::min(results.size(), first.size()); i++) {
        if (results[i].tensor.bytes() == first[i].tensor.bytes()) {
            continue;
        }
        const std::vector<double> now = results[i].tensor.values(), then = first[i].tensor.values();
        std::ostringstream text;
        text << std::setprecision(17) << results[i].kernel << ", " << results[i].output << ": " << what
             << " gives other bits";
        for (size_t at = 0; at < now.size(); at++) {
            if (now[at] != then[at]) {
                text << ", as " << now[at] << " for " << then[at] << results[i].tensor.where(at);
                break;
            }
        }
        failures.push_back(text.str());
    }
}

Failures failures_at(const Subject &subject, const Sizes &sizes) {
    using Place = GuardedTensor::Place;
    Failures failures;
    const auto residuals = residual_ranges(subject, sizes);
    // Padded, or the scalar loops would step down columns whose elements share a cache set.
    const auto reference = evaluate(subject, subject.reference, sizes, residuals,
                                    {Place::middle, 9, 1, Numbers::exact}, failures);
    compare(
        evaluate(subject, subject.kernels, sizes, residuals, {Place::middle, 3, 2, Numbers::exact}, failures),
        reference, roundings_of(sizes), failures);
    if (!failures.empty()) {
        return failures;
    }
    const auto first = evaluate(subject, subject.kernels, sizes, residuals,
                                {Place::middle, 3, 2, Numbers::rounding}, failures);
    const std::pair<const char *, Setting> others[] = {
        {"a second run on two threads", {Place::at_begin, 5, 2, Numbers::rounding}},
        {"one thread", {Place::at_end, 0, 1, Numbers::rounding}},
        {"the opposite order of parallel iterations",
         {Place::middle, 3, 1, Numbers::rounding, Order::last_to_first}},
    };
    for (const auto &[what, setting] : others) {
        compare_bits(evaluate(subject, subject.kernels, sizes, residuals, setting, failures), first, what,
                     failures);
    }
    return failures;
}

}  // namespace eutectic::numerics
