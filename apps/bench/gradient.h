#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace eutectic::bench {

/// One half of a forward and backward pair.
struct HalfFigures {
    double seconds = 0;  ///< its fastest run, the halves taking turns
    double bytes = 0;    ///< of the tensors that it is given, read or written
    double operations =
        0;  ///< flops; a division or an exp counts as many as the machine's preset makes in the time of one
    double compile_seconds = 0;        ///< to differentiate, plan and compile
    double differentiate_seconds = 0;  ///< of that, to differentiate
};

/// What is told of eutectic's pair, beside its time.
struct GradientFigures {
    HalfFigures forward, backward;
    double residual_bytes = 0;               ///< kept from the forward for the backward
    std::optional<double> bytes_per_second;  ///< measured: what the row's yardstick moves

    /// What the backward takes at least: its bytes at the measured bandwidth, or its operations at the rate
    /// at which the forward made its own, whichever is more. The bytes are left out where nothing was
    /// measured.
    double least_seconds() const;
    /// "bytes" or "operations".
    const char *bound_by() const;
    /// Of the backward's time.
    double to_bound() const;
    double to_forward() const;
};

/// {forward_seconds, backward_seconds, backward_to_forward, backward_bytes, bytes_per_second (null if not
/// measured), backward_operations, forward_operations, least_seconds, bound_by, backward_to_bound,
/// residual_bytes, differentiate_seconds, compile_seconds}.
nlohmann::json to_json(const GradientFigures &figures);
/// The same for people, in one line.
std::string to_text(const GradientFigures &figures);

/// What the build left of the pair in `folder`: kernel_N.report.json and kernel_N.seconds; seconds and bytes
/// are `measured`, as measure() gave them. Nothing if the scheduler wrote no such reports.
std::optional<GradientFigures> read_figures(const std::string &folder, const nlohmann::json &measured);

}  // namespace eutectic::bench
