// The kernels of a calibration. What they compute is of no interest; which instructions they become is.

#include "schedules/calibration/kernels.h"

#include <memory>

#include "base/user_error.h"
#include "schedules/calibration/compiled_probe.h"
#include "schedules/calibration/typed_operations.h"
#include "schedules/target.h"

namespace eutectic {

using namespace Halide;

namespace {

Var x("x"), y("y"), v("v");

class Maker {
public:
    Maker(const Target &target, int threads)
        : target_(target), threads_(threads), lanes_(target.natural_vector_size<float>()) {
    }

    /** accumulators = step(accumulators, element), `rounds` times, all in registers: `vectors` chains that do
     * not wait for each other. */
    Probe in_registers(int vectors, const std::function<Expr(Expr)> &step, int lanes = 0) const {
        lanes = lanes > 0 ? lanes : lanes_;
        Func acc("acc"), out("out");
        RDom r(0, rounds);
        acc(x, v) = cast<float>(x + v) * 0.001f + 0.5f;
        acc(x, v) =
            select(r < rounds, step(acc(x, v)), 0.0f);  // always taken; it makes the update run over r
        out(x, v) = acc(x, v);
        schedule_accumulators(acc, out, r, vectors, nullptr, lanes);
        Buffer<float> result(lanes, vectors);
        return probe(Pipeline(out), {}, {result}, static_cast<double>(rounds) * vectors);
    }

    /** The same with an element that is loaded for every step: from a buffer of `bytes`, read `passes` times.
     * A broadcast is one element for all lanes. */
    Probe loads(Bytes bytes, int passes, bool broadcast) const {
        const int vectors = 8, per_round = broadcast ? vectors : vectors * lanes_;
        const int count = static_cast<int>(bytes / 4) / per_round;
        ImageParam in(Int(32), 1, "in");
        Func acc("acc"), out("out");
        RDom r(0, count, 0, passes);
        acc(x, v) = 0;
        acc(x, v) = acc(x, v) | (broadcast ? in(r.x * per_round + v) : in(r.x * per_round + v * lanes_ + x));
        out(x, v) = acc(x, v);
        schedule_accumulators(acc, out, r, vectors, nullptr);
        Buffer<int32_t> data(count * per_round), result(lanes_, vectors);
        data.fill(1);
        return probe(Pipeline(out), {in}, {data, result}, static_cast<double>(count) * passes * vectors);
    }

    /** Each accumulation is stored before the next one loads it. */
    Probe memory_chain() const {
        ImageParam in(Float(32), 1, "in");
        Func out("out");
        RDom r(0, rounds);
        out(x) = 0.0f;
        out(x) += select(r < rounds, in(x), 0.0f);
        // The inner loop's length is known at run time only, so that no compiler keeps its one vector in a
        // register.
        Var xi("xi");
        out.update().split(x, x, xi, lanes_).reorder(xi, x, r).vectorize(xi);
        Buffer<float> data(lanes_), result(lanes_);
        data.fill(1.0f);
        return probe(Pipeline(out), {in}, {data, result}, rounds);
    }

    Probe stores() const {
        const int count = 2048, again = 64;
        Func out("out");
        RDom r(0, again);
        out(x) = 0;
        out(x) = r * 3;
        Var xi("xi"), xv("xv");
        out.update()
            .split(x, x, xi, lanes_ * 4)
            .split(xi, xi, xv, lanes_)
            .reorder(xv, xi, x, r)
            .vectorize(xv)
            .unroll(xi);
        Buffer<int32_t> result(count);
        return probe(Pipeline(out), {}, {result}, static_cast<double>(again) * count / lanes_);
    }

    /** out = e(in), a few rows within the first-level cache, again and again. */
    Probe elements(const std::function<Expr(const ImageParam &, Expr)> &e, Type type,
                   bool per_element) const {
        const int count = 1024, again = 16;
        ImageParam in(type, 1, "in");
        Func out("out");
        out(x, y) = e(in, x);
        // The same row of memory every time: the stride over y is 0.
        out.output_buffer().dim(1).set_stride(0);
        out.vectorize(x, target_.natural_vector_size(type));
        Buffer<> data(type, count * 8), result(type, std::vector<int>{count});
        fill(data);
        result.add_dimension();
        result.raw_buffer()->dim[1] = halide_dimension_t(0, again, 0);
        return probe(Pipeline(out), {in}, {data, result},
                     static_cast<double>(count) * again / (per_element ? 1 : lanes_));
    }

    /** result = e(in) in vectors, of some elements again and again. */
    Probe vectors_again(const ImageParam &in, const Expr &e, Buffer<float> data, Buffer<float> result) const {
        const int count = result.width(), again = 16384 / count;
        Func out("out");
        RDom r(0, again);
        out(x) = 0.0f;
        out(x) = select(r < again, e, 0.0f);
        if (result.dim(0).stride() != 1) {
            out.output_buffer().dim(0).set_stride(Expr());
        }
        Var xi("xi");
        out.update().split(x, x, xi, lanes_).reorder(xi, x, r).vectorize(xi);
        data.fill(1.0f);
        return probe(Pipeline(out), {in}, {data, result}, static_cast<double>(count) * again);
    }

    /** Down a column of a matrix: neighbours lie as far apart as the caller's buffer says. */
    Probe gather(int pitch, int count) const {
        const ImageParam in(Float(32), 2, "in");
        return vectors_again(in, in(0, x), Buffer<float>(pitch, count), Buffer<float>(count));
    }

    /** Stored down a column, a product each, so that the lanes are those of a vector. */
    Probe scatter(int pitch, int count) const {
        const ImageParam in(Float(32), 1, "in");
        return vectors_again(in, in(x) * 3.0f, Buffer<float>(count),
                             Buffer<float>(pitch, count).sliced(0, 0));
    }

    Probe read(Bytes bytes, bool all) const {
        const int parts = all ? threads_ : 1, vectors = 8;
        const int count = std::max(1, static_cast<int>(bytes / parts / 4) / (vectors * lanes_));
        const int passes = std::max(1, static_cast<int>(Bytes{all ? 64000000 : 4000000} * parts / bytes));
        ImageParam in(Int(32), 2, "in");
        Func acc("acc"), out("out");
        RDom r(0, count, 0, passes);
        acc(x, v, y) = 0;
        acc(x, v, y) = acc(x, v, y) | in((r.x * vectors + v) * lanes_ + x, y);
        out(x, v, y) = acc(x, v, y);
        if (all) {
            out.parallel(y);
        }
        schedule_accumulators(acc, out, r, vectors, &y);
        Buffer<int32_t> data(count * vectors * lanes_, parts), result(lanes_, vectors, parts);
        data.fill(1);
        return probe(Pipeline(out), {in}, {data, result},
                     static_cast<double>(passes) * count * vectors * lanes_ * 4 * parts);
    }

    Probe copy(Bytes bytes, bool all) const {
        const int parts = all ? threads_ : 1;
        const int count = static_cast<int>(bytes / 2 / 4 / parts) / lanes_ * lanes_;
        ImageParam in(Float(32), 2, "in");
        Func out("out");
        out(x, y) = in(x, y) * 3.0f;
        out.vectorize(x, lanes_);
        if (all) {
            out.parallel(y);
        }
        Buffer<float> data(count, parts), result(count, parts);
        data.fill(1.0f);
        result.fill(1.0f);
        return probe(Pipeline(out), {in}, {data, result}, static_cast<double>(count) * parts * 4 * 3);
    }

    /** Each task is a chain of `steps` divisions. */
    Probe parallel(int tasks, int steps) const {
        Func chain("chain"), out("out");
        Param<int> length("length");
        RDom r(0, length);
        chain(x) = 1.5f;
        chain(x) = select(r < length, 2.0f / chain(x), 0.0f);
        out(x) = chain(x);
        chain.compute_at(out, x);
        out.parallel(x);
        Buffer<float> result(tasks);
        const auto compiled =
            std::make_shared<Callable>(Pipeline(out).compile_to_callable({length}, target_));
        return {1, [=]() mutable { check_status((*compiled)(steps, result)); }};
    }

    Probe allocate(Bytes bytes) const {
        const int page = 4096 / 4;
        Func held("held"), out("out");
        held(x, y) = x + y;
        RDom r(0, static_cast<int>(bytes / 4096));
        out(x) = 0;
        out(x) += held(x, r);
        held.compute_root().align_storage(x, page).store_in(MemoryType::Heap);
        Buffer<int32_t> result(1);
        return probe(Pipeline(out), {}, {result}, 1);
    }

    int lanes() const {
        return lanes_;
    }

private:
    Target target_;
    int threads_;
    int lanes_;
    static constexpr int rounds = 4096;

    void schedule_accumulators(Func &acc, Func &out, const RDom &r, int vectors, const Var *each,
                               int lanes = 0) const {
        keep_in_registers(acc, out, r, lanes > 0 ? lanes : lanes_, vectors, each);
    }

    static void fill(Buffer<> &data) {
        const auto set = [](auto typed) {
            int i = 0;
            typed.for_each_value([&](auto &value) {
                value = static_cast<std::decay_t<decltype(value)>>(0.25 + (i++ % 512) * 0.003);
            });
        };
        if (data.type() == Float(64)) {
            set(data.as<double>());
        } else {
            set(data.as<float>());
        }
    }

    Probe probe(Pipeline pipeline, const std::vector<Argument> &arguments,
                const std::vector<Buffer<>> &buffers, double work) const {
        return compiled_probe(std::move(pipeline), arguments, buffers, target_, work);
    }
};

bool runs_here(const Target &target) {
    const Target host = get_host_target();
    bool same = target.arch == host.arch && target.bits == host.bits && target.os == host.os;
    for (const Target::Feature f :
         {Target::SSE41, Target::AVX, Target::AVX2, Target::FMA, Target::FMA4, Target::F16C, Target::AVX512,
          Target::AVX512_KNL, Target::AVX512_Skylake, Target::AVX512_Cannonlake,
          Target::AVX512_SapphireRapids, Target::AVX512_Zen4, Target::AVX512_Zen5, Target::ARMDotProd,
          Target::ARMFp16, Target::SVE, Target::SVE2, Target::RVV}) {
        same = same && (!target.has_feature(f) || host.has_feature(f));
    }
    return same;
}

}  // namespace

MachineKernels machine_kernels(const Target &target, int threads) {
    MachineKernels k;
    k.target = target.to_string();
    k.description = describe(target);
    if (target.has_gpu_feature()) {
        throw UserError("The target " + k.target +
                        " asks for GPU kernels, but calibration measures a CPU: use a CPU target.");
    }
    if (!runs_here(target)) {
        throw UserError("The target " + k.target +
                        " cannot be run on this machine: calibrate on a machine that it is for.");
    }
    const Maker make(target, threads);
    k.threads = threads;
    const float factor = 0.999f, offset = 0.01f;
    // 12 accumulators hide the latency of every CPU's adder, and fit the 16 registers of most.
    k.multiply_add = make.in_registers(12, [=](const Expr &a) { return a * factor + offset; });
    if (make.lanes() >= 4) {
        k.half_multiply_add =
            make.in_registers(12, [=](const Expr &a) { return a * factor + offset; }, make.lanes() / 2);
    }
    k.multiply_add_chain = make.in_registers(1, [=](const Expr &a) { return a * factor + offset; });
    k.add = make.in_registers(12, [=](const Expr &a) { return a + offset; });
    k.multiply = make.in_registers(12, [=](const Expr &a) { return a * factor; });
    k.divide = make.in_registers(12, [=](const Expr &a) { return factor / a; });
    k.load = make.loads(8192, 64, false);
    k.broadcast = make.loads(8192, 16, true);
    k.store = make.stores();
    k.memory_chain = make.memory_chain();
    const auto unary = [&](Expr (*f)(Expr), Type type, bool per_element) {
        return make.elements([=](const ImageParam &in, const Expr &i) { return f(in(i)); }, type,
                             per_element);
    };
    k.exp = unary(exp, Float(32), false);
    k.log = unary(log, Float(32), false);
    k.tanh = unary(tanh, Float(32), true);
    k.sin = unary(sin, Float(32), true);
    k.exp_double = unary(exp, Float(64), true);
    k.gather = make.gather(5, 1024);
    k.scatter = make.scatter(5, 1024);
    k.conflicts = make.gather(1024, 128);  // 4 KiB apart; the second level holds them
    k.strided = make.elements([](const ImageParam &in, const Expr &i) { return in(i * 5); }, Float(32), true);
    k.typed = typed_probes(target);
    k.read = [make](Bytes bytes, bool all) { return make.read(bytes, all); };
    k.copy = [make](Bytes bytes, bool all) { return make.copy(bytes, all); };
    k.task_loop = [make](int tasks, int steps) { return make.parallel(tasks, steps); };
    k.allocate = [make](Bytes bytes) { return make.allocate(bytes); };
    return k;
}

}  // namespace eutectic
