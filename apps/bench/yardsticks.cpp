// What a machine can do at best, as kernels to time beside a row. Their schedules are in
// schedules/manual/yardsticks.cpp.

#include <Halide.h>

using namespace Halide;

namespace eutectic::bench {

/// y(i) = x(i) * 1.5: one load, one store and one multiplication an element.
class Stream : public Generator<Stream> {
public:
    GeneratorParam<int> n{"n", 64 << 20};

    Input<Buffer<float, 1>> x{"x"};   // (n)
    Output<Buffer<float, 1>> y{"y"};  // (n)

    void generate() {
        Var i("i");
        y(i) = x(i) * 1.5f;

        x.set_estimates({{0, n}});
        y.set_estimates({{0, n}});
    }
};

/// y(j, t) = a y(j, t) + b, `length` times from 0: multiply-adds that wait for none but their own, 2 ·
/// elements · length flops, with every operand in a register: 12 sums, which are more than the units of any
/// processor times their latency, and leave four of 16 registers.
class FmaPeak : public Generator<FmaPeak> {
public:
    GeneratorParam<int> elements{"elements", 16512};  // twelve registers of 128, 256 or 512 bits go into them
    GeneratorParam<int> length{"length", 4096};

    Input<float> a{"a"};
    Input<float> b{"b"};
    Output<Buffer<float, 2>> y{"y"};  // (width, tasks)

    void generate() {
        const int width = 12 * get_target().natural_vector_size<float>(), tasks = elements / width;
        Var j("j"), t("t");
        Func sum("sum");
        RDom r(0, length, "r");
        sum(j, t) = 0.f;
        // An update belongs to the reduction whose variable it mentions.
        sum(j, t) = sum(j, t) * a + b + cast<float>(r - r);
        y(j, t) = sum(j, t);

        a.set_estimate(0.5f);
        b.set_estimate(0.5f);
        y.dim(0).set_bounds(0, width);
        y.set_estimates({{0, width}, {0, tasks}});
    }
};

}  // namespace eutectic::bench

HALIDE_REGISTER_GENERATOR(eutectic::bench::Stream, stream)
HALIDE_REGISTER_GENERATOR(eutectic::bench::FmaPeak, fma_peak)
