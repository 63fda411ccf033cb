#include "apps/eutectic/intermediate.h"

#include <cstring>
#include <mutex>

#include "apps/eutectic/npy.h"
#include "apps/eutectic/run_arguments.h"
#include "apps/eutectic/values.h"
#include "base/write_whole.h"
#include "schedules/hlpipe/trial.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Gathers what is stored to one Func, by Halide's tracing: no loop changes for it, and its size need not be
 * known before. */
class Gatherer : public JITUserContext {
public:
    Gatherer(const std::string &func, const std::vector<Type> &types) : func_(func), types_(types) {
        handlers.custom_trace = [](JITUserContext *context, const halide_trace_event_t *event) {
            return static_cast<Gatherer *>(context)->take(*event);
        };
    }

    std::vector<Buffer<>> elements;  ///< of the tuple

private:
    const std::string func_;
    const std::vector<Type> types_;
    std::mutex mutex_;  // parallel loops store at the same time
    int32_t events_ = 0;

    int32_t take(const halide_trace_event_t &event) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (event.func == func_ && event.event == halide_trace_begin_realization) {
            std::vector<int> mins, extents;
            for (int d = 0; d < event.dimensions; d += 2) {
                mins.push_back(event.coordinates[d]);
                extents.push_back(event.coordinates[d + 1]);
            }
            elements.clear();
            for (const Type &t : types_) {
                elements.emplace_back(t, extents);
                elements.back().set_min(mins);
                std::memset(elements.back().data(), 0, elements.back().size_in_bytes());
            }
        } else if (event.func == func_ && event.event == halide_trace_store) {
            store(event);
        }
        return ++events_;
    }

    void store(const halide_trace_event_t &event) const {
        const Buffer<> &into = elements.at(event.value_index);
        const int lanes = event.type.lanes, bytes = event.type.bytes();
        for (int lane = 0; lane < lanes; lane++) {
            std::ptrdiff_t offset = 0;
            for (int d = 0; d < into.dimensions(); d++) {
                offset +=
                    static_cast<std::ptrdiff_t>(event.coordinates[d * lanes + lane] - into.dim(d).min()) *
                    into.dim(d).stride();
            }
            std::memcpy(static_cast<char *>(const_cast<void *>(into.data())) + offset * bytes,
                        static_cast<const char *>(event.value) + lane * bytes, static_cast<size_t>(bytes));
        }
    }
};

}  // namespace

void write_intermediate(LoadedPipeline &loaded, const Target &target, const std::string &name,
                        const std::string &path, const std::map<std::string, std::string> &sources) {
    Func func = memory_of(loaded.pipeline, name);
    func.trace_stores().trace_realizations();
    set_inputs(loaded, sources);
    Gatherer gatherer(func.name(), func.types());
    Realization outputs(buffers_at_estimates(loaded, Shapes(loaded)));
    loaded.pipeline.invalidate_cache();
    loaded.pipeline.realize(&gatherer, Pipeline::RealizationArg(outputs), target);
    const std::string stem =
        path.size() > 4 && path.substr(path.size() - 4) == ".npy" ? path.substr(0, path.size() - 4) : path;
    for (size_t i = 0; i < gatherer.elements.size(); i++) {
        write_whole("array", stem + (gatherer.elements.size() > 1 ? "." + std::to_string(i) : "") + ".npy",
                    npy(gatherer.elements[i], name));
    }
}

}  // namespace eutectic
