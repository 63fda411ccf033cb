// What Funcs are called in everything that people read: never by a name that Halide made.

#include "graph_text.h"

#include <doctest/doctest.h>

#include "Halide.h"

#include "graph/read/copies.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x");

/** Of the Funcs of a pipeline, with a comma between them. */
std::string names_of(Func output) {
    output.set_estimates({{0, 8}});
    const Graph graph = graph_of({output});
    std::string names;
    for (const FuncInfo &f : graph.funcs) {
        names += (names.empty() ? "" : ",") + f.name;
    }
    return names;
}

}  // namespace

TEST_CASE("inputs have the names of their buffers") {
    const ImageParam in = image("in_of_names", {8});
    Func plain("plain_of_names");
    plain(x) = in(x) + 1;
    CHECK(names_of(plain) == "in_of_names,plain_of_names");

    Func same("same_of_names"), reads("reads_of_names");
    const ImageParam alike = image("same_of_names", {8});
    same(x) = alike(x) * 2;
    reads(x) = same(x) + alike(x);
    CHECK(names_of(reads) == "same_of_names2,same_of_names,reads_of_names");

    // The user's own, which compute.
    Func ends("ends_im"), reader("reader_of_names");
    ends(x) = in(x) * 3;
    reader(x) = ends(x) + ends(x + 1);
    CHECK(names_of(reader) == "in_of_names,ends_im,reader_of_names");
}

TEST_CASE("an input that another generator's output is given to has its name, too") {
    // As Input<Buffer<>> has it after Generator::apply(), twice in a pipeline.
    const ImageParam in = image("given_of_names", {8});
    Func made("made_of_names"), first("g_im"), second("g_im"), sum("sum_of_names");
    made(x) = in(x) + 1;
    first(x) = made(x);
    second(x) = in(x);
    sum(x) = first(x) + second(x) * made(x);
    const std::string names = names_of(sum);
    CHECK(names.find("_im") == std::string::npos);
    CHECK(names.find(input_name(first.function())) != std::string::npos);
    CHECK(names.find(input_name(second.function())) != std::string::npos);
    CHECK(input_name(first.function()).substr(0, 1) == "g");
    CHECK(input_name(sum.function()).empty());
}

TEST_CASE("expressions name inputs as their users do") {
    const ImageParam in = image("text_of_names", {8});
    Func f("f_of_names");
    f(x) = in(x);
    CHECK(text_of(in(x + 1) * f(x)) == "((float32)text_of_names(x + 1)*(float32)f_of_names(x))");
}
