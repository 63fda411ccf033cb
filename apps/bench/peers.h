#pragma once

#include "apps/bench/suite.h"
#include "base/process.h"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <string>

namespace eutectic::bench {

struct Settings;

/// The other frameworks: one Python process each (peers/worker.py), which is told a row, reads its inputs,
/// compares its results with the reference's and times itself as measure() does. It starts with the first
/// row, and anew after it died of one.
class Peers {
public:
    /// `source`: the project's folder, with apps/bench/peers, and .venv-peers if no `python` is given. They
    /// run on `device`, "cpu" or "cuda". `cache`: what a framework compiles stays there. `isa`: the
    /// instruction set that they are restricted to; "" for what the machine has.
    Peers(std::string source, std::string python, std::string device, std::string cache,
          std::string isa = "");

    /// Why none can be timed, as the end of a sentence; empty if they can.
    std::string missing() const;

    /// A report as measure() gives it, or {"absent": true} if the framework has nothing like the row, or why
    /// there is none. The first call for a row compiles. `tensors`: what Workload::write left.
    Finished measure(const std::string &peer, const Row &row, const std::string &tensors,
                     const Settings &settings);

    /// By library, of those that were started.
    const nlohmann::json &versions() const {
        return versions_;
    }

private:
    std::string failure_to_start(const std::string &peer);

    std::string source_, python_, device_, cache_, isa_;
    std::map<std::string, std::unique_ptr<Worker>> workers_;
    nlohmann::json versions_ = nlohmann::json::object();
};

}  // namespace eutectic::bench
