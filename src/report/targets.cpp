#include "report/targets.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

namespace eutectic {

using nlohmann::ordered_json;

namespace {

std::string name_of(const Report &r, FuncId f) {
    return f < 0 ? "" : r.graph.funcs[f].name;
}

/** ", where the next best, in memory, would cost 4.73 us more"; empty if there is none. */
std::string next_best(const Report &r, FuncId f) {
    const RunnerUp *const found = runner_up_of(r.runners_up, f);
    if (!found || !std::isfinite(found->total)) {
        return "";
    }
    const Seconds more = found->total - found->plan;
    return "; the next best, " + place_text(r.graph, *found) + ", would take " +
           format_seconds(std::abs(more)) + (more < 0 ? " less" : " more");
}

FuncPlace place_of(const Report &r, FuncId f) {
    const Placement &p = r.planned.plan.placements[f];
    FuncPlace place{to_string(p.kind), name_of(r, p.consumer), "", ""};
    size_t groups = 0;
    for (const Group &g : r.planned.plan.groups) {
        if (std::find(g.members.begin(), g.members.end(), f) != g.members.end()) {
            place.policy = ++groups == 1 ? g.policy : "";
        }
    }
    std::vector<std::string> said;
    for (const EdgeDecision &e : edge_decisions(r.graph, r.planned)) {
        if (e.producer == f && !e.reason.empty() &&
            std::find(said.begin(), said.end(), e.reason) == said.end()) {
            said.push_back(e.reason);
            place.reason += (place.reason.empty() ? "" : "; ") + e.reason;
        }
    }
    if (place.reason.empty() && r.graph.funcs[f].output) {
        place.reason = "it is an output";
    }
    place.reason += next_best(r, f);
    return place;
}

/** "in block of y" */
std::string words(const FuncPlace &p) {
    return p.decision.empty() ? "not there" : place_text(p.decision, p.of);
}

}  // namespace

TargetComparison compare_targets(const std::vector<Report> &reports) {
    TargetComparison c;
    for (const Report &r : reports) {
        size_t kernels = 0;
        for (const Group &g : r.planned.plan.groups) {
            kernels += g.kernels.size();
        }
        c.plans.push_back({r.target, r.machine.name, plan_hash(r.graph, r.machine, r.planned.plan).whole(),
                           r.planned.plan.cost().total(), r.planned.plan.groups.size(), kernels});
    }
    for (const FuncInfo &of : reports.front().graph.funcs) {
        if (of.input) {
            continue;
        }
        TargetComparison::Row row;
        row.func = of.name;
        for (const Report &r : reports) {
            const auto same = std::find_if(r.graph.funcs.begin(), r.graph.funcs.end(),
                                           [&](const FuncInfo &f) { return f.name == of.name; });
            row.places.push_back(same == r.graph.funcs.end() ? FuncPlace()
                                                             : place_of(r, r.graph.funcs.id_of(same)));
        }
        row.differs = std::any_of(row.places.begin(), row.places.end(),
                                  [&](const FuncPlace &p) { return !(p == row.places.front()); });
        c.rows.push_back(row);
    }
    return c;
}

ordered_json to_json(const TargetComparison &c) {
    ordered_json plans = ordered_json::array(), funcs = ordered_json::array();
    for (const TargetComparison::Plan &p : c.plans) {
        plans.push_back({{"target", p.target},
                         {"machine", p.machine},
                         {"total_seconds", p.total},
                         {"groups", p.groups},
                         {"kernels", p.kernels},
                         {"plan_hash", p.hash}});
    }
    for (const TargetComparison::Row &row : c.rows) {
        ordered_json places = ordered_json::array();
        for (size_t t = 0; t < row.places.size(); t++) {
            const FuncPlace &p = row.places[t];
            places.push_back({{"target", c.plans[t].target},
                              {"decision", p.decision},
                              {"of", p.of.empty() ? ordered_json() : ordered_json(p.of)},
                              {"policy", p.policy},
                              {"reason", p.reason}});
        }
        funcs.push_back({{"func", row.func}, {"differs", row.differs}, {"places", places}});
    }
    return {{"targets", plans}, {"funcs", funcs}};
}

std::string to_text(const TargetComparison &c) {
    std::ostringstream s;
    for (size_t t = 0; t < c.plans.size(); t++) {
        const TargetComparison::Plan &p = c.plans[t];
        s << "[" << t + 1 << "] " << p.target << " on " << p.machine << ": predicted "
          << format_seconds(p.total) << ", " << p.groups << (p.groups == 1 ? " group" : " groups");
        if (p.kernels > 0) {
            s << ", " << p.kernels << (p.kernels == 1 ? " kernel" : " kernels");
        }
        s << "\n";
    }
    std::vector<size_t> widths(c.plans.size() + 1, 4);
    for (const TargetComparison::Row &row : c.rows) {
        widths[0] = std::max(widths[0], row.func.size());
        for (size_t t = 0; t < row.places.size(); t++) {
            widths[t + 1] = std::max(widths[t + 1], words(row.places[t]).size());
        }
    }
    const auto line = [&](const std::vector<std::string> &cells) {
        std::string text;
        for (size_t column = 0; column < cells.size(); column++) {
            text +=
                cells[column] +
                (column < widths.size()
                     ? std::string(widths[column] + 2 - std::min(widths[column], cells[column].size()), ' ')
                     : "");
        }
        s << text.substr(0, text.find_last_not_of(' ') + 1) << "\n";
    };
    std::vector<std::string> head = {"Func"};
    for (size_t t = 0; t < c.plans.size(); t++) {
        head.push_back("[" + std::to_string(t + 1) + "]");
    }
    s << "\n";
    line(head);
    bool same = true;
    for (const TargetComparison::Row &row : c.rows) {
        std::vector<std::string> cells = {row.func};
        for (const FuncPlace &p : row.places) {
            cells.push_back(words(p));
        }
        cells.emplace_back(row.differs ? "differs" : "");
        line(cells);
        same = same && !row.differs;
    }
    s << (same ? "\nEvery Func is at the same place in all of these plans.\n" : "");
    for (const TargetComparison::Row &row : c.rows) {
        if (row.differs) {
            s << "\n" << row.func << " differs:\n";
            for (size_t t = 0; t < row.places.size(); t++) {
                s << "    [" << t + 1 << "] " << words(row.places[t])
                  << (row.places[t].reason.empty() ? "" : ": " + row.places[t].reason) << "\n";
            }
        }
    }
    return s.str();
}

}  // namespace eutectic
