#include "tests/support/differences.h"

#include "fusion/rewrite.h"

namespace eutectic::test {

namespace {

std::string place_of(const Graph &graph, const Placements &placements, FuncId f) {
    const Placement &p = placements[f];
    const char *const kinds[] = {"root",          "inlined",          "at ", "block of ", "in the nest of ",
                                 "in strips of ", "in one pass with "};
    std::string text = kinds[static_cast<int>(p.kind)];
    text += p.consumer >= 0 ? graph.funcs[p.consumer].name : "";
    for (const RewriteUse &u : placements.rewrites()) {
        text += u.func == f ? std::string(", ") + u.rewrite->name() : "";
    }
    return text;
}

}  // namespace

std::string differences(const Graph &graph, const Placements &from, const Placements &to) {
    std::string text;
    for (const FuncId f : from.ids()) {
        if (!from.agree(to, f)) {
            text += (text.empty() ? "" : ", ") + graph.funcs[f].name + " ";
            text += place_of(graph, from, f) + " -> " + place_of(graph, to, f);
        }
    }
    return text;
}

}  // namespace eutectic::test
