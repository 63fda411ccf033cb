// memory_curve: bytes against time of a chain of layers under smaller and smaller budgets (scripts/memory).

#include "training_step.h"

#include "base/user_error.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iostream>
#include <memory>
#include <thread>

using namespace eutectic;
using namespace eutectic::test;
using nlohmann::ordered_json;

namespace {

struct Options {
    int layers = 64, columns = 4096, rows = 64, repeats = 15;
    std::vector<std::string> policies{"save-all", "recompute-all", "cost"};
    std::vector<int> budgets;  // in layers
    std::string json;
};

struct Point {
    std::string policy;
    ordered_json budget;
    Bytes estimated = 0;  // of temporaries
    std::unique_ptr<TrainingStep> step;
};

Point point(const Options &o, const std::string &policy, std::optional<Bytes> budget) {
    std::cerr << "compiling " << policy << (budget ? " within " + std::to_string(*budget) + " bytes" : "")
              << "\n";
    Network network = chain_of_layers(o.layers, o.columns, o.rows),
            same = chain_of_layers(o.layers, o.columns, o.rows);
    network.subject.problem.residuals.policy = same.subject.problem.residuals.policy =
        parse_residual_policy(policy);
    network.subject.problem.residuals.budget = same.subject.problem.residuals.budget = budget;
    Point p{policy, budget ? ordered_json(*budget) : ordered_json(),
            differentiate(same.subject.problem).temporary_bytes, nullptr};
    p.step = std::make_unique<TrainingStep>(network, static_cast<int>(std::thread::hardware_concurrency()));
    return p;
}

// Unless they are given, each budget a quarter less than what the one before took, until there is no smaller
// one.
std::vector<Point> points_of(const Options &o) {
    std::vector<Point> points;
    for (const std::string &policy : o.policies) {
        points.push_back(point(o, policy, std::nullopt));
    }
    // What is below the least possible is said so, and is no reason to lose the others.
    try {
        for (const int layers : o.budgets) {
            points.push_back(point(o, "cost", Bytes(layers) * 4 * o.columns * o.rows));
        }
        for (int n = 0; o.budgets.empty() && n < 12; n++) {
            const Bytes taken = points.back().step->measured().residuals + points.back().estimated;
            points.push_back(point(o, "cost", taken * 3 / 4));
        }
    } catch (const UserError &error) {
        std::cerr << error.what() << "\n";
    }
    return points;
}

ordered_json as_json(const Options &o, const std::vector<Point> &points) {
    ordered_json json = {{"layers", o.layers},
                         {"columns", o.columns},
                         {"rows", o.rows},
                         {"threads", std::thread::hardware_concurrency()},
                         {"points", ordered_json::array()}};
    for (const Point &p : points) {
        const Measured &m = p.step->measured();
        json["points"].push_back({{"policy", p.policy},
                                  {"budget", p.budget},
                                  {"residual_bytes", m.residuals},
                                  {"estimated_temporary_bytes", p.estimated},
                                  {"forward_peak", m.forward_peak},
                                  {"backward_peak", m.backward_peak},
                                  {"peak_bytes", m.peak()},
                                  {"forward_seconds", m.forward_seconds},
                                  {"backward_seconds", m.backward_seconds},
                                  {"seconds", m.seconds()}});
    }
    return json;
}

int measure(const Options &o) {
    const std::vector<Point> points = points_of(o);
    for (int n = 0; n <= o.repeats; n++) {
        for (const Point &p : points) {
            p.step->run();
        }
    }
    const double first = points[0].step->measured().seconds();
    std::cout << "policy         residual bytes      peak bytes   seconds  of the first\n";
    for (const Point &p : points) {
        const Measured &m = p.step->measured();
        char line[120];
        std::snprintf(line, sizeof line, "%-13s %15lld %15lld %9.5f %12.2f\n", p.policy.c_str(),
                      static_cast<long long>(m.residuals), static_cast<long long>(m.peak()), m.seconds(),
                      m.seconds() / first);
        std::cout << line;
    }
    if (!o.json.empty() && !(std::ofstream(o.json) << as_json(o, points).dump(2) << "\n")) {
        std::cerr << "The file " << o.json
                  << " cannot be written; give --json a path in a folder that exists.\n";
        return 2;
    }
    return 0;
}

}  // namespace

int main(int argc, char **argv) {
    Options o;
    CLI::App app(
        "Bytes against time of a chain of layers under smaller and smaller budgets, as a table and as JSON.",
        "memory_curve");
    app.add_option("--layers", o.layers, "default 64")->check(CLI::Range(2, 1000));
    app.add_option("--columns", o.columns, "default 4096")->check(CLI::Range(8, 1 << 20));
    app.add_option("--rows", o.rows, "default 64")->check(CLI::Range(1, 1 << 20));
    app.add_option("--policies", o.policies,
                   "without a budget, the first of them what seconds are compared with; default "
                   "save-all,recompute-all,cost")
        ->delimiter(',')
        ->check(CLI::IsMember({"save-all", "recompute-all", "cost"}));
    app.add_option(
           "--budgets", o.budgets,
           "in layers' bytes; default: each a quarter less than what the one before took, while there is one")
        ->delimiter(',')
        ->check(CLI::Range(1, 1000));
    app.add_option("--repeats", o.repeats,
                   "rounds, in which the pairs take turns; the least counts (default 15)")
        ->check(CLI::Range(1, 10000));
    app.add_option("--json", o.json, "the file to write")->type_name("FILE");
    app.footer(
        "Exit status: 0; 2 for what cannot be done, such as a budget below the least possible, which it "
        "names.\n\nexample:\n  memory_curve --layers 16 --columns 1024 --repeats 3 --json chain.json");
    CLI11_PARSE(app, argc, argv);
    try {
        return measure(o);
    } catch (const UserError &error) {
        std::cerr << "memory_curve: " << error.what() << "\n";
        return 2;
    }
}
