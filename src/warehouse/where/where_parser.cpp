// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "warehouse/where/where.hpp"

namespace polytrace::warehouse {
namespace {

using Kind = Where::Kind;
using Test = Where::Test;

// What people type is far below; what a program sends must not take the stack.
constexpr std::size_t kLongest = 65536, kDeepestCondition = 100, kMostValues = 10000;

bool begins_key(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_of_key(char c) { return begins_key(c) || (c >= '0' && c <= '9') || c == '.'; }
bool is_of_bare_value(char c) { return is_of_key(c) || c == '-' || c == ':' || c == '/'; }

class WhereParser {
 public:
  explicit WhereParser(std::string_view text) : text_(text) {}

  base::result<Where> parse() {
    if (text_.size() > kLongest) return base::fail(base::Code::where_wrong, "it is too long");
    skip_blanks();
    Where where;
    if (at_ != text_.size()) where = any_of(0);
    if (why_.empty() && at_ != text_.size()) wrong("expected \"and\", \"or\" or the end");
    if (why_.empty()) return where;
    base::Place place;
    place.line = 1;
    place.column = static_cast<std::uint32_t>(wrong_at_ + 1);
    return base::fail(base::Code::where_wrong, why_, place);
  }

 private:
  Where wrong(std::string_view why) {
    if (why_.empty()) why_ = why, wrong_at_ = at_;
    return {};
  }
  bool is_wrong() const { return !why_.empty(); }
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  bool take(std::string_view mark) {
    if (!text_.substr(at_).starts_with(mark)) return false;
    at_ += mark.size();
    skip_blanks();
    return true;
  }
  // A word that is no beginning of a longer one.
  bool take_word(std::string_view word) {
    const std::size_t end = at_ + word.size();
    if (!text_.substr(at_).starts_with(word)) return false;
    if (end < text_.size() && is_of_key(text_[end])) return false;
    return take(word);
  }

  template <class Part, class Joint>
  Where joined(Kind kind, Part part, Joint joint) {
    Where first = part();
    Where all{.kind = kind};
    all.parts.push_back(std::move(first));
    while (!is_wrong() && joint()) all.parts.push_back(part());
    return all.parts.size() == 1 ? std::move(all.parts.front()) : all;
  }
  Where any_of(std::size_t depth) {
    return joined(Kind::any_of, [&] { return all_of(depth); }, [&] { return take_word("or"); });
  }
  Where all_of(std::size_t depth) {
    return joined(
        Kind::all_of, [&] { return one(depth); }, [&] { return take_word("and") || take(","); });
  }
  Where one(std::size_t depth) {
    if (depth == kDeepestCondition) return wrong("too many parentheses in one another");
    if (take_word("not")) {
      Where negation{.kind = Kind::negation};
      negation.parts.push_back(one(depth + 1));
      return negation;
    }
    if (!take("(")) return test();
    Where inner = any_of(depth + 1);
    if (!is_wrong() && !take(")")) wrong("expected )");
    return inner;
  }

  Where test() {
    Where where{.kind = Kind::test};
    if (at_ == text_.size() || !begins_key(text_[at_])) return wrong("expected a label's name");
    where.key = run_of(is_of_key);
    skip_blanks();
    if (take("=~")) where.test = Test::found;
    else if (take("!~")) where.test = Test::not_found;
    else if (take("!=")) where.test = Test::unequal;
    else if (take_word("in")) return values_of(std::move(where));
    else if (!take("=")) return wrong("expected =, !=, =~, !~ or in");
    where.values.push_back(value());
    return where;
  }
  Where values_of(Where where) {
    where.test = Test::one_of;
    if (!take("(")) return wrong("expected (");
    do {
      where.values.push_back(value());
      if (where.values.size() > kMostValues) return wrong("too many values");
    } while (!is_wrong() && take(","));
    if (!is_wrong() && !take(")")) return wrong("expected , or )");
    return where;
  }
  std::string value() {
    if (is_wrong()) return {};
    if (at_ < text_.size() && text_[at_] == '"') return quoted_value();
    std::string word = run_of(is_of_bare_value);
    if (word.empty()) wrong("expected a value in \"\"");
    skip_blanks();
    return word;
  }
  std::string quoted_value() {
    std::string value;
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      value += text_[at_++];
    }
    if (at_ == text_.size()) {
      at_ = begin;
      wrong("a value without its closing \"");
      return {};
    }
    ++at_;
    skip_blanks();
    return value;
  }
  template <class Belongs>
  std::string run_of(Belongs belongs) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string why_;
  std::size_t wrong_at_ = 0;
};

}  // namespace

bool is_key(std::string_view text) {
  return !text.empty() && begins_key(text.front()) && std::ranges::all_of(text, is_of_key);
}

base::result<Where> parse_where(std::string_view text) { return WhereParser(text).parse(); }

}  // namespace polytrace::warehouse
