#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "graph/data/ids.h"

using namespace eutectic;

namespace {

template<class T, class At, class = void>
struct HasElementAt : std::false_type {};
template<class T, class At>
struct HasElementAt<T, At, std::void_t<decltype(std::declval<const T &>()[std::declval<At>()])>>
    : std::true_type {};

template<class A, class B, class = void>
struct Comparable : std::false_type {};
template<class A, class B>
struct Comparable<A, B, std::void_t<decltype(std::declval<A>() == std::declval<B>())>> : std::true_type {};

static_assert(!std::is_constructible_v<FuncId, StageId>, "an id of one kind is none of another");
static_assert(!std::is_assignable_v<FuncId &, StageId>);
static_assert(std::is_convertible_v<int, FuncId> && std::is_convertible_v<FuncId, int>);
static_assert(Comparable<FuncId, FuncId>::value && Comparable<FuncId, int>::value);
static_assert(!Comparable<FuncId, StageId>::value);
static_assert(HasElementAt<Table<FuncId, double>, FuncId>::value);
static_assert(HasElementAt<Table<FuncId, double>, int>::value);
static_assert(!HasElementAt<Table<FuncId, double>, StageId>::value);
static_assert(!std::is_convertible_v<Table<FuncId, double>, std::vector<double>>);
static_assert(!std::is_convertible_v<Table<FuncId, double>, Table<StageId, double>>);

}  // namespace

TEST_CASE("an id is a number; without one it is none") {
    CHECK(FuncId() == no_func);
    CHECK(no_func == -1);
    FuncId f = 3;
    CHECK(f + 1 == 4);
    CHECK(f++ == 3);
    CHECK(f-- == 4);
    CHECK(++f > 3);
    std::ostringstream s;
    s << f;
    CHECK(s.str() == std::to_string(f));
}

TEST_CASE("a table goes through its ids in order and backwards") {
    Table<FuncId, std::string> table = {"a", "b", "c"};
    std::string forwards, backwards;
    for (const FuncId f : table.ids()) {
        forwards += table[f];
    }
    for (const FuncId f : table.reversed_ids()) {
        backwards += table.at(f);
    }
    CHECK(forwards == "abc");
    CHECK(backwards == "cba");
    const FuncId next = table.next_id();
    CHECK_FALSE(table.contains(next));
    CHECK_FALSE(table.contains(no_func));
    table.push_back("d");
    CHECK(table[next] == "d");
    CHECK(table.contains(next));
    CHECK(table.id_of(table.end()) == table.next_id());
    const Table<FuncId, std::string> none;
    CHECK(none.empty());
    for (const FuncId f : none.ids()) {
        FAIL(f);
    }
    for (const FuncId f : none.reversed_ids()) {
        FAIL(f);
    }
}

TEST_CASE("a table of flags is written to as any other") {
    Table<FuncId, bool> flags(3, false);
    const FuncId middle = 1;
    flags[middle] = true;
    CHECK(flags == Table<FuncId, bool>{false, true, false});
    CHECK(flags.elements() == std::vector<bool>{false, true, false});
    CHECK(flags != Table<FuncId, bool>(3));
    const Table<FuncId, bool> &seen = flags;
    CHECK(seen.at(1));
}
