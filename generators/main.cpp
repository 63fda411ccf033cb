// The command line of every generator: Halide's own, except that an error is one plain sentence and exit
// status 2.

#include <Halide.h>

#include <iostream>
#include <streambuf>
#include <string>

namespace {

// Halide's command line reports each error as "Unhandled exception: …". This passes everything on but those
// two words at the start of a line.
class DropPrefix : public std::streambuf {
public:
    explicit DropPrefix(std::ostream &stream) : stream_(stream), target_(stream.rdbuf(this)) {
    }
    ~DropPrefix() override {
        release();
        stream_.rdbuf(target_);
    }
    DropPrefix(const DropPrefix &) = delete;
    DropPrefix &operator=(const DropPrefix &) = delete;

protected:
    int overflow(int c) override {
        if (c == traits_type::eof()) {
            return 0;
        }
        const char character = static_cast<char>(c);
        if (at_start_ && character == prefix_[held_]) {
            if (++held_ == prefix_.size()) {
                held_ = 0;
                at_start_ = false;
            }
            return c;
        }
        release();
        at_start_ = character == '\n';
        return target_->sputc(character);
    }

    int sync() override {
        return target_->pubsync();
    }

private:
    void release() {
        target_->sputn(prefix_.data(), static_cast<std::streamsize>(held_));
        held_ = 0;
    }

    const std::string prefix_ = "Unhandled exception: ";
    std::ostream &stream_;
    std::streambuf *target_;
    size_t held_ = 0;
    bool at_start_ = true;
};

}  // namespace

int main(int argc, char **argv) {
    int status;
    {
        DropPrefix filter(std::cerr);
        status = Halide::Internal::generate_filter_main(argc, argv);
    }
    return status == 0 ? 0 : 2;
}
