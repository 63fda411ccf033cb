#include "autodiff/residuals/halide/lives.h"

#include "autodiff/residuals/halide/recomputable.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// How many times over a cheap Func may be evaluated where it is read instead of being a tensor: a stencil of
// a few points, or a few readers. Beyond that its work outgrows what its traffic costs, and with Funcs that
// are inlined into each other it grows with a power of their number.
constexpr double most_evaluations = 8;

// Of evaluations: a point that is read twice at an edge does not make it read again.
constexpr double once = 1.001;

}  // namespace

Lives::Lives(const std::vector<Function> &order, const std::function<bool(const Function &)> &is_output,
             const Points &loop_points, bool inlines_shared)
    : order_(order),
      readers_(order.size()),
      last_(order.size(), -1),
      sizes_(order.size(), 1),
      evaluated_(order.size(), 1),
      read_(order.size(), 0),
      read_by_one_(order.size(), 0),
      ends_update_(order.size(), false) {
    for (size_t i = 0; i < order.size(); i++) {
        place_[order[i].name()] = static_cast<int>(i);
    }
    for (size_t i = 0; i < order.size(); i++) {
        for (int element = 0; element < order[i].outputs() && order[i].has_pure_definition(); element++) {
            const std::vector<StageBody> bodies = stage_bodies(order[i], element);
            for (size_t stage = 0; stage < bodies.size(); stage++) {
                const double points = std::max(1.0, loop_points(order[i], bodies[stage]));
                sizes_[i] = stage == 0 ? points : sizes_[i];
                add_reads(i, bodies[stage], points, stage > 0);
            }
        }
    }
    // From the last: what is inlined is at work where its readers are.
    for (size_t i = order.size(); i-- > 0;) {
        place_in_memory(i, is_output(order[i]), inlines_shared);
    }
    for (size_t i = 0; i < order.size(); i++) {
        if (read_pointwise(i) && (order[i].has_update_definition() || ends_update_[i])) {
            ends_update_[static_cast<size_t>(readers_[i].points.begin()->first)] = true;
        }
    }
}

size_t Lives::index(const std::string &name) const {
    return static_cast<size_t>(place_.at(name));
}

int Lives::place(const std::string &name) const {
    return place_.at(name);
}

bool Lives::is_tensor(const std::string &name) const {
    return tensor_.at(name);
}

int Lives::at_work(int place) const {
    const auto i = static_cast<size_t>(place);
    return tensor_.at(order_[i].name()) || last_[i] < 0 ? place : last_[i];
}

double Lives::evaluated(const std::string &name) const {
    return evaluated_[index(name)];
}

int Lives::last_read(const std::string &name) const {
    return std::max(last_[index(name)], place_.at(name));
}

double Lives::read(const std::string &name) const {
    return read_[index(name)];
}

bool Lives::ends_update(const std::string &name) const {
    return ends_update_[index(name)];
}

ForwardPlace Lives::forward_place(const std::string &name) const {
    const size_t i = index(name);
    const Function &f = order_[i];
    if (f.has_update_definition() && read_pointwise(i)) {
        return ForwardPlace::registers;
    }
    if (read_[i] > most_evaluations || (read_[i] > once && (f.has_update_definition() || ends_update_[i]))) {
        return ForwardPlace::memory;
    }
    return is_cheap_body(f) && read_by_one_[i] > once ? ForwardPlace::inlined : ForwardPlace::registers;
}

// By one pure Func, once for each of its points.
bool Lives::read_pointwise(size_t i) const {
    const Readers &readers = readers_[i];
    return readers.points.size() == 1 && !readers.in_update &&
           readers.points.begin()->second <= once * sizes_[i];
}

void Lives::add_reads(size_t reader, const StageBody &body, double points, bool is_update) {
    for_each_call(body, [&](const Call *call) {
        const auto place = place_.find(call->name);
        if (place != place_.end() && static_cast<size_t>(place->second) != reader) {
            Readers &of = readers_[place->second];
            of.points[static_cast<int>(reader)] += points;
            of.in_update = of.in_update || is_update;
        }
    });
}

void Lives::place_in_memory(size_t i, bool is_output, bool inlines_shared) {
    const Function &f = order_[i];
    const Readers &readers = readers_[i];
    for (const auto &[reader, points] : readers.points) {
        last_[i] = std::max(last_[i], at_work(reader));
        const double by_reader = points / sizes_[i] * evaluated_[reader];
        read_[i] += by_reader;
        read_by_one_[i] = std::max(read_by_one_[i], by_reader);
    }
    const bool stays = is_output || f.has_update_definition() || f.has_extern_definition();
    const bool is_cheap = is_cheap_body(f);
    const bool is_shared = readers.points.size() > 1 || readers.in_update || (!is_cheap && read_[i] > once);
    const bool tensor = stays || (is_shared && !(inlines_shared && is_cheap && read_[i] <= most_evaluations));
    evaluated_[i] = tensor ? 1 : std::max(read_[i], 1.0);
    tensor_[f.name()] = tensor;
}

}  // namespace eutectic
