#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "features/work.h"

namespace eutectic {

/** What prices are kept by: everything that they depend on, as bytes in the order in which it was added. */
class ContentKey {
public:
    const std::string &text() const {
        return text_;
    }

    template<typename T>
    void add(T value) {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>,
                      "members with padding would make equal things differ");
        text_.append(reinterpret_cast<const char *>(&value), sizeof value);
    }
    template<class Tag>
    void add(Id<Tag> id) {
        add(static_cast<int>(id));
    }
    /** All of it but the names of dims. */
    void add(const StageWork &work);

private:
    std::string text_;

    void add(const std::optional<BufferDim> &buffer);
    void add(const DimFlags &flags);
    void add(const Extents &values);
    void add(const Dim &dim);
    void add(const Part &part);
    void add(const Index &index);
    void add(const Load &load);
    void add(const std::vector<SomeOf> &iterations);
};

}  // namespace eutectic
