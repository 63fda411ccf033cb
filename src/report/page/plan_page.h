#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace eutectic {

/** The report as one page: the graph of Funcs with groups as boxes and edges coloured by decision and as wide
 * as their bytes, laid out by Graphviz (without it, a sentence in the graph's place says so); the ledger as a
 * table to sort and to filter; the traffic. A click on an edge shows its row. */
std::string plan_page(const Report &report, const std::string &title);

/** One pipeline's plans side by side as one page: predicted times, where each Func is in each plan and why (a
 * click on its row), and each plan's graph to unfold. At least one report. */
std::string targets_page(const std::vector<Report> &reports, const std::string &title);

/** The graph in Graphviz's language: nodes func0, func1, … by graph index, edges edge0, edge1, … in the
 * order of edge_decisions(), of the class "decision" and that of theirs ("at-tile"). */
std::string to_dot(const Report &report);

}  // namespace eutectic
