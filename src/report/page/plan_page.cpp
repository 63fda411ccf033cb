#include "report/page/plan_page.h"

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/process.h"
#include "base/temporary_folder.h"
#include "base/user_error.h"
#include "base/write_whole.h"
#include "report/page/page.h"
#include "report/targets.h"
#include "report_pages.h"

namespace eutectic {

namespace {

constexpr double most_layout = 60;  // seconds: it takes less than one for a hundred Funcs
constexpr double widest = 12;       // points

std::string quoted(const std::string &text) {
    std::string result = "\"";
    for (const char c : text) {
        result += c == '"' || c == '\\' ? std::string("\\") + c : c == '\n' ? "\\n" : std::string(1, c);
    }
    return result + "\"";
}

/** "at tile" → "at-tile": a class of the pages' style. */
std::string style_class(std::string decision) {
    std::replace(decision.begin(), decision.end(), ' ', '-');
    return decision;
}

std::string node(const Graph &graph, FuncId f) {
    const FuncInfo &info = graph.funcs[f];
    std::ostringstream s;
    s << "func" << f << " [id=func" << f
      << ", label=" << quoted(info.name + "\n" + format_bytes(info.bytes()))
      << ", shape=" << (info.input ? "ellipse, color=\"#999999\"" : "box")
      << (info.output ? ", peripheries=2" : "") << "];\n";
    return s.str();
}

void print_nodes(std::ostream &s, const Graph &graph, const FusionPlan &plan) {
    Table<FuncId, bool> placed(graph.funcs.size(), false);
    for (size_t g = 0; g < plan.groups.size(); g++) {
        const Group &group = plan.groups[g];
        s << "subgraph cluster_" << g << " { label="
          << quoted("group " + std::to_string(g + 1) + ": " + group.policy + ", " +
                    format_seconds(group.cost.total()))
          << "; fontname=\"sans-serif\"; fontsize=10; color=\"#888888\"; style=rounded;\n";
        for (const FuncId f : group.members) {
            s << node(graph, f);
            placed[f] = true;
        }
        s << "}\n";
    }
    for (const FuncId f : placed.ids()) {  // inputs, and what is computed in several groups
        s << (placed[f] ? "" : node(graph, f));
    }
}

void print_edges(std::ostream &s, const Graph &graph, const std::vector<EdgeDecision> &edges) {
    Bytes most = 1;
    for (const EdgeDecision &e : edges) {
        most = std::max(most, e.unfused_bytes);
    }
    for (size_t i = 0; i < edges.size(); i++) {
        const EdgeDecision &e = edges[i];
        s << "func" << e.producer << " -> func" << e.consumer << " [id=edge" << i << ", class=\"decision "
          << style_class(e.decision) << "\", penwidth="
          << std::max(1.0, widest * static_cast<double>(e.unfused_bytes) / static_cast<double>(most))
          << ", tooltip=" << quoted(e.decision + ": " + e.reason) << "];\n";
    }
    int inputs = 0;  // else Graphviz numbers them as edges, too
    for (const FuncId f : graph.funcs.ids()) {
        for (const FuncId c : graph.funcs[f].input ? graph.consumer_funcs(f) : std::vector<FuncId>()) {
            s << "func" << f << " -> func" << c << " [id=input" << inputs++ << ", color=\"#bbbbbb\"];\n";
        }
    }
}

std::string missing(const std::string &why, const std::string &remedy) {
    return "<p class=\"missing\">The graph is laid out by Graphviz, which " + why + ": " + remedy +
           ", and write this page again.</p>";
}

/** Graphviz's picture, or the sentence that says why there is none: a page is worth writing without. */
std::string picture(const std::string &dot) {
    try {
        const TemporaryFolder folder("the graph of a page", "leave the page out");
        write_whole("graph", folder.file("graph.dot"), dot);
        const Finished finished =
            run_process({"/usr/bin/env", "dot", "-Tsvg", folder.file("graph.dot")}, most_layout);
        const size_t begin = finished.output.find("<svg");
        if (finished.failure.empty() && begin != std::string::npos) {
            return finished.output.substr(begin);
        }
        return finished.failure.find("exit status 127") != std::string::npos
                   ? missing("is not installed here", "install it, such as Debian's package graphviz")
                   : missing("failed here (" + finished.failure + ")", "check that dot -Tsvg works");
    } catch (const UserError &) {
        return missing("reads a temporary file, and there is no room for one",
                       "give TMPDIR a folder that is writable");
    }
}

}  // namespace

std::string to_dot(const Report &r) {
    std::ostringstream s;
    s << "digraph plan {\nrankdir=TB; ranksep=0.6; outputorder=edgesfirst; node [fontname=\"sans-serif\", "
         "fontsize=11, style=filled, fillcolor=white]; edge [arrowsize=0.5];\n";
    print_nodes(s, r.graph, r.planned.plan);
    print_edges(s, r.graph, edge_decisions(r.graph, r.planned));
    s << "}\n";
    return s.str();
}

std::string plan_page(const Report &report, const std::string &title) {
    return fill_page(page_of_explain, title, to_json(report), picture(to_dot(report)));
}

std::string targets_page(const std::vector<Report> &reports, const std::string &title) {
    std::string pictures;
    for (size_t i = 0; i < reports.size(); i++) {
        pictures += "<details><summary>plan " + std::to_string(i + 1) + ", " + reports[i].target +
                    "</summary>" + picture(to_dot(reports[i])) + "</details>\n";
    }
    return fill_page(page_of_targets, title, to_json(compare_targets(reports)), pictures);
}

}  // namespace eutectic
