// The table of docs/differentiation.md of what is refused: pipelines for each of its rows, and nothing else
// in it.

#include "gradient_check.h"

#include "autodiff/tangents.h"

#include "base/user_error.h"

#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

struct Row {
    std::string what, reverse, forwards;
};

// Of the table under "What is refused".
std::vector<Row> rows() {
    std::ifstream file(EUTECTIC_DOCUMENT);
    std::vector<Row> found;
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
        inside = line.rfind("## ", 0) == 0 ? line == "## What is refused" : inside;
        if (!inside || line.rfind("| ", 0) != 0 || line.rfind("| what |", 0) == 0) {
            continue;
        }
        std::vector<std::string> cells;
        for (size_t begin = 2, end = 0; (end = line.find(" |", begin)) != std::string::npos;
             begin = end + 3) {
            cells.push_back(line.substr(begin, end - begin));
        }
        REQUIRE(cells.size() == 3);
        found.push_back({cells[0], cells[1], cells[2]});
    }
    return found;
}

const Var i("i");

// y, and perhaps a second output, of x and whatever is listed with it.
using Make = std::function<Subject(const ImageParam &x)>;

Make one(const std::function<void(Func, ImageParam)> &define) {
    return [define](const ImageParam &x) {
        Func y("y");
        define(y, x);
        return by_hand({x}, {{"y", y}});
    };
}

Subject gathered(const ImageParam &x) {
    const ImageParam at(Int(32), 1, "at");
    Func e("e"), y("y");
    e(i) = exp(x(i));
    y(i) = e(at(i));
    return by_hand({x, at}, {{"y", y}});
}

// `u` decides, and is no value.
Subject decided(const ImageParam &x) {
    const ImageParam u(Float(32), 1, "u");
    Func y("y");
    y(i) = select(u(i) > 0, x(i), x(i) * 2);
    return by_hand({x, u}, {{"y", y}});
}

Subject of_nothing(const ImageParam &x) {
    const ImageParam u(Float(32), 1, "u");
    Func y("y"), z("z");
    y(i) = x(i) * 2;
    z(i) = u(i) * 3;
    Subject subject = by_hand({x, u}, {{"y", y}, {"z", z}});
    subject.problem.wrt = {"x"};
    return subject;
}

const std::map<std::string, std::vector<Make>> pipelines = {
    {"an extern definition", {one([](Func y, ImageParam x) {
         Func e("e");
         e.define_extern("somebody", {x}, Float(32), 1);
         y(i) = e(i);
     })}},
    {"a call without a rule, `reinterpret` of a value",
     {one([](Func y, ImageParam x) {
          y(i) = Internal::Call::make(Float(32), "somebody", {x(i) * 2}, Internal::Call::PureExtern) + 1;
      }),
      one([](Func y, ImageParam x) { y(i) = reinterpret<float>(reinterpret<int>(x(i)) + 1); })}},
    {"a value of integers or of a condition that nothing else of the Func passes by: the gradient would be 0 "
     "everywhere",
     {one([](Func y, ImageParam x) { y(i) = cast<float>(cast<int>(x(i) * 10)); }),
      one([](Func y, ImageParam x) { y(i) = cast<float>(x(i) > 0); })}},
    {"an update that is no sum, and overwrites a point more than once, or reads its own values at changing "
     "distances",
     {one([](Func y, ImageParam x) {
          RDom r(0, 4);
          y(i) = x(i);
          y(r / 2) = max(y(r / 2), x(r));
      }),
      one([](Func y, ImageParam x) {
          RDom r(1, 4);
          y(i) = x(i);
          y(r) += y(r / 2);
      })}},
    {"an index that reads data without a clamp, or whose range is not known",
     {gathered, one([](Func y, ImageParam x) {
          Func e("e");
          e(i) = x(i);
          e(i) += 1.f;
          y(i) = e(i ^ 4);
      })}},
    {"an input that no output depends on in a differentiable way", {decided}},
    {"an output that depends on none of the inputs so", {of_nothing}},
};

// Empty: taken.
std::string refusal(const Make &make, bool forwards, const std::vector<std::string> &of) {
    DifferentiationProblem problem;
    try {
        const ImageParam x(Float(32), 1, "x");
        Subject subject = make(x);
        subject.problem.of = of;
        if (forwards) {
            tangents_of(subject.problem);
        } else {
            differentiate(subject.problem);
        }
    } catch (const UserError &error) {
        return error.what();
    }
    return "";
}

bool is_sentence(const std::string &text) {
    return text.size() > 20 && text.back() == '.' && text.find('"') != std::string::npos;
}

}  // namespace

TEST_CASE("what the document says is refused is, and what it says is taken is") {
    const std::vector<Row> table = rows();
    CHECK(table.size() == pipelines.size());
    for (const Row &row : table) {
        CAPTURE(row.what);
        const auto tried = pipelines.find(row.what);
        REQUIRE(tried != pipelines.end());
        for (const Make &make : tried->second) {
            const bool left_out = row.what.find("an output") == 0;
            const std::string back = refusal(make, false, {}), on = refusal(make, true, {});
            CAPTURE(back);
            CAPTURE(on);
            if (row.reverse == "refused") {
                CHECK(is_sentence(back));
            } else {
                CHECK(row.reverse == "no upstream gradient, if it is left out of `OF`");
                CHECK(refusal(make, false, {"y"}) == "");
            }
            if (row.forwards == "refused") {
                CHECK(is_sentence(on));
            } else if (left_out) {
                CHECK(row.forwards == "refused, unless it is left out of `OF`");
                CHECK(is_sentence(on));
                CHECK(refusal(make, true, {"y"}) == "");
            } else {
                CHECK(on == "");
            }
        }
    }
}
