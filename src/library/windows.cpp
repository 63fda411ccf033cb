#include "library/windows.h"

#include <algorithm>
#include <limits>

#include "library/matrices.h"

namespace eutectic {

namespace {

/** What the matrix of one panel takes: half of the smallest second level of cache that the libraries know,
 * 256 KiB. */
constexpr int64_t panel_bytes = 128 * 1024;
/** Rows that a library's kernel works on at once, and more (OpenBLAS 0.3.21 and Eigen 3.4 have up to 16). */
constexpr int64_t least_rows = 16;

/** A dimension of a copy: steps in the source and in the copy. */
struct Copied {
    int64_t extent, from, to;
};

/** Dims that go on where another ends become one with it. */
void join(std::vector<Copied> &dims) {
    dims.erase(std::remove_if(dims.begin(), dims.end(), [](const Copied &d) { return d.extent == 1; }),
               dims.end());
    std::stable_sort(dims.begin(), dims.end(), [](const Copied &x, const Copied &y) { return x.to < y.to; });
    for (size_t d = 0; d + 1 < dims.size();) {
        Copied &inner = dims[d];
        const Copied &next = dims[d + 1];
        if (next.from == inner.from * inner.extent && next.to == inner.to * inner.extent) {
            inner.extent *= next.extent;
            dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d) + 1);
        } else {
            d++;
        }
    }
}

template<typename T>
void copy_run(const T *from, T *to, const Copied &run) {
    if (run.from == 1 && run.to == 1) {
        std::copy(from, from + run.extent, to);
        return;
    }
    for (int64_t i = 0; i < run.extent; i++) {
        to[i * run.to] = from[i * run.from];
    }
}

template<typename T>
void gather(const T *from, T *to, std::vector<Copied> dims) {
    join(dims);
    if (dims.empty()) {
        *to = *from;
        return;
    }
    // The longest run of neighbours is innermost.
    const auto run = std::min_element(dims.begin(), dims.end(), [](const Copied &x, const Copied &y) {
        return x.from + x.to < y.from + y.to;
    });
    std::swap(*run, dims.front());
    std::vector<int64_t> at(dims.size(), 0);
    while (true) {
        copy_run(from, to, dims.front());
        size_t d = 1;
        for (; d < dims.size(); d++) {
            from += dims[d].from;
            to += dims[d].to;
            if (++at[d] < dims[d].extent) {
                break;
            }
            from -= at[d] * dims[d].from;
            to -= at[d] * dims[d].to;
            at[d] = 0;
        }
        if (d == dims.size()) {
            return;
        }
    }
}

/** The sums' dims as rows of the filter's matrix: the operand's steps, and the filter's. */
struct Term {
    int64_t extent, a, b;
};

template<typename T>
std::vector<Term> terms_of(const StridedConvolution<T> &of) {
    std::vector<Term> all = {{of.channels.extent, of.channels.a, of.channels.b}};
    for (const Spatial &s : of.spatial) {
        all.push_back({s.taps, s.step * s.a, s.b});
    }
    all.erase(std::remove_if(all.begin(), all.end(), [](const Term &t) { return t.extent == 1; }), all.end());
    std::stable_sort(all.begin(), all.end(), [](const Term &x, const Term &y) { return x.b < y.b; });
    return all;
}

template<typename T>
std::vector<Copied> rows_of(const StridedConvolution<T> &of) {
    std::vector<Copied> all;
    for (const Spatial &s : of.spatial) {
        all.push_back({s.points, s.scale * s.a, s.c});
    }
    for (const Plain &image : of.images) {
        all.push_back({image.extent, image.a, image.c});
    }
    join(all);
    if (all.empty()) {
        all.push_back({1, 0, 0});
    }
    return all;
}

/** All of a convolution that lies in one piece of memory. */
template<typename T>
class Unfolding {
public:
    Unfolding(const StridedConvolution<T> &of, int (*multiply)(const Multiplication<T> &))
        : of_(of), multiply_(multiply), terms_(terms_of(of)), rows_(rows_of(of)) {
        for (const Term &t : terms_) {
            k_ *= t.extent;
        }
        find_filter();
        const int64_t most =
            std::max<int64_t>(least_rows, panel_bytes / sizeof(T) / std::max<int64_t>(k_, 1));
        // The panel: whole dims while they fit, and a part of the next.
        int64_t inside = 1;
        for (; cut_ + 1 < rows_.size() && inside * rows_[cut_].extent <= most; cut_++) {
            inside *= rows_[cut_].extent;
        }
        block_ = std::max<int64_t>(1, most / inside);
    }

    int run() {
        return run(rows_.size(), of_.a, of_.c);
    }

private:
    const StridedConvolution<T> &of_;
    int (*multiply_)(const Multiplication<T> &);
    const std::vector<Term> terms_;
    const std::vector<Copied> rows_;  ///< steps in a, and in c
    int64_t k_ = 1;
    size_t cut_ = 0;  ///< the dimension of rows_ that goes in blocks; those before it are whole in a panel
    int64_t block_ = 1;
    Matrix<const T> filter_;
    std::vector<T> filter_room_, panel_room_, result_room_;

    /** The filter as one matrix: in place where its terms follow each other, or a copy. */
    void find_filter() {
        const int64_t n = of_.columns.extent;
        filter_ = {of_.b, terms_.empty() ? 1 : terms_[0].b, of_.columns.b};
        std::vector<Copied> joined;
        int64_t place = 1;
        for (const Term &t : terms_) {
            joined.push_back({t.extent, t.b, place});
            place *= t.extent;
        }
        std::vector<Copied> whole = joined;
        join(whole);
        if (whole.size() > 1 || !in_layout(filter_, k_, n)) {
            filter_room_.resize(k_ * n);
            for (Copied &t : joined) {
                t.to *= n;
            }
            joined.push_back({n, of_.columns.b, 1});
            if (k_ > 0) {
                gather(of_.b, filter_room_.data(), joined);
            }
            filter_ = {filter_room_.data(), n, 1};
        }
    }

    /** Goes over the dims of rows from the outermost on, down to panels. */
    int run(size_t dims, const T *a, T *c) {
        const size_t d = dims - 1;
        const Copied &row = rows_[d];
        const int64_t by = d == cut_ ? block_ : 1;
        for (int64_t at = 0; at < row.extent; at += by) {
            const T *from = a + at * row.from;
            T *to = c + at * row.to;
            const int error = d == cut_ ? panel(std::min(by, row.extent - at), from, to) : run(d, from, to);
            if (error != halide_error_code_success) {
                return error;
            }
        }
        return halide_error_code_success;
    }

    int panel(int64_t block, const T *a, T *c) {
        std::vector<Copied> rows(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(cut_) + 1);
        rows.back().extent = block;
        int64_t m = 1;
        for (const Copied &row : rows) {
            m *= row.extent;
        }
        Multiplication<T> p{m, of_.columns.extent, k_, operand(rows, m, a), filter_, {}};
        bool in_place = true;
        for (size_t d = 0; d + 1 < rows.size(); d++) {
            in_place = in_place && (rows[d + 1].extent == 1 || rows[d + 1].to == rows[d].to * rows[d].extent);
        }
        if (in_place) {
            p.c = {c, rows[0].to, of_.columns.c};
            return multiply_matrices(p, multiply_);
        }
        result_room_.resize(m * p.n);
        p.c = {result_room_.data(), p.n, 1};
        const int error = multiply_matrices(p, multiply_);
        if (error == halide_error_code_success) {
            std::vector<Copied> back = {{p.n, 1, of_.columns.c}};
            int64_t place = p.n;
            for (const Copied &row : rows) {
                back.push_back({row.extent, place, row.to});
                place *= row.extent;
            }
            gather(result_room_.data(), c, back);
        }
        return error;
    }

    /** The panel's rows as a matrix: in place, or a copy. */
    Matrix<const T> operand(const std::vector<Copied> &rows, int64_t m, const T *a) {
        if (terms_.size() <= 1 && rows.size() == 1) {
            return {a, rows[0].from, terms_.empty() ? 1 : terms_[0].a};
        }
        const auto nearest_term = std::min_element(terms_.begin(), terms_.end(),
                                                   [](const Term &x, const Term &y) { return x.a < y.a; });
        // Neighbours in memory stay neighbours.
        const bool by_rows = nearest_term != terms_.end() && nearest_term->a <= rows[0].from;
        panel_room_.resize(m * k_);
        std::vector<Copied> dims;
        int64_t place = by_rows ? k_ : 1;
        for (const Copied &row : rows) {
            dims.push_back({row.extent, row.from, place});
            place *= row.extent;
        }
        place = by_rows ? 1 : m;
        for (const Term &t : terms_) {
            dims.push_back({t.extent, t.a, place});
            place *= t.extent;
        }
        if (k_ > 0) {
            gather(a, panel_room_.data(), dims);
        }
        return by_rows ? Matrix<const T>{panel_room_.data(), k_, 1}
                       : Matrix<const T>{panel_room_.data(), 1, m};
    }
};

}  // namespace

template<typename T>
int convolve_windows(const StridedConvolution<T> &of, int (*multiply)(const Multiplication<T> &)) {
    return Unfolding<T>(of, multiply).run();
}

template int convolve_windows(const StridedConvolution<float> &, int (*)(const Multiplication<float> &));
template int convolve_windows(const StridedConvolution<double> &, int (*)(const Multiplication<double> &));

}  // namespace eutectic
