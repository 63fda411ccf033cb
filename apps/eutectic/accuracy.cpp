// eutectic accuracy: how well prices told what eutectic tune has measured.

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>

#include "apps/accuracy/statistics.h"
#include "apps/eutectic/commands.h"
#include "apps/eutectic/tune_database.h"
#include "base/user_error.h"
#include "cost/stage_json.h"
#include "schedules/autoschedule.h"

namespace eutectic {

using nlohmann::ordered_json;

namespace {

constexpr double part_factors[] = {0.125, 0.18, 0.25, 0.35, 0.5, 0.71, 1, 1.41, 2, 2.83, 4, 5.66, 8};

/** The parts of a price. */
struct Part {
    const char *name;
    Seconds Cost::*seconds;
};
constexpr Part parts[] = {
    {"compute", &Cost::compute}, {"memory", &Cost::memory}, {"idle", &Cost::idle}, {"launch", &Cost::launch}};

/** A plan that ran. */
struct Timed {
    Cost price;
    double measured = 0;  ///< over the plan that is chosen without measuring
};

/** What is told of one pipeline. */
struct Accuracy {
    TuneSubject subject;
    size_t plans = 0;
    double correlation = std::numeric_limits<double>::quiet_NaN();  ///< Spearman's, of price and time
    double regret = 0;  ///< time of the plan of the least price over that of the fastest
    double error = 0;   ///< root mean square of log(price / time) less its median
    const char *part = "";
    double factor = 1;      ///< with this much of that part the error is least
    double error_with = 0;  ///< then
};

/** What prices are by, beside the parameters that the plans were made with. */
struct Otherwise {
    std::string machine, cost_model;  ///< as the scheduler's parameters; empty: as they were
};

Machine machine_of(const TuneSubject &subject, const Otherwise &otherwise) {
    std::map<std::string, std::string> how =
        nlohmann::json::parse(subject.parameters).get<std::map<std::string, std::string>>();
    if (!otherwise.machine.empty()) {
        how["machine"] = otherwise.machine;
    }
    if (!otherwise.cost_model.empty()) {
        how["cost_model"] = otherwise.cost_model;
    }
    return choose_machine(Halide::Target(subject.target), parse_parameters(how));
}

std::vector<Timed> timed_plans(const TunedPipeline &of, const Otherwise &otherwise) {
    const Machine machine = machine_of(of.subject, otherwise);
    std::vector<Timed> plans;
    for (const Trial &t : of.trials) {
        if (t.status != "ok" || !t.ratio) {
            continue;
        }
        Timed plan;
        plan.measured = *t.ratio;
        for (const PricedNest &nest : priced_nests(t.priced)) {
            plan.price += price(nest.stages, machine);
            plan.price.launch += nest.allocations;
        }
        plans.push_back(plan);
    }
    return plans;
}

/** Of log(price / time), less its median: what a whole pipeline is off by orders no plans. */
double error_of(const std::vector<Timed> &plans, const std::function<double(const Cost &)> &price) {
    std::vector<double> logs;
    for (const Timed &t : plans) {
        logs.push_back(std::log(price(t.price) / t.measured));
    }
    const double middle = accuracy::median(logs);
    double squares = 0;
    for (const double log : logs) {
        squares += (log - middle) * (log - middle);
    }
    return std::sqrt(squares / static_cast<double>(logs.size()));
}

Accuracy accuracy_of(const TunedPipeline &of, const Otherwise &otherwise) {
    const std::vector<Timed> plans = timed_plans(of, otherwise);
    Accuracy a;
    a.subject = of.subject;
    a.plans = plans.size();
    if (plans.empty()) {
        return a;
    }
    std::vector<double> prices, times;
    for (const Timed &t : plans) {
        prices.push_back(t.price.total());
        times.push_back(t.measured);
    }
    a.correlation = accuracy::spearman(prices, times);
    const auto cheapest = std::min_element(prices.begin(), prices.end()) - prices.begin();
    a.regret = times[static_cast<size_t>(cheapest)] / *std::min_element(times.begin(), times.end());
    a.error = a.error_with = error_of(plans, [](const Cost &c) { return c.total(); });
    for (const Part &part : parts) {
        for (const double factor : part_factors) {
            const double error =
                error_of(plans, [&](const Cost &c) { return c.total() + (factor - 1) * c.*part.seconds; });
            if (error < a.error_with) {
                a.error_with = error;
                a.part = part.name;
                a.factor = factor;
            }
        }
    }
    return a;
}

ordered_json number(double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json to_json(const Accuracy &a) {
    return {{"name", a.subject.name},
            {"target", a.subject.target},
            {"cpu", a.subject.cpu},
            {"threads", a.subject.threads},
            {"versions", a.subject.versions},
            {"plans", a.plans},
            {"rank_correlation", number(a.correlation)},
            {"regret", number(a.regret)},
            {"log_error", number(a.error)},
            {"most_wrong",
             *a.part ? ordered_json{{"part", a.part}, {"factor", a.factor}, {"log_error", a.error_with}}
                     : ordered_json()}};
}

std::string to_text(const std::vector<Accuracy> &all) {
    std::ostringstream s;
    s << "  plans   rank  regret  error  most wrong\n" << std::fixed << std::setprecision(2);
    for (const Accuracy &a : all) {
        s << std::setw(7) << a.plans << std::setw(7);
        if (std::isfinite(a.correlation)) {
            s << a.correlation;
        } else {
            s << "-";
        }
        s << std::setw(8) << a.regret << std::setw(7) << a.error << "  ";
        if (*a.part) {
            s << a.part << " x " << a.factor << " (" << a.error_with << ")";
        } else {
            s << "nothing";
        }
        s << "  " << a.subject.name << ", " << a.subject.threads
          << (a.subject.threads == 1 ? " thread\n" : " threads\n");
    }
    s << "rank: Spearman's correlation of predicted and measured times. regret: time of the plan of the "
         "least "
         "price over that of the fastest.\nerror: root mean square of log(predicted / measured), less its "
         "median; most wrong: the part of the price by whose factor it becomes least.\n";
    return s.str();
}

int print_accuracy(const std::string &path, const Otherwise &otherwise, bool json) {
    std::vector<Accuracy> all;
    for (const TunedPipeline &of : read_tuned(path)) {
        all.push_back(accuracy_of(of, otherwise));
    }
    if (all.empty()) {
        throw UserError("The database " + path + " holds no trial yet: let eutectic tune --resume " + path +
                        " measure some.");
    }
    if (json) {
        ordered_json rows = ordered_json::array();
        for (const Accuracy &a : all) {
            rows.push_back(to_json(a));
        }
        std::cout << ordered_json{{"pipelines", rows}}.dump(2) << "\n";
    } else {
        std::cout << to_text(all);
    }
    return 0;
}

}  // namespace

void add_accuracy(CLI::App &app, Run &run) {
    const auto path = std::make_shared<std::string>();
    const auto otherwise = std::make_shared<Otherwise>();
    const auto json = std::make_shared<bool>(false);
    CLI::App *command = app.add_subcommand(
        "accuracy", "Prints how well prices told the times in a database of eutectic tune.");
    command->add_option("DB", *path, "what eutectic tune --resume has written")->required();
    command
        ->add_option(
            "--machine", otherwise->machine,
            "prices of this machine instead: a file of scripts/fit or of eutectic calibrate, host or a "
            "processor")
        ->type_name("FILE|host|PROCESSOR");
    command
        ->add_option("--cost-model", otherwise->cost_model,
                     "prices of another model: as eutectic explain has it")
        ->type_name("roofline|traffic|FILE.so");
    command->add_flag("--json", *json, "print the same as JSON");
    command->footer(
        "examples:\n"
        "  eutectic tune dense.hlpipe --budget-seconds 600 --resume tried.db\n"
        "  eutectic accuracy tried.db\n"
        "  eutectic accuracy tried.db --machine fitted.json\n"
        "  eutectic accuracy tried.db --cost-model ./own_cost_model.so\n\n"
        "Prices are those of this eutectic for the machine that was planned for, not those of the "
        "time of measuring.\n"
        "scripts/fit takes such a database, too.");
    command->callback([path, otherwise, json, &run] {
        run = [path, otherwise, json] { return print_accuracy(*path, *otherwise, *json); };
    });
}

}  // namespace eutectic
