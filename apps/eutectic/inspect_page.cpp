#include "apps/eutectic/inspected.h"

#include "pages.h"
#include "report/page/page.h"
#include <nlohmann/json.hpp>

namespace eutectic {

std::string inspect_page(const Inspected &inspected) {
    return fill_page(page_of_inspect, "Code of " + inspected.name, to_json(inspected));
}

}  // namespace eutectic
