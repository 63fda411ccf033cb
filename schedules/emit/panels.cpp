#include "schedules/emit/panels.h"

#include "fusion/plan/panels.h"

namespace eutectic {

void add_panels(const Group &group, const Added &panels, std::vector<Directive> &directives) {
    Directive read;
    read.op = Directive::Op::read_panels;
    read.func = panels.of;
    read.size = panels.factor;
    for (const DimId d : panels.each) {
        read.vars.push_back({d, -1, "", false});
    }
    directives.push_back(read);
    for (const WholeColumns &whole : whole_columns(group, panels)) {
        Directive bound;
        bound.op = Directive::Op::bound_extent;
        bound.func = whole.func;
        bound.vars = {{whole.dim, -1, "", false}};
        bound.size = whole.points;
        directives.push_back(bound);
    }
}

}  // namespace eutectic
