#include "graph/patterns/between.h"

namespace eutectic {

void inline_between(Graph &graph, FuncId placed, FuncId func, FuncId around) {
    for (const FuncId reader : graph.consumer_funcs(func)) {
        FuncInfo &info = graph.funcs[reader];
        if (reader == around || info.output || info.user_scheduled || info.stages.size() > 1 ||
            !info.between.empty()) {
            continue;
        }
        info.between = "it stands between " + graph.funcs[placed].name + " and the loops of " +
                       graph.funcs[around].name + " in which the user computes that";
        inline_between(graph, placed, reader, around);
    }
}

}  // namespace eutectic
