#include "operation_case.h"

#include "tangent_check.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace Halide;

namespace eutectic::test {

RDom over(const ImageParam &x, int d) {
    return RDom(x.dim(d).min(), x.dim(d).extent());
}

Subject one_input(int dimensions, const std::function<void(Func, ImageParam)> &define) {
    const ImageParam x(f64, dimensions, "x");
    Func y("y");
    define(y, x);
    return by_hand({x}, {{"y", y}});
}

Subject of_one(const std::function<Expr(Expr)> &f) {
    return one_input(1, [&](Func y, ImageParam x) {
        const Var i("i");
        y(i) = f(x(i));
    });
}

void check_cases(const std::vector<OperationCase> &cases) {
    for (const OperationCase &example : cases) {
        CAPTURE(example.name);
        double error = INFINITY, second = INFINITY;
        TangentErrors tangents{INFINITY, INFINITY, INFINITY};
        std::string problem;
        try {
            error = gradient_error(example.subject(), example.shapes, 21, 0, 4);
            tangents = tangent_errors(example.subject, example.shapes, 21, 0, 4);
            second = hvp_error(example.subject, example.shapes, 21, 0, 4);
        } catch (const Halide::Error &e) {
            problem = e.what();
        } catch (const std::exception &e) {
            problem = e.what();
        }
        CHECK_MESSAGE(error <= gradient_tolerance, problem);
        CHECK_MESSAGE(tangents.values <= 1e-14, problem);
        CHECK_MESSAGE(tangents.identity <= 1e-12, problem);
        CHECK_MESSAGE(tangents.differences <= gradient_tolerance, problem);
        CHECK_MESSAGE(second <= gradient_tolerance, problem);
    }
}

}  // namespace eutectic::test
