#include "apps/calibrate/libraries.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include <Eigen/Dense>

#include <Halide.h>

#include "base/user_error.h"
#include "library/product.h"

namespace eutectic {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<LinkedLibrary> all_linked() {
    std::vector<LinkedLibrary> all = {{Library::eigen, eutectic_eigen_product}};
#ifdef EUTECTIC_HAS_OPENBLAS
    all.push_back({Library::openblas, eutectic_openblas_product});
#endif
#ifdef EUTECTIC_HAS_ONEDNN
    all.push_back({Library::onednn, eutectic_onednn_product});
#endif
    return all;
}

const char *package_of(Library library) {
    return library == Library::onednn ? "libdnnl-dev" : "libopenblas-pthread-dev";
}

struct Shape {
    int m, n, k;
};

/** Calls, blocks of a few rows as a block of a plan has them, and wholes. */
constexpr Shape shapes[] = {{8, 8, 8},        {64, 64, 64},     {16, 256, 784},  {64, 256, 784},
                            {16, 1024, 1000}, {64, 1000, 1024}, {256, 256, 256}, {512, 512, 512}};

/** The fastest of some calls. */
Seconds time_product(const LinkedLibrary &library, const Shape &s, Seconds at_least) {
    Halide::Buffer<float> a(s.k, s.m), b(s.n, s.k), c(s.n, s.m);
    a.fill(1.0f);
    b.fill(1.0f);
    Seconds least = std::numeric_limits<Seconds>::infinity(), all = 0;
    for (int calls = 1; all < at_least;) {
        const auto start = Clock::now();
        for (int i = 0; i < calls; i++) {
            library.product(a.raw_buffer(), b.raw_buffer(), 0, s.k, 0x20, 0x01, 1, c.raw_buffer());
        }
        const Seconds taken = std::chrono::duration<double>(Clock::now() - start).count();
        all += taken;
        least = std::min(least, taken / calls);
        calls = taken < at_least / 20 ? 2 * calls : calls;
    }
    return least;
}

/** The x, none below 0, with the least squares of a x - 1. */
Eigen::Vector3d positive_least_squares(const Eigen::MatrixX3d &a) {
    const Eigen::VectorXd one = Eigen::VectorXd::Ones(a.rows());
    Eigen::Vector3d best = Eigen::Vector3d::Zero();
    double least = std::numeric_limits<double>::infinity();
    for (int used = 1; used < 8; used++) {  // of three unknowns
        std::vector<int> columns;
        for (int c = 0; c < 3; c++) {
            if ((used >> c & 1) != 0) {
                columns.push_back(c);
            }
        }
        const Eigen::VectorXd x = a(Eigen::all, columns).colPivHouseholderQr().solve(one);
        Eigen::Vector3d all = Eigen::Vector3d::Zero();
        all(columns) = x;
        const double error = (a * all - one).squaredNorm();
        if (x.minCoeff() >= 0 && error < least) {
            least = error;
            best = all;
        }
    }
    return best;
}

}  // namespace

std::vector<LinkedLibrary> linked_libraries(const std::vector<std::string> &names) {
    const std::vector<LinkedLibrary> all = all_linked();
    const auto is_given = [](const std::string &name) { return !name.empty(); };
    if (std::none_of(names.begin(), names.end(), is_given)) {
        return all;  // --library alone
    }
    std::vector<LinkedLibrary> chosen;
    for (const std::string &name : names) {
        const Library library = library_named(name);
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const LinkedLibrary &l) { return l.library == library; });
        if (found == all.end()) {
            throw UserError("The library " + name +
                            " was asked for, but was not found when this was built: install " +
                            package_of(library) + " and build it anew.");
        }
        chosen.push_back(*found);
    }
    return chosen;
}

LibraryRates measure_library(const LinkedLibrary &library, const Machine &m, Seconds seconds_per_probe) {
    const double multiply_adds = m.vector_ops_per_cycle * m.hertz * m.lanes(sizeof(float));
    Eigen::MatrixX3d parts(std::size(shapes), 3);
    for (size_t i = 0; i < std::size(shapes); i++) {
        const Shape &s = shapes[i];
        const Seconds seconds = time_product(library, s, seconds_per_probe);
        const double mn = 1.0 * s.m * s.n, mk = 1.0 * s.m * s.k, kn = 1.0 * s.k * s.n;
        parts.row(static_cast<Eigen::Index>(i)) =
            Eigen::RowVector3d(1, mn * s.k / multiply_adds, (mk + kn + 2 * mn) * sizeof(float)) / seconds;
    }
    const Eigen::Vector3d x = positive_least_squares(parts);
    constexpr double no_less = 1e-15;  // seconds a byte, and of the peak: what was not felt
    return {library.library, 1 / std::max(x(1), 0.5), 1 / std::max(x(2), no_less), x(0)};
}

}  // namespace eutectic
