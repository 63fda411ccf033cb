#include "tests/apps/counted_run.h"

#include <cstdlib>
#include <unordered_set>
#include <vector>

#include "apps/eutectic/run_arguments.h"
#include "schedules/hlpipe/trial.h"

namespace eutectic::test {

using namespace Halide;

namespace {

/** Takes events one after the other. */
class Recorder : public JITUserContext {
public:
    explicit Recorder(const std::map<std::string, int> &groups) : groups_(groups) {
        handlers.custom_trace = [](JITUserContext *context, const halide_trace_event_t *event) {
            return static_cast<Recorder *>(context)->take(*event);
        };
    }

    std::map<std::string, Counted> counted;

private:
    const std::map<std::string, int> &groups_;
    std::map<std::string, std::unordered_set<uint64_t>> stored_;
    std::map<std::pair<std::string, int>, std::unordered_set<uint64_t>> loaded_;
    std::vector<int> produced_;  // groups of the Funcs that are being computed, the last begun last
    int32_t events_ = 0;

    int32_t take(const halide_trace_event_t &event) {
        const auto group = groups_.find(event.func);
        const bool kept = group != groups_.end();
        if (event.event == halide_trace_load) {
            load(event);
        } else if (kept && event.event == halide_trace_store) {
            store(event);
        } else if (kept && event.event == halide_trace_begin_realization) {
            realize(event);
        } else if (kept && event.event == halide_trace_produce) {
            produced_.push_back(group->second);
        } else if (kept && event.event == halide_trace_end_produce) {
            produced_.pop_back();
        }
        return ++events_;
    }

    /** Tuples have an event for each element; what is realized has one for all, of no type, so that it is the
     * stores that tell an element's size. */
    void realize(const halide_trace_event_t &event) {
        int64_t points = 1;
        for (int d = 0; d < event.dimensions; d += 2) {
            points *= event.coordinates[d + 1];
        }
        Counted &c = counted[event.func];
        c.realizations++;
        c.realized_bytes += points;  // times the element's size, in finish()
    }

    void store(const halide_trace_event_t &event) {
        Counted &c = counted[event.func];
        c.stored_bytes += int64_t{event.type.lanes} * event.type.bytes();
        c.stored_once_bytes += once(event, stored_[event.func]);
    }

    void load(const halide_trace_event_t &event) {
        if (!produced_.empty()) {
            counted[event.func].loaded_once_bytes[produced_.back()] +=
                once(event, loaded_[{event.func, produced_.back()}]);
        }
    }

    /** Bytes of the elements that the event is the first one about. */
    static int64_t once(const halide_trace_event_t &event, std::unordered_set<uint64_t> &seen) {
        int64_t bytes = 0;
        for (int lane = 0; lane < event.type.lanes; lane++) {
            uint64_t key = 0;
            const auto mix = [&](int32_t number) {
                key = (key + static_cast<uint32_t>(number) + 1) * 0x9E3779B97F4A7C15u;
                key ^= key >> 32;
            };
            mix(event.value_index);
            for (int d = lane; d < event.dimensions; d += event.type.lanes) {
                mix(event.coordinates[d]);
            }
            bytes += seen.insert(key).second ? event.type.bytes() : 0;
        }
        return bytes;
    }
};

std::map<std::string, Internal::Function> functions_of(const Pipeline &pipeline) {
    std::vector<Internal::Function> outputs;
    for (const Func &f : pipeline.outputs()) {
        outputs.push_back(f.function());
    }
    return Internal::build_environment(outputs);
}

}  // namespace

std::set<std::string> funcs_in_memory(const Pipeline &pipeline) {
    std::set<std::string> names;
    for (const Func &f : pipeline.outputs()) {
        names.insert(f.name());
    }
    for (auto &[name, f] : functions_of(pipeline)) {
        f.lock_loop_levels();  // else they cannot be looked at
        if (f.schedule().compute_level().is_root()) {
            names.insert(name);
        }
    }
    return names;
}

std::map<std::string, Counted> counted_run(LoadedPipeline &loaded, const Target &target,
                                           const std::map<std::string, int> &groups, bool loads) {
    setenv("HL_NUM_THREADS", "1", 1);
    set_inputs(loaded, {});
    std::map<std::string, int64_t> element_bytes;
    for (const auto &[name, f] : functions_of(loaded.pipeline)) {
        if (groups.count(name)) {
            Func(f).trace_stores().trace_realizations();
            for (const Type &t : f.output_types()) {
                element_bytes[name] += t.bytes();
            }
        }
    }
    Recorder recorder(groups);
    Realization outputs(buffers_at_estimates(loaded, Shapes(loaded)));
    loaded.pipeline.realize(&recorder, Pipeline::RealizationArg(outputs),
                            loads ? target.with_feature(Target::TraceLoads) : target);
    for (auto &[name, c] : recorder.counted) {
        c.realized_bytes *= element_bytes[name];
    }
    return recorder.counted;
}

}  // namespace eutectic::test
