#include "schedules/hlpipe/terms.h"

#include <cctype>
#include <sstream>

#include "base/user_error.h"

namespace eutectic {

using namespace Halide;

namespace {

/** By recursive descent: a sum of products of factors. */
class Parser {
public:
    Parser(const std::string &text, const std::map<std::string, Parameter> &parameters,
           const std::string &what)
        : text_(text), parameters_(parameters), what_(what) {
    }

    Expr parse() {
        const Expr e = sum();
        if (peek() != '\0') {
            refuse();
        }
        return e;
    }

private:
    const std::string &text_;
    const std::map<std::string, Parameter> &parameters_;
    const std::string &what_;
    size_t at_ = 0;

    [[noreturn]] void refuse() const {
        throw UserError(what_ + " is \"" + text_ +
                        "\", which is no arithmetic of whole numbers, sizes such as x.extent.0, and scalar "
                        "parameters: write one of those.");
    }

    char peek() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) {
            at_++;
        }
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    void expect(char c) {
        if (peek() != c) {
            refuse();
        }
        at_++;
    }

    Expr sum() {
        Expr e = product();
        for (char c = peek(); c == '+' || c == '-'; c = peek()) {
            at_++;
            e = c == '+' ? e + product() : e - product();
        }
        return e;
    }

    Expr product() {
        Expr e = factor();
        for (char c = peek(); c == '*' || c == '/' || c == '%'; c = peek()) {
            at_++;
            e = c == '*' ? e * factor() : c == '/' ? e / factor() : e % factor();
        }
        return e;
    }

    Expr factor() {
        const char c = peek();
        if (c == '(') {
            at_++;
            const Expr e = sum();
            expect(')');
            return e;
        } else if (c == '-') {
            at_++;
            return -factor();
        }
        const size_t start = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                      text_[at_] == '_' || text_[at_] == '.' || text_[at_] == '$')) {
            at_++;
        }
        const std::string word = text_.substr(start, at_ - start);
        if ((word == "min" || word == "max") && peek() == '(') {
            at_++;
            const Expr a = sum();
            expect(',');
            const Expr b = sum();
            expect(')');
            return word == "min" ? min(a, b) : max(a, b);
        }
        return word.empty()                                        ? (refuse(), Expr())
               : std::isdigit(static_cast<unsigned char>(word[0])) ? number(word)
                                                                   : name(word);
    }

    Expr number(const std::string &word) const {
        if (word.size() > 9 || word.find_first_not_of("0123456789") != std::string::npos) {
            refuse();
        }
        return Expr(std::stoi(word));
    }

    Expr name(const std::string &word) const {
        const auto scalar = parameters_.find(word);
        if (scalar != parameters_.end() && !scalar->second.is_buffer()) {
            return cast<int32_t>(Internal::Variable::make(scalar->second.type(), word, scalar->second));
        }
        for (const char *property : {".min.", ".extent.", ".stride."}) {
            const size_t dot = word.rfind(property);
            const auto buffer = parameters_.find(word.substr(0, dot));
            if (dot != std::string::npos && buffer != parameters_.end() && buffer->second.is_buffer()) {
                return Internal::Variable::make(Int(32), word, buffer->second);
            }
        }
        throw UserError(what_ + " names " + word +
                        ", which is neither a size of one of the pipeline's buffers nor one of its scalar "
                        "parameters: correct the name.");
    }
};

/** The parameters that `e` names. */
class Named : public Internal::IRVisitor {
public:
    std::map<std::string, Parameter> parameters;

private:
    using IRVisitor::visit;
    void visit(const Internal::Variable *op) override {
        if (op->param.defined()) {
            parameters.emplace(op->param.name(), op->param);
        }
    }
};

}  // namespace

Expr parse_term(const std::string &text, const std::map<std::string, Parameter> &parameters,
                const std::string &what) {
    return Internal::simplify(Parser(text, parameters, what).parse());
}

std::string term_text(const Expr &e, const std::string &what) {
    std::ostringstream s;
    s << e;
    Named named;
    e.accept(&named);
    parse_term(s.str(), named.parameters, what);
    return s.str();
}

}  // namespace eutectic
