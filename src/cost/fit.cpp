#include "cost/fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include <Eigen/Dense>

namespace eutectic {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double least = 0.01;        // of what may be 0, whose logarithm has no bottom
constexpr double linear_from = 0.47;  // the logarithm of 1.6
constexpr double step = 0.1;          // of differences: wide enough to see past the jumps of a cache

/** The square of what is returned grows linearly beyond `linear_from`. */
double huber(double deviation) {
    const double size = std::abs(deviation);
    return size <= linear_from
               ? deviation
               : std::copysign(std::sqrt(2 * linear_from * size - linear_from * linear_from), deviation);
}

class Problem {
public:
    Problem(const std::vector<Measurement> &measurements, const Machine &machine,
            const std::vector<MachineField> &fields)
        : measurements_(measurements), machine_(machine), fields_(fields) {
        std::map<std::string, double> counts;
        for (const Measurement &m : measurements) {
            counts[m.generator]++;
        }
        for (const Measurement &m : measurements) {
            weights_.push_back(1 / std::sqrt(counts[m.generator] * static_cast<double>(counts.size())));
        }
    }

    VectorXd start() const {
        VectorXd x(static_cast<Eigen::Index>(fields_.size()));
        for (size_t i = 0; i < fields_.size(); i++) {
            x[static_cast<Eigen::Index>(i)] = std::log(std::max(least, fields_[i].get(machine_)));
        }
        return x;
    }

    VectorXd bounded(VectorXd x) const {
        for (size_t i = 0; i < fields_.size(); i++) {
            double &v = x[static_cast<Eigen::Index>(i)];
            v = std::clamp(v, std::log(std::max(least, fields_[i].low)), std::log(fields_[i].high));
        }
        return x;
    }

    Machine machine(const VectorXd &x) const {
        Machine m = machine_;
        for (size_t i = 0; i < fields_.size(); i++) {
            fields_[i].set(m, std::exp(x[static_cast<Eigen::Index>(i)]));
        }
        return m;
    }

    /** Weighted deviations; the norm is the root mean square. */
    VectorXd residuals(const VectorXd &x) const {
        const Machine m = machine(x);
        VectorXd r(static_cast<Eigen::Index>(measurements_.size()));
        std::map<std::string, std::vector<double>> all;
        for (size_t i = 0; i < measurements_.size(); i++) {
            double &deviation = r[static_cast<Eigen::Index>(i)];
            deviation = std::log(predict(measurements_[i], m) / measurements_[i].seconds);
            all[measurements_[i].generator].push_back(deviation);
        }
        std::map<std::string, double> levels;
        for (auto &[generator, deviations] : all) {
            const auto middle = deviations.begin() + static_cast<std::ptrdiff_t>(deviations.size() / 2);
            std::nth_element(deviations.begin(), middle, deviations.end());
            levels[generator] = *middle;
        }
        for (size_t i = 0; i < measurements_.size(); i++) {
            double &deviation = r[static_cast<Eigen::Index>(i)];
            deviation = weights_[i] * huber(deviation - levels.at(measurements_[i].generator));
        }
        return r;
    }

    MatrixXd derivatives(const VectorXd &x) const {
        MatrixXd j(static_cast<Eigen::Index>(measurements_.size()), x.size());
        for (Eigen::Index i = 0; i < x.size(); i++) {
            VectorXd more = x, less = x;
            more[i] += step;
            less[i] -= step;
            more = bounded(more);
            less = bounded(less);
            j.col(i) = (residuals(more) - residuals(less)) / (more[i] - less[i]);
        }
        return j;
    }

private:
    const std::vector<Measurement> &measurements_;
    const Machine &machine_;
    const std::vector<MachineField> &fields_;
    std::vector<double> weights_;
};

/** Damped steps from `x` until none helps. */
VectorXd descend(const Problem &problem, VectorXd x) {
    double damping = 1e-2;
    VectorXd r = problem.residuals(x);
    for (int iteration = 0; iteration < 40 && damping < 1e6; iteration++) {
        const MatrixXd j = problem.derivatives(x);
        // min |J d + r|^2 + damping |d|^2, as one least-squares problem.
        MatrixXd stacked(j.rows() + j.cols(), j.cols());
        stacked << j, std::sqrt(damping) * MatrixXd::Identity(j.cols(), j.cols());
        VectorXd right = VectorXd::Zero(stacked.rows());
        right.head(r.size()) = -r;
        const VectorXd next = problem.bounded(x + stacked.colPivHouseholderQr().solve(right));
        const VectorXd at_next = problem.residuals(next);
        if (at_next.norm() < r.norm() * (1 - 1e-6)) {
            x = next;
            r = at_next;
            damping = std::max(1e-6, damping / 4);
        } else {
            damping *= 4;
        }
    }
    return x;
}

}  // namespace

Seconds predict(const Measurement &measurement, const Machine &machine) {
    Seconds sum = 0;
    for (const PricedNest &n : measurement.nests) {
        sum += price(n.stages, machine).total() + n.allocations;
    }
    return sum;
}

Fitted fit_constants(const std::vector<Measurement> &measurements, const Machine &machine,
                     const std::vector<MachineField> &fields) {
    if (measurements.size() < fields.size() || fields.empty()) {
        throw std::invalid_argument(
            "a fit needs at least as many measurements as constants, and one of each");
    }
    const Problem problem(measurements, machine, fields);
    const VectorXd start = problem.start();
    VectorXd best = problem.bounded(start);
    const double before = problem.residuals(start).norm();
    // Every combination of half, the same and twice of each constant.
    int starts = 1;
    for (size_t i = 0; i < fields.size(); i++) {
        starts *= 3;
    }
    for (int s = 0; s < starts; s++) {
        VectorXd x = start;
        for (Eigen::Index i = 0, rest = s; i < x.size(); i++, rest /= 3) {
            x[i] += std::log(2.0) * static_cast<double>(rest % 3 - 1);
        }
        x = descend(problem, problem.bounded(x));
        if (problem.residuals(x).norm() < problem.residuals(best).norm()) {
            best = x;
        }
    }
    return {problem.machine(best), before, problem.residuals(best).norm()};
}

}  // namespace eutectic
