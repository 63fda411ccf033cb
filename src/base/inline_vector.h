#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace eutectic {

/** A vector of numbers that keeps up to N of them in itself, and more in memory of its own: where plans are
 * searched for, indices are copied more often than anything else, and few have more loops than that. */
template<class T, size_t N>
class InlineVector {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    using value_type = T;
    using reference = T &;
    using const_reference = const T &;
    using iterator = T *;
    using const_iterator = const T *;

    InlineVector() = default;
    explicit InlineVector(size_t count, T value = T()) {
        assign(count, value);
    }
    template<class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
    InlineVector(Iterator first, Iterator last) {
        resize(static_cast<size_t>(std::distance(first, last)));
        std::copy(first, last, begin());
    }
    InlineVector(std::initializer_list<T> values) : InlineVector(values.begin(), values.end()) {
    }
    InlineVector(const std::vector<T> &values)  // NOLINT(google-explicit-constructor): the same values
        : InlineVector(values.begin(), values.end()) {
    }
    InlineVector(const InlineVector &o) : InlineVector(o.begin(), o.end()) {
    }
    InlineVector(InlineVector &&o) noexcept {
        *this = std::move(o);
    }
    InlineVector &operator=(const InlineVector &o) {
        if (this != &o) {
            resize(o.size_);
            std::copy(o.begin(), o.end(), begin());
        }
        return *this;
    }
    InlineVector &operator=(InlineVector &&o) noexcept {
        if (this != &o) {
            size_ = o.size_;
            capacity_ = o.capacity_;
            many_ = std::move(o.many_);
            std::copy(o.few_, o.few_ + N, few_);
            o.forget();
        }
        return *this;
    }
    ~InlineVector() = default;

    size_t size() const {
        return size_;
    }
    bool empty() const {
        return size_ == 0;
    }
    iterator begin() {
        return many_ ? many_.get() : few_;
    }
    const_iterator begin() const {
        return many_ ? many_.get() : few_;
    }
    iterator end() {
        return begin() + size_;
    }
    const_iterator end() const {
        return begin() + size_;
    }
    std::reverse_iterator<const_iterator> rbegin() const {
        return std::make_reverse_iterator(end());
    }
    std::reverse_iterator<const_iterator> rend() const {
        return std::make_reverse_iterator(begin());
    }
    T &operator[](size_t i) {
        return begin()[i];
    }
    const T &operator[](size_t i) const {
        return begin()[i];
    }

    /** Throws std::out_of_range. */
    T &at(size_t i) {
        if (i >= size_) {
            throw std::out_of_range("InlineVector::at");
        }
        return begin()[i];
    }

    void resize(size_t count, T value = T()) {
        if (count > capacity_) {
            const size_t room = std::max(count, 2 * capacity_);
            std::unique_ptr<T[]> more(new T[room]);
            std::copy(begin(), end(), more.get());
            many_ = std::move(more);
            capacity_ = room;
        }
        for (size_t i = size_; i < count; i++) {
            begin()[i] = value;
        }
        size_ = count;
    }
    void reserve(size_t count) {
        const size_t size = size_;
        resize(std::max(count, size));
        size_ = size;
    }
    void clear() {
        size_ = 0;
    }
    T &front() {
        return *begin();
    }
    const T &front() const {
        return *begin();
    }
    T &back() {
        return begin()[size_ - 1];
    }
    const T &back() const {
        return begin()[size_ - 1];
    }
    void pop_back() {
        size_--;
    }
    template<class... Args>
    T &emplace_back(Args &&...args) {
        push_back(T(std::forward<Args>(args)...));
        return back();
    }
    template<class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
    void assign(Iterator first, Iterator last) {
        size_ = 0;
        resize(static_cast<size_t>(std::distance(first, last)));
        std::copy(first, last, begin());
    }
    void assign(size_t count, T value) {
        size_ = 0;
        resize(count, value);
    }
    void push_back(T value) {
        resize(size_ + 1, value);
    }
    iterator insert(const_iterator where, T value) {
        const size_t at = static_cast<size_t>(where - begin());
        push_back(value);
        std::rotate(begin() + at, end() - 1, end());
        return begin() + at;
    }
    template<class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
    iterator insert(const_iterator where, Iterator first, Iterator last) {
        const size_t at = static_cast<size_t>(where - begin()), before = size_;
        for (; first != last; ++first) {
            push_back(*first);
        }
        std::rotate(begin() + at, begin() + before, end());
        return begin() + at;
    }

    friend bool operator==(const InlineVector &a, const InlineVector &b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    friend bool operator!=(const InlineVector &a, const InlineVector &b) {
        return !(a == b);
    }
    friend bool operator<(const InlineVector &a, const InlineVector &b) {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    size_t size_ = 0, capacity_ = N;
    std::unique_ptr<T[]> many_;  ///< all of them, once they are more than N
    T few_[N] = {};

    /** Its values are another's now. */
    void forget() {
        size_ = 0;
        capacity_ = N;
        many_.reset();
    }
};

}  // namespace eutectic
