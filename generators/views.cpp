// Operations that only say where elements lie, each beside one that computes:
//     flatten      y(j) = relu(x(j % cols, j / cols) + b(j % cols)), counted from x's first element
//     concatenate  y(j, i) = relu(j < end of a ? a(j, i) : b(j - end of a, i)), b's columns behind a's
//     slice        y(j, i) = relu(x(j + begin, i))
//     assign       y(j, i) = relu(i is a row of v ? v(j, i) : x(j, i))
//     transpose    y(j, i) = sum over r of x(i, r) w(j, r), the transposed matrix a Func of its own

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

enum class View { flatten, concatenate, slice, assign, transpose };

class Views : public Generator<Views> {
    using AnyInput = Input<Buffer<void>>;

public:
    GeneratorParam<View> view{"view",
                              View::flatten,
                              {{"flatten", View::flatten},
                               {"concatenate", View::concatenate},
                               {"slice", View::slice},
                               {"assign", View::assign},
                               {"transpose", View::transpose}}};
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> rows{"rows", 1024};
    GeneratorParam<int> cols{"cols", 1024};
    GeneratorParam<int> begin{"begin", 3, 0, 1 << 20};  // of the slice, in columns

    void configure() {
        const auto input = [this](const char *name, int dimensions) {
            return add_input<Buffer<void>>(name, type, dimensions);
        };
        switch (view) {
        case View::flatten:
            x_ = input("x", 2);      // (cols, rows)
            other_ = input("b", 1);  // (cols)
            break;
        case View::concatenate:
            x_ = input("a", 2);      // (cols of a, rows)
            other_ = input("b", 2);  // (cols of b, rows)
            break;
        case View::slice:
            x_ = input("x", 2);  // (cols + begin, rows)
            break;
        case View::assign:
            x_ = input("x", 2);      // (cols, rows)
            other_ = input("v", 2);  // (cols, some of the rows)
            break;
        case View::transpose:
            x_ = input("x", 2);      // (rows, inner)
            other_ = input("w", 2);  // (cols, inner)
            break;
        default: break;  // a GeneratorParam has one of these
        }
        y_ = add_output<Buffer<void>>("y", type, view == View::flatten ? 1 : 2);
    }

    void generate() {
        switch (view) {
        case View::flatten: return flatten();
        case View::concatenate: return concatenate();
        case View::slice: return slice();
        case View::assign: return assign();
        case View::transpose: return transpose();
        default: return;
        }
    }

private:
    void flatten() {
        AnyInput &x = *x_, &b = *other_;
        Func flat("flat");
        const Expr width = x.dim(0).extent();
        flat(j) = x(x.dim(0).min() + j % width, x.dim(1).min() + j / width);
        (*y_)(j) = relu(flat(j) + b(b.dim(0).min() + j % width));
        x.set_estimates({{0, cols}, {0, rows}});
        b.set_estimates({{0, cols}});
        y_->set_estimates({{0, int(cols) * int(rows)}});
    }

    void concatenate() {
        AnyInput &a = *x_, &b = *other_;
        Func both("both");
        const Expr end = a.dim(0).max() + 1;
        both(j, i) = select(j < end, a(min(j, end - 1), i), b(max(j - end, 0) + b.dim(0).min(), i));
        (*y_)(j, i) = relu(both(j, i));
        a.set_estimates({{0, cols}, {0, rows}});
        b.set_estimates({{0, cols}, {0, rows}});
        y_->set_estimates({{0, 2 * int(cols)}, {0, rows}});
    }

    void slice() {
        Func part("part");
        part(j, i) = (*x_)(j + begin, i);
        (*y_)(j, i) = relu(part(j, i));
        x_->set_estimates({{0, int(cols) + int(begin)}, {0, rows}});
        y_->set_estimates({{0, cols}, {0, rows}});
    }

    void assign() {
        AnyInput &x = *x_, &v = *other_;
        Func assigned("assigned");
        const RDom r(v.dim(1).min(), v.dim(1).extent(), "r");
        assigned(j, i) = x(j, i);
        assigned(j, r) = v(j, r);
        (*y_)(j, i) = relu(assigned(j, i));
        x.set_estimates({{0, cols}, {0, rows}});
        v.set_estimates({{0, cols}, {0, std::max(int(rows) / 2, 1)}});
        y_->set_estimates({{0, cols}, {0, rows}});
    }

    void transpose() {
        AnyInput &x = *x_, &w = *other_;
        Func transposed("transposed");
        const RDom r(x.dim(1).min(), x.dim(1).extent(), "r");
        transposed(j, i) = x(i, j);
        define_matmul(*y_, transposed, w, r);
        x.set_estimates({{0, rows}, {0, cols}});
        w.set_estimates({{0, cols}, {0, cols}});
        y_->set_estimates({{0, cols}, {0, rows}});
    }

    const Var i{"i"}, j{"j"};
    AnyInput *x_ = nullptr, *other_ = nullptr;
    Output<Buffer<void>> *y_ = nullptr;
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Views, views);
