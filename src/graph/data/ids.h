#pragma once

// Ids of what a Graph holds, and tables indexed by them: an id of one kind is none of another, and finds
// nothing in a table of another.

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/inline_vector.h"

namespace eutectic {

/** The index of an element; -1 stands for none. Numbers are ids of any kind, and an id is a number: what is
 * printed, compared and computed with. Only between kinds there is no way. */
template<class Tag>
class Id {
public:
    constexpr Id() = default;
    constexpr Id(int number)  // NOLINT(google-explicit-constructor): literals are ids
        : number_(number) {
    }
    template<class Other>
    Id(Id<Other>) = delete;  ///< an id of another kind

    constexpr operator int() const {  // NOLINT(google-explicit-constructor): an id is a number
        return number_;
    }
    Id &operator++() {
        number_++;
        return *this;
    }
    Id operator++(int) {
        return number_++;
    }
    Id operator--(int) {
        return number_--;
    }

    /** As JSON it is its number; nlohmann's library finds these. */
    template<class Json>
    friend void to_json(Json &json, const Id &id) {
        json = id.number_;
    }
    template<class Json>
    friend void from_json(const Json &json, Id &id) {
        id = json.template get<int>();
    }

private:
    int number_ = -1;
};

/** Ids of two kinds have nothing to compare. */
template<class A, class B, std::enable_if_t<!std::is_same_v<A, B>, int> = 0>
bool operator==(Id<A>, Id<B>) = delete;
template<class A, class B, std::enable_if_t<!std::is_same_v<A, B>, int> = 0>
bool operator!=(Id<A>, Id<B>) = delete;
template<class A, class B, std::enable_if_t<!std::is_same_v<A, B>, int> = 0>
bool operator<(Id<A>, Id<B>) = delete;

/** Ids one after the other, forwards or backwards. */
template<class IdType>
class Ids {
public:
    class Iterator {
    public:
        Iterator(int at, int step) : at_(at), step_(step) {
        }
        IdType operator*() const {
            return at_;
        }
        Iterator &operator++() {
            at_ += step_;
            return *this;
        }
        bool operator!=(const Iterator &other) const {
            return at_ != other.at_;
        }

    private:
        int at_, step_;
    };

    Ids(int first, int past_last, int step) : begin_(first, step), end_(past_last, step) {
    }
    Iterator begin() const {
        return begin_;
    }
    Iterator end() const {
        return end_;
    }

private:
    Iterator begin_, end_;
};

/** A vector with one element for each id of a kind. */
template<class IdType, class T, class Vector = std::vector<T>>
class Table : private Vector {
public:
    using typename Vector::const_iterator;
    using typename Vector::const_reference;
    using typename Vector::iterator;
    using typename Vector::reference;
    using typename Vector::value_type;

    Table() = default;
    explicit Table(size_t count) : Vector(count) {
    }
    Table(size_t count, const T &value) : Vector(count, value) {
    }
    Table(std::initializer_list<T> elements) : Vector(elements) {
    }
    template<class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
    Table(Iterator first, Iterator last) : Vector(first, last) {
    }
    Table(Vector elements)  // NOLINT(google-explicit-constructor): the table is its elements
        : Vector(std::move(elements)) {
    }

    using Vector::assign;
    using Vector::back;
    using Vector::begin;
    using Vector::clear;
    using Vector::emplace_back;
    using Vector::empty;
    using Vector::end;
    using Vector::front;
    using Vector::insert;
    using Vector::pop_back;
    using Vector::push_back;
    using Vector::reserve;
    using Vector::resize;
    using Vector::size;

    reference operator[](IdType id) {
        return Vector::operator[](id);
    }
    const_reference operator[](IdType id) const {
        return Vector::operator[](id);
    }
    reference at(IdType id) {
        return Vector::at(id);
    }
    const_reference at(IdType id) const {
        return Vector::at(id);
    }

    bool contains(IdType id) const {
        return id >= 0 && id < next_id();
    }
    /** `for (const FuncId f : graph.funcs.ids())`: of all that it holds now, in order. */
    Ids<IdType> ids() const {
        return {0, next_id(), 1};
    }
    Ids<IdType> reversed_ids() const {
        return {next_id() - 1, -1, -1};
    }
    /** Of an element of it, or next_id() for end(). */
    IdType id_of(const_iterator element) const {
        return static_cast<int>(element - begin());
    }
    /** Of the element that is added next. */
    IdType next_id() const {
        return static_cast<int>(size());
    }

    /** For what takes them as a list. */
    const Vector &elements() const {
        return *this;
    }

    bool operator==(const Table &other) const {
        return static_cast<const Vector &>(*this) == other;
    }
    bool operator!=(const Table &other) const {
        return !(*this == other);
    }
    bool operator<(const Table &other) const {
        return static_cast<const Vector &>(*this) < other;
    }
};

using FuncId = Id<struct FuncTag>;    ///< of Graph::funcs
using StageId = Id<struct StageTag>;  ///< of Graph::stages
using EdgeId = Id<struct EdgeTag>;    ///< of Graph::edges
using DimId = Id<struct DimTag>;  ///< of a stage's dims, the first of which are its Func's; innermost first

inline constexpr FuncId no_func;

/** One value for each dim: few have more than so many, and none of these asks for memory of its own. */
template<class T>
using OfDims = Table<DimId, T, InlineVector<T, 8>>;
using Extents = OfDims<int64_t>;  ///< points along each dim
using DimFlags = OfDims<bool>;    ///< a property of each dim
using DimMap = OfDims<DimId>;     ///< each dim → one of another stage or Func, or -1

}  // namespace eutectic
