#include "apps/eutectic/ablation.h"

#include <algorithm>

#include "apps/eutectic/text_table.h"
#include "apps/support/format.h"
#include "apps/support/statistics.h"

namespace eutectic {

using nlohmann::ordered_json;

namespace {

/** Of one file: the whole plan, and those that are changed. */
struct OfFile {
    const AblationRow *whole = nullptr;
    std::vector<const AblationRow *> changed;
};

std::vector<OfFile> by_file(const std::vector<AblationRow> &rows) {
    std::vector<OfFile> files;
    for (const AblationRow &row : rows) {
        if (row.change.none()) {
            files.push_back({&row, {}});
        } else {
            files.back().changed.push_back(&row);
        }
    }
    return files;
}

/** What a change is worth: ratios of the plan with it to the whole one. */
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

void add(GeometricMean &mean, const std::optional<double> &ratio) {
    if (ratio) {
        mean.add(*ratio);
    }
}

struct MeanOf {
    Change change;
    int files = 0;  // whose plan it changes
    GeometricMean predicted, traffic, measured;
};

std::vector<MeanOf> means(const std::vector<AblationRow> &rows) {
    std::vector<MeanOf> all;
    for (const OfFile &file : by_file(rows)) {
        for (const AblationRow *row : file.changed) {
            auto at = std::find_if(all.begin(), all.end(),
                                   [&](const MeanOf &m) { return m.change.words() == row->change.words(); });
            if (at == all.end()) {
                at = all.insert(all.end(), {row->change, 0, {}, {}, {}});
            }
            if (row->changes) {
                const Ratios r = ratios(*row, *file.whole);
                at->files++;
                add(at->predicted, r.predicted);
                add(at->traffic, r.traffic);
                add(at->measured, r.measured);
            }
        }
    }
    return all;
}

ordered_json or_null(const std::optional<double> &value) {
    return value ? ordered_json(*value) : ordered_json();
}

ordered_json name_or_null(const std::string &name) {
    return name.empty() ? ordered_json() : ordered_json(name);
}

std::string times(const std::optional<double> &ratio) {
    return ratio ? format("%.2f", *ratio) : "-";
}

std::string table_of(const OfFile &file) {
    std::vector<std::vector<std::string>> table = {
        {"change", "kind", "predicted", "times", "traffic", "times", "measured", "times"}};
    const auto line = [&](const AblationRow &row, const std::string &name) {
        const Ratios r = ratios(row, *file.whole);
        table.push_back({name, row.change.kind(), format_seconds(row.predicted), times(r.predicted),
                         format_bytes(row.traffic), times(r.traffic),
                         row.measured ? format_seconds(*row.measured) : "-", times(r.measured)});
    };
    line(*file.whole, "nothing");
    std::vector<const AblationRow *> changing, refused;
    std::string idle, as_good;  // changes of either kind that change no decision
    for (const AblationRow *row : file.changed) {
        if (row->status == "refused") {
            refused.push_back(row);
        } else if (row->changes) {
            changing.push_back(row);
        } else {
            std::string &names = row->change.with.empty() ? idle : as_good;
            names += (names.empty() ? "" : ", ") + row->change.name();
        }
    }
    std::stable_sort(changing.begin(), changing.end(),
                     [](const AblationRow *a, const AblationRow *b) { return a->predicted > b->predicted; });
    for (const AblationRow *row : changing) {
        line(*row, row->change.words());
    }
    std::string text = file.whole->file + "\n" + text_table(table, 2);
    for (const AblationRow *row : changing) {
        text += row->reason.empty() ? "" : "    " + row->change.words() + ": " + row->reason + "\n";
    }
    for (const AblationRow *row : refused) {
        text += "    " + row->change.words() + " it is refused: " + row->reason + "\n";
    }
    return text + (idle.empty() ? "" : "    the same plan without: " + idle + "\n") +
           (as_good.empty() ? "" : "    the same plan with: " + as_good + "\n");
}

}  // namespace

ordered_json to_json(const std::vector<AblationRow> &rows) {
    ordered_json list = ordered_json::array(), of_all = ordered_json::array();
    for (const AblationRow &r : rows) {
        const bool planned = r.status != "refused";
        list.push_back({{"file", r.file},
                        {"without", name_or_null(r.change.without.name)},
                        {"with", name_or_null(r.change.with)},
                        {"kind", name_or_null(r.change.kind())},
                        {"changes", r.changes},
                        {"predicted_seconds", planned ? ordered_json(r.predicted) : ordered_json()},
                        {"traffic_bytes", planned ? ordered_json(r.traffic) : ordered_json()},
                        {"measured_seconds", or_null(r.measured)},
                        {"status", r.status},
                        {"reason", r.reason}});
    }
    for (const MeanOf &m : means(rows)) {
        of_all.push_back({{"without", name_or_null(m.change.without.name)},
                          {"with", name_or_null(m.change.with)},
                          {"kind", m.change.kind()},
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
        {"change", "kind", "changes", "predicted", "traffic", "measured"}};
    for (const MeanOf &m : means(rows)) {
        table.push_back({m.change.words(), m.change.kind(),
                         std::to_string(m.files) + " of " + std::to_string(files.size()),
                         times(m.predicted.value()), times(m.traffic.value()), times(m.measured.value())});
    }
    return text + "\nall, times the whole plan where that changes (geometric means)\n" + text_table(table, 2);
}

}  // namespace eutectic
