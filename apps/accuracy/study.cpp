#include "apps/accuracy/study.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>

#include "apps/accuracy/statistics.h"
#include "base/process.h"
#include "base/units.h"
#include "base/user_error.h"

namespace eutectic::accuracy {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

std::string read_all(const std::string &path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

class Session {
public:
    Session(const Subject &subject, const Settings &settings)
        : subject_(subject),
          s_(settings),
          kernel_(subject.row.kernels.at(0)),
          folder_(fs::path(settings.work) / settings.target / subject.row.name) {
        fs::create_directories(folder_);
    }

    void compile_only() {
        list();
        ordered_json plans = at(select_plans(predicted(), static_cast<size_t>(s_.plans_wanted)));
        compile_all(plans);
    }

    ordered_json run() {
        list();
        std::vector<size_t> chosen = select_plans(predicted(), static_cast<size_t>(s_.plans_wanted));
        ordered_json plans = at(chosen);
        const std::string key = stable_hash(plans.dump() + settings_key());
        if (const json before = json::parse(read_all(result_file()), nullptr, false);
            !before.is_discarded() && before.value("key", "") == key) {
            say("timed before");
            return ordered_json::parse(read_all(result_file())).at("result");
        }
        measure(plans);
        // At least half are to be near the best: more of the promising ones, if there are any.
        for (int more = 0; more < 3 && !enough_near(plans) && add_promising(plans, predicted(), chosen);
             more++) {
            measure(plans);
        }
        attach_stages(plans);
        const ordered_json result = {{"name", subject_.row.name},
                                     {"generator", kernel_.generator},
                                     {"params", kernel_.params},
                                     {"use", subject_.fit ? "fit" : "report"},
                                     {"plans", plans}};
        std::ofstream(result_file()) << ordered_json{{"key", key}, {"result", result}}.dump(1) << "\n";
        return result;
    }

private:
    const Subject &subject_;
    const Settings &s_;
    const bench::KernelSpec &kernel_;
    fs::path folder_;
    std::vector<ordered_json> listed_;

    std::vector<double> predicted() const {
        std::vector<double> seconds;
        for (const ordered_json &p : listed_) {
            seconds.push_back(p.at("predicted"));
        }
        return seconds;
    }
    ordered_json at(const std::vector<size_t> &chosen) const {
        ordered_json plans = ordered_json::array();
        for (const size_t i : chosen) {
            plans.push_back(listed_[i]);
        }
        return plans;
    }
    std::string result_file() const {
        return (folder_ / "result.json").string();
    }
    void say(const std::string &what) const {
        if (s_.progress) {
            s_.progress(subject_.row.name + ": " + what);
        }
    }
    std::string settings_key() const {
        std::ostringstream s;
        s << kernel_.generator << s_.processes << " " << s_.threads << " " << s_.cpu_time << " " << s_.seconds
          << s_.target << read_all(s_.machine);
        for (const auto &[name, value] : kernel_.params) {
            s << name << "=" << value;
        }
        return s.str();
    }

    std::vector<std::string> parameters() const {
        std::vector<std::string> words;
        for (const auto &[name, value] : kernel_.params) {
            words.push_back(name + "=" + value);
        }
        words.push_back("autoscheduler.parallelism=" + std::to_string(s_.threads));
        if (!s_.machine.empty()) {
            words.push_back("autoscheduler.machine=" + s_.machine);
        }
        return words;
    }

    void list() {
        std::vector<std::string> command = {
            s_.plans, "--target", s_.target, "--seeds", std::to_string(s_.seeds), kernel_.generator};
        const std::vector<std::string> more = parameters();
        command.insert(command.end(), more.begin(), more.end());
        const Finished finished = run_process(command, 600);
        if (!finished.failure.empty()) {
            throw UserError("The plans of " + subject_.row.name + " cannot be listed: " + finished.failure +
                            ".");
        }
        std::istringstream lines(finished.output);
        for (std::string line; std::getline(lines, line);) {
            listed_.push_back(ordered_json::parse(line));
        }
        say(std::to_string(listed_.size()) + " distinct plans of " + std::to_string(s_.seeds) + " drawn");
    }

    fs::path plan_folder(const std::string &decisions) const {
        return folder_ / decisions;
    }

    /// Compiles and links one plan; returns why that failed, or nothing.
    std::string compile(const std::string &plan, const std::string &decisions) const {
        const fs::path folder = plan_folder(decisions), library = folder / "kernel.so";
        if (fs::exists(library)) {
            return "";
        }
        fs::create_directories(folder);
        std::vector<std::string> command = {s_.generators,     "-g",
                                            kernel_.generator, "-f",
                                            "kernel_0",        "-n",
                                            "kernel_0",        "-o",
                                            folder.string(),   "-e",
                                            "object",          "-p",
                                            s_.plugin,         "autoscheduler=Eutectic"};
        command.push_back("target=" + s_.target);
        const std::vector<std::string> more = parameters();
        command.insert(command.end(), more.begin(), more.end());
        command.push_back("autoscheduler.priced=" + (folder / "stages.json").string());
        if (plan == "unfused") {
            command.emplace_back("autoscheduler.unfused=1");
        } else if (plan != "chosen") {
            command.push_back("autoscheduler.sample=" + plan);
        }
        Finished finished = run_process(command, s_.timeout);
        if (finished.failure.empty()) {
            finished = run_process({"/usr/bin/env", "c++", "-shared", "-o", library.string(),
                                    (folder / "kernel_0.o").string(), "-ldl", "-lpthread"},
                                   s_.timeout);
            fs::remove(folder / "kernel_0.o");
        }
        return finished.failure;
    }

    void compile_all(ordered_json &plans) const {
        std::atomic<size_t> next{0}, done{0}, failed{0};
        std::vector<std::string> failures(plans.size());
        const auto work = [&] {
            for (size_t i = next++; i < plans.size(); i = next++) {
                failures[i] = compile(plans[i].at("plan"), plans[i].at("decisions"));
                failed += failures[i].empty() ? 0 : 1;
                if (++done % 10 == 0) {
                    say("compiled " + std::to_string(done - failed) + " of " + std::to_string(plans.size()) +
                        (failed > 0 ? ", " + std::to_string(failed) + " failed" : ""));
                }
            }
        };
        std::vector<std::thread> threads;
        for (int i = 1; i < s_.jobs; i++) {
            threads.emplace_back(work);
        }
        work();
        for (std::thread &t : threads) {
            t.join();
        }
        for (size_t i = 0; i < plans.size(); i++) {
            if (!failures[i].empty()) {
                plans[i]["failed"] = "compiling failed: " + failures[i];
            }
        }
        if (failed > 0 && failed == plans.size()) {
            throw UserError("No plan of " + subject_.row.name + " can be compiled: " + failures.front() +
                            ".");
        }
    }

    std::vector<std::string> child(const std::string &library) const {
        std::ostringstream seconds;
        seconds << s_.seconds;
        std::vector<std::string> words = {s_.program,  "--rows",          s_.rows,
                                          "--only",    subject_.row.name, "--child",
                                          library,     "--reference",     (folder_ / "reference").string(),
                                          "--seconds", seconds.str()};
        if (s_.cpu_time) {
            words.emplace_back("--cpu-time");
        }
        return words;
    }

    void write_reference() const {
        const std::string failure = compile("unfused", "unfused");
        fs::create_directories(folder_ / "reference");
        std::vector<std::string> words = child((plan_folder("unfused") / "kernel.so").string());
        words.emplace_back("--write");
        const std::string trouble = failure.empty() ? run_process(words, 10 * s_.timeout).failure : failure;
        if (!trouble.empty()) {
            throw UserError("The unfused program of " + subject_.row.name + " cannot be run: " + trouble +
                            ".");
        }
    }

    /// Every plan in turn, in as many rounds as there are processes; each round begins elsewhere, so that
    /// none always runs after the same neighbour.
    void measure(ordered_json &plans) const {
        compile_all(plans);
        write_reference();
        for (ordered_json &p : plans) {
            p.erase("processes");
        }
        for (int round = 0; round < s_.processes; round++) {
            say("timing, round " + std::to_string(round + 1) + " of " + std::to_string(s_.processes));
            for (size_t i = 0; i < plans.size(); i++) {
                time_once(plans[(i + static_cast<size_t>(round) * plans.size() /
                                         static_cast<size_t>(s_.processes)) %
                                plans.size()]);
            }
        }
        for (ordered_json &p : plans) {
            if (!p.contains("failed")) {
                const auto times = p.at("processes").get<std::vector<double>>();
                p["seconds"] = *std::min_element(times.begin(), times.end());
            }
        }
    }

    void time_once(ordered_json &plan) const {
        if (plan.contains("failed")) {
            return;
        }
        const Finished finished =
            run_process(child((plan_folder(plan.at("decisions")) / "kernel.so").string()), s_.timeout);
        if (!finished.failure.empty()) {
            plan["failed"] = "running failed: " + finished.failure;
            return;
        }
        const json report = json::parse(finished.output);
        if (!report.contains("samples")) {
            plan["failed"] = "its results differ from the unfused program's by " +
                             report.at("difference").dump() + " of the largest value";
            return;
        }
        const auto samples = report.at("samples").get<std::vector<double>>();
        plan["processes"].push_back(*std::min_element(samples.begin(), samples.end()));
    }

    static bool enough_near(const ordered_json &plans) {
        std::vector<double> times;
        for (const ordered_json &p : plans) {
            if (p.contains("seconds")) {
                times.push_back(p.at("seconds"));
            }
        }
        const double best = times.empty() ? 0 : *std::min_element(times.begin(), times.end());
        return 2 * std::count_if(times.begin(), times.end(), [&](double t) { return t <= 3 * best; }) >=
               static_cast<std::ptrdiff_t>(times.size());
    }

    /// Up to ten more plans, out of those that are predicted to be fast.
    bool add_promising(ordered_json &plans, const std::vector<double> &predicted,
                       std::vector<size_t> &chosen) const {
        std::vector<size_t> left;
        for (size_t i = 0; i < predicted.size(); i++) {
            if (std::find(chosen.begin(), chosen.end(), i) == chosen.end()) {
                left.push_back(i);
            }
        }
        std::sort(left.begin(), left.end(), [&](size_t a, size_t b) { return predicted[a] < predicted[b]; });
        // The faster third of them, spread: ten plans of one price would say nothing.
        left.resize((left.size() + 2) / 3);
        const size_t count = std::min<size_t>(left.size(), 10);
        for (size_t n = 0; n < count; n++) {
            const size_t i = left[n * left.size() / count];
            plans.push_back(listed_[i]);
            chosen.push_back(i);
        }
        return count > 0;
    }

    void attach_stages(ordered_json &plans) const {
        for (ordered_json &p : plans) {
            const ordered_json stages = ordered_json::parse(
                read_all((plan_folder(p.at("decisions")) / "stages.json").string()), nullptr, false);
            if (!stages.is_discarded()) {
                p["stages"] = stages;
            }
        }
    }
};

}  // namespace

std::vector<Subject> read_subjects(const std::string &path) {
    const json file = json::parse(read_all(path), nullptr, false);
    if (file.is_discarded() || !file.contains("rows")) {
        throw UserError("The list of generators " + path +
                        " is not a JSON object with rows: give --rows the path of one.");
    }
    std::vector<Subject> subjects;
    for (const json &row : file.at("rows")) {
        Subject s;
        s.row.name = row.at("name");
        s.row.kernels.push_back(
            {row.at("generator"), row.value("params", std::map<std::string, std::string>())});
        s.row.rounds = row.value("rounds", false);
        const json ranges = row.value("ranges", json::object());
        for (const auto &[input, range] : ranges.items()) {
            s.row.ranges[input] = {range.at(0), range.at(1)};
        }
        s.fit = row.at("use") == "fit";
        subjects.push_back(s);
    }
    return subjects;
}

ordered_json study(const Subject &subject, const Settings &settings) {
    return Session(subject, settings).run();
}

void compile_plans(const Subject &subject, const Settings &settings) {
    Session(subject, settings).compile_only();
}

}  // namespace eutectic::accuracy
