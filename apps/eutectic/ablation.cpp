#include "apps/eutectic/ablation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "apps/eutectic/text_table.h"
#include "fusion/rules/rules.h"
#include "schedules/prepare.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic {

using nlohmann::ordered_json;

std::vector<Mechanism> mechanisms(bool gpu) {
    std::vector<Mechanism> all;
    for (const Preparation &preparation : preparations()) {
        if (!gpu || preparation.on_gpus) {
            all.push_back({preparation.name, "preparation"});
        }
    }
    if (!gpu) {
        all.push_back({"winograd", "preparation"});
        all.push_back({"vectorize_functions", "preparation"});
    }
    const std::vector<Rule> rewrites = gpu ? gpu_rewrite_rules() : cpu_rewrite_rules();
    for (const Rule &rule : gpu ? gpu_rules(rewrites) : cpu_rules(rewrites)) {
        const std::string name = rule.name;
        const bool rewrite =
            std::any_of(rewrites.begin(), rewrites.end(), [&](const Rule &r) { return r.name == name; });
        const bool known =
            std::any_of(all.begin(), all.end(), [&](const Mechanism &m) { return m.name == name; });
        if (!known) {
            all.push_back({name, rewrite ? "rewrite" : "rule"});
        }
    }
    return all;
}

namespace {

/** Of one file: the whole plan, and those without something. */
struct OfFile {
    const AblationRow *whole = nullptr;
    std::vector<const AblationRow *> without;
};

std::vector<OfFile> by_file(const std::vector<AblationRow> &rows) {
    std::vector<OfFile> files;
    for (const AblationRow &row : rows) {
        if (row.without.name.empty()) {
            files.push_back({&row, {}});
        } else {
            files.back().without.push_back(&row);
        }
    }
    return files;
}

/** What a mechanism is worth: ratios of the plan without it to the whole one. */
struct Ratios {
    std::optional<double> predicted, traffic, measured;
};

std::optional<double> ratio(double a, double b) {
    return a > 0 && b > 0 ? std::optional(a / b) : std::nullopt;
}

Ratios ratios(const AblationRow &row, const AblationRow &whole) {
    if (row.status == "refused") {
        return {};
    }
    const bool both = row.measured && whole.measured;
    return {ratio(row.predicted, whole.predicted),
            ratio(static_cast<double>(row.traffic), static_cast<double>(whole.traffic)),
            both ? ratio(*row.measured, *whole.measured) : std::nullopt};
}

/** A geometric mean of what there is. */
class Mean {
public:
    void add(const std::optional<double> &value) {
        if (value) {
            logarithms_ += std::log(*value);
            count_++;
        }
    }
    std::optional<double> value() const {
        return count_ > 0 ? std::optional(std::exp(logarithms_ / count_)) : std::nullopt;
    }

private:
    double logarithms_ = 0;
    int count_ = 0;
};

struct MeanOf {
    Mechanism mechanism;
    int files = 0;  // whose plan it changes
    Mean predicted, traffic, measured;
};

std::vector<MeanOf> means(const std::vector<AblationRow> &rows) {
    std::vector<MeanOf> all;
    for (const OfFile &file : by_file(rows)) {
        for (const AblationRow *row : file.without) {
            auto at = std::find_if(all.begin(), all.end(),
                                   [&](const MeanOf &m) { return m.mechanism.name == row->without.name; });
            if (at == all.end()) {
                at = all.insert(all.end(), {row->without, 0, {}, {}, {}});
            }
            if (row->changes) {
                const Ratios r = ratios(*row, *file.whole);
                at->files++;
                at->predicted.add(r.predicted);
                at->traffic.add(r.traffic);
                at->measured.add(r.measured);
            }
        }
    }
    return all;
}

ordered_json or_null(const std::optional<double> &value) {
    return value ? ordered_json(*value) : ordered_json();
}

std::string times(const std::optional<double> &ratio) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", ratio.value_or(0));
    return ratio ? text : "-";
}

std::string table_of(const OfFile &file) {
    std::vector<std::vector<std::string>> table = {
        {"without", "kind", "predicted", "times", "traffic", "times", "measured", "times"}};
    const auto line = [&](const AblationRow &row, const std::string &name) {
        const Ratios r = ratios(row, *file.whole);
        table.push_back({name, row.without.kind, format_seconds(row.predicted), times(r.predicted),
                         format_bytes(row.traffic), times(r.traffic),
                         row.measured ? format_seconds(*row.measured) : "-", times(r.measured)});
    };
    line(*file.whole, "nothing");
    std::vector<const AblationRow *> changing, refused;
    std::string idle;
    for (const AblationRow *row : file.without) {
        if (row->status == "refused") {
            refused.push_back(row);
        } else if (row->changes) {
            changing.push_back(row);
        } else {
            idle += (idle.empty() ? "" : ", ") + row->without.name;
        }
    }
    std::stable_sort(changing.begin(), changing.end(),
                     [](const AblationRow *a, const AblationRow *b) { return a->predicted > b->predicted; });
    for (const AblationRow *row : changing) {
        line(*row, row->without.name);
    }
    std::string text = file.whole->file + "\n" + text_table(table, 2);
    for (const AblationRow *row : changing) {
        text += row->reason.empty() ? "" : "    without " + row->without.name + ": " + row->reason + "\n";
    }
    for (const AblationRow *row : refused) {
        text += "    without " + row->without.name + " it is refused: " + row->reason + "\n";
    }
    return text + (idle.empty() ? "" : "    the same plan without: " + idle + "\n");
}

}  // namespace

ordered_json to_json(const std::vector<AblationRow> &rows) {
    ordered_json list = ordered_json::array(), of_all = ordered_json::array();
    for (const AblationRow &r : rows) {
        const bool whole = r.without.name.empty(), planned = r.status != "refused";
        list.push_back({{"file", r.file},
                        {"without", whole ? ordered_json() : ordered_json(r.without.name)},
                        {"kind", whole ? ordered_json() : ordered_json(r.without.kind)},
                        {"changes", r.changes},
                        {"predicted_seconds", planned ? ordered_json(r.predicted) : ordered_json()},
                        {"traffic_bytes", planned ? ordered_json(r.traffic) : ordered_json()},
                        {"measured_seconds", or_null(r.measured)},
                        {"status", r.status},
                        {"reason", r.reason}});
    }
    for (const MeanOf &m : means(rows)) {
        of_all.push_back({{"without", m.mechanism.name},
                          {"kind", m.mechanism.kind},
                          {"files", m.files},
                          {"predicted", or_null(m.predicted.value())},
                          {"traffic", or_null(m.traffic.value())},
                          {"measured", or_null(m.measured.value())}});
    }
    return {{"rows", list}, {"geometric_means", of_all}};
}

std::string to_text(const std::vector<AblationRow> &rows) {
    std::string text;
    const std::vector<OfFile> files = by_file(rows);
    for (const OfFile &file : files) {
        text += (text.empty() ? "" : "\n") + table_of(file);
    }
    if (files.size() < 2) {
        return text;
    }
    std::vector<std::vector<std::string>> table = {
        {"without", "kind", "changes", "predicted", "traffic", "measured"}};
    for (const MeanOf &m : means(rows)) {
        table.push_back({m.mechanism.name, m.mechanism.kind,
                         std::to_string(m.files) + " of " + std::to_string(files.size()),
                         times(m.predicted.value()), times(m.traffic.value()), times(m.measured.value())});
    }
    return text + "\nall, times the whole plan where that changes (geometric means)\n" + text_table(table, 2);
}

}  // namespace eutectic
