#include "apps/bench/peers.h"

#include "apps/bench/contest.h"
#include "apps/bench/measure.h"

#include <filesystem>

namespace eutectic::bench {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double start_limit = 120;  // seconds; the frameworks load gigabytes

}  // namespace

Peers::Peers(std::string source, std::string python, std::string device, std::string cache, std::string isa)
    : source_(std::move(source)),
      python_(std::move(python)),
      device_(std::move(device)),
      cache_(std::move(cache)),
      isa_(std::move(isa)) {
}

std::string Peers::missing() const {
    return !python_.empty() || fs::exists(fs::path(source_) / ".venv-peers/requirements.stamp")
               ? ""
               : "is not installed; scripts/peers installs it";
}

std::string Peers::failure_to_start(const std::string &peer) {
    std::unique_ptr<Worker> &worker = workers_[peer];
    if (worker && worker->alive()) {
        return "";
    }
    const fs::path source(source_);
    std::vector<std::string> words = {python_.empty() ? (source / ".venv-peers/bin/python").string()
                                                      : python_,
                                      (source / "apps/bench/peers/worker.py").string(),
                                      peer,
                                      "--device",
                                      device_,
                                      "--cache",
                                      cache_};
    if (!isa_.empty()) {
        words.insert(words.end(), {"--isa", isa_});
    }
    worker = std::make_unique<Worker>(words);
    const Finished hello = worker->ask("", start_limit);
    if (!hello.failure.empty()) {
        return hello.failure;
    }
    versions_.update(json::parse(hello.output).at("versions"));
    return "";
}

Finished Peers::measure(const std::string &peer, const Row &row, const std::string &tensors,
                        const Settings &settings) {
    if (std::string failure = failure_to_start(peer); !failure.empty()) {
        return {"", failure};
    }
    json question = {{"row", row.name},
                     {"tensors", tensors},
                     {"tolerance", tolerance},
                     {"seconds", settings.process_seconds},
                     {"cpu_time", settings.cpu_time},
                     {"kernels", json::array()}};
    for (const KernelSpec &kernel : row.kernels) {
        question["kernels"].push_back({{"generator", kernel.generator}, {"params", kernel.params}});
    }
    Finished answer = workers_.at(peer)->ask(question.dump(), settings.peer_limit);
    if (answer.failure.empty()) {
        const json report = json::parse(answer.output);
        if (report.contains("error")) {
            return {"", report.at("error")};
        }
    }
    return answer;
}

}  // namespace eutectic::bench
