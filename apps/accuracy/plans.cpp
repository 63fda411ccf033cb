// accuracy_plans: lists plans of one generator as JSON, one a line: {"plan", "decisions", "predicted"}.

#include <Halide.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>

#include "base/user_error.h"
#include "schedules/calibration/plans.h"

int main(int argc, char **argv) {
    std::string generator, target = "host";
    std::vector<std::string> given, scheduler;
    uint64_t seeds = 300;
    CLI::App app("Lists plans of a generator: the chosen one, the unfused one, and plans drawn at random.",
                 "accuracy_plans");
    app.add_option("generator", generator, "its name")->required();
    app.add_option("params", given, "its parameters, and autoscheduler.NAME=VALUE")->type_name("NAME=VALUE");
    app.add_option("--target", target, "Halide target");
    app.add_option("--seeds", seeds, "how many plans to draw");
    CLI11_PARSE(app, argc, argv);
    try {
        std::map<std::string, std::string> params, extra;
        for (const std::string &p : given) {
            const size_t equals = p.find('=');
            if (equals == std::string::npos) {
                throw eutectic::UserError("The parameter " + p + " has no value: write NAME=VALUE.");
            }
            const bool ours = p.rfind("autoscheduler.", 0) == 0;
            const std::string name = ours ? p.substr(14, equals - 14) : p.substr(0, equals);
            (ours ? extra : params)[name] = p.substr(equals + 1);
        }
        for (const eutectic::ListedPlan &p : eutectic::list_plans(generator, params, Halide::Target(target),
                                                                  eutectic::parse_parameters(extra), seeds)) {
            std::cout << nlohmann::ordered_json{{"plan", p.plan},
                                                {"decisions", p.decisions},
                                                {"predicted", p.predicted}}
                      << "\n";
        }
    } catch (const std::exception &e) {
        std::cerr << "accuracy_plans: " << e.what() << "\n";
        return 2;
    }
    return 0;
}
