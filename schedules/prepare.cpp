#include "schedules/prepare.h"

#include "schedules/cut_scans.h"
#include "schedules/known_segments.h"
#include "schedules/rewrites.h"
#include "schedules/transposed_scans.h"

namespace eutectic {

using Changes = Preparation::Changes;

const std::vector<Preparation> &preparations() {
    static const std::vector<Preparation> all = {
        {"gather_segments",
         [](const Graph &graph, const Halide::Pipeline &pipeline, const Machine &) {
             return known_segments(graph, pipeline);
         },
         [](const Halide::Pipeline &pipeline, const Changes &scatters) {
             gather_segments(pipeline, scatters);
             return std::vector<std::string>();
         },
         [](const std::string &func, int update) {
             return "update " + std::to_string(update) + " of " + func +
                    " adds at places that are known: it gathers the terms of each point, and the points do "
                    "not wait for each other";
         }},
        {"cut_scans", scans_to_cut,
         [](const Halide::Pipeline &pipeline, const Changes &scans) { return cut_scans(pipeline, scans); },
         [](const std::string &func, int points) {
             return func + " scans where one dimension is all there is: it goes along pieces of " +
                    std::to_string(points) + " points, each on its own, and then adds what comes before";
         }},
        {"transpose_scans",
         [](const Graph &graph, const Halide::Pipeline &, const Machine &machine) {
             return scans_along_rows(graph, machine);
         },
         [](const Halide::Pipeline &pipeline, const Changes &scans) {
             transpose_scans(pipeline, scans);
             return std::vector<std::string>();
         },
         [](const std::string &func, int) {
             return func + " scans along rows: it goes down the columns of a transposed one";
         }},
    };
    return all;
}

}  // namespace eutectic
