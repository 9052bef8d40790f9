// SPDX-License-Identifier: Apache-2.0
#include "history/files/json_mend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/codes.hpp"

namespace polytrace::history {
namespace {

using base::Code;

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kDelimiters = " \t\r\n,:[]{}\"";
constexpr std::size_t kEscape = 6;  // \uXXXX

// The code unit of the \uXXXX that `text` begins with.
std::optional<unsigned> escaped_unit(std::string_view text) {
  if (text.size() < kEscape || !text.starts_with("\\u")) return std::nullopt;
  unsigned unit = 0;
  const char* const end = text.data() + kEscape;
  const auto [stop, fault] = std::from_chars(text.data() + 2, end, unit, 16);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return unit;
}

bool is_high(unsigned unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low(unsigned unit) { return unit >= 0xdc00 && unit < 0xe000; }

class Mender {
 public:
  Mender(std::string_view text, base::Notices& notices) : text_(text), notices_(notices) {}

  base::result<std::string> run() {
    while (!fault_ && skip_space()) take();
    if (fault_) return base::Unexpected(*fault_);
    close_all();
    if (fault_) return base::Unexpected(*fault_);
    tell();
    return std::move(out_);
  }

 private:
  struct Open {
    char closing;
    std::size_t column;  // of its first item, 1-based; 0 before there is one
  };
  // The last place where the text could end: behind a closing bracket.
  struct Cut {
    std::size_t in = 0;
    std::size_t out = 0;
    std::size_t depth = 0;
  };

  base::Place place() const {
    return {.line = static_cast<std::uint32_t>(line_), .column = column()};
  }
  std::uint32_t column() const { return static_cast<std::uint32_t>(at_ - line_start_ + 1); }
  void fail(std::string detail) {
    fault_ = base::Error{Code::json_malformed, place(), std::move(detail)};
  }

  // False at the end.
  bool skip_space() {
    const std::size_t end = std::min(text_.find_first_not_of(kSpace, at_), text_.size());
    for (std::size_t i = at_; i < end; ++i) {
      if (text_[i] != '\n') continue;
      ++line_;
      line_start_ = i + 1;
      fresh_line_ = true;
    }
    copy(end - at_);
    return at_ < text_.size();
  }

  void copy(std::size_t count) {
    out_ += text_.substr(at_, count);
    at_ += count;
  }

  void take() {
    const char c = text_[at_];
    if (c == ',' || c == ':') return take_mark(c);
    if (c == '}' || c == ']') return take_closing(c);
    before_item();
    if (fault_) return;
    if (c == '{' || c == '[') {
      open_.push_back({c == '{' ? '}' : ']', 0});
      copy(1);
      return ended(c);
    }
    if (c == '"') take_string();
    else copy(std::min(text_.find_first_of(kDelimiters, at_), text_.size()) - at_);
    ended('v');
  }

  void take_mark(char c) {
    if (open_.empty() && c == ',') several_ = true;
    copy(1);
    ended(c);
  }

  void take_closing(char c) {
    if (open_.empty() || open_.back().closing != c || open_.size() <= outer_)
      return fail(fmt::format("'{}' closes nothing", c));
    open_.pop_back();
    copy(1);
    ended('v');
    cut_ = {at_, out_.size(), open_.size()};
  }

  void ended(char last) {
    last_ = last;
    fresh_line_ = false;
    if (last == 'v') value_end_ = out_.size();
  }

  // What begins at at_ is an item of what is open, or the value of a member.
  void before_item() {
    if (last_ == ':') return;
    if (last_ == 0 && text_[at_] == '"') {
      out_ += '{';
      open_.push_back({'}', 0});
      outer_ = 1;
    }
    if (last_ == 'v') join();
    if (fault_ || open_.empty()) return;
    if (open_.back().column == 0) open_.back().column = column();
  }

  // A comma is missing, and closing brackets may be.
  void join() {
    if (open_.empty()) {
      several_ = true;
      return put(",");
    }
    const auto level = std::find_if(open_.rbegin(), open_.rend(),
                                    [&](const Open& open) { return open.column == column(); });
    if (!fresh_line_ || level == open_.rend()) return fail("an item without a comma before it");
    mended();
    const auto missing = static_cast<std::size_t>(level - open_.rbegin());
    put(closings(missing) + ',');
    open_.resize(open_.size() - missing);
    if (missing > 0) cut_ = {at_, value_end_ + missing, open_.size()};
  }

  std::string closings(std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += open_[open_.size() - 1 - i].closing;
    missing_ += count;
    return all;
  }

  // Behind the last value; only space stands there.
  void put(std::string_view text) {
    const std::string space(out_, value_end_);
    out_.resize(value_end_);
    out_ += text;
    out_ += space;
  }

  void mended() {
    if (first_.line == 0) first_ = place();
    ++mends_;
  }

  void take_string() {
    copy(1);
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') take_escape();
      else copy(std::min(text_.find_first_of("\\\"", at_), text_.size()) - at_);
    }
    if (at_ < text_.size()) copy(1);
    else cut_inside_ = true;
  }

  void take_escape() {
    const auto unit = escaped_unit(text_.substr(at_));
    if (!unit) return copy(std::min<std::size_t>(2, text_.size() - at_));
    const auto next = escaped_unit(text_.substr(at_ + kEscape));
    if (is_high(*unit) && next && is_low(*next)) return copy(2 * kEscape);
    if (!is_high(*unit) && !is_low(*unit)) return copy(kEscape);
    notices_.add(Code::text_ill_formed, place(), 0, "half a surrogate pair");
    out_ += "\\ufffd";
    at_ += kEscape;
  }

  void close_all() {
    if (open_.size() > outer_ || cut_inside_) {
      if (cut_.in == 0) return fail("ends early, before anything of it is complete");
      mended();
      const bool whole = cut_.out == value_end_ && (last_ == 'v' || last_ == ',');
      lost_ = whole ? 0 : text_.size() - cut_.in;
      out_.resize(cut_.out);
      open_.resize(cut_.depth);
      const std::size_t inner = open_.size() - std::min(outer_, open_.size());
      out_ += closings(inner);
      open_.resize(open_.size() - inner);
    } else if (several_ && last_ == ',') {
      out_.resize(value_end_);
    }
    if (!open_.empty()) out_ += '}';
    if (!several_) return;
    std::string list;
    list.reserve(out_.size() + 2);
    list += '[';
    list += out_;
    list += ']';
    out_ = std::move(list);
  }

  void tell() {
    if (mends_ == 0) return;
    const std::string what = lost_ != 0 ? "ends early" : "closing brackets or commas are missing";
    notices_.add(Code::json_malformed, first_, lost_,
                 fmt::format("{}; {} brackets were added", what, missing_));
  }

  std::string_view text_;
  base::Notices& notices_;
  std::string out_{};
  std::vector<Open> open_{};
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
  std::size_t value_end_ = 0;  // in out_
  std::size_t outer_ = 0;      // 1 when we put an object around it all
  std::size_t missing_ = 0;
  std::size_t mends_ = 0;
  std::size_t lost_ = 0;
  Cut cut_{};
  base::Place first_{};
  std::optional<base::Error> fault_{};
  char last_ = 0;  // 'v' behind a value, else the mark itself
  bool fresh_line_ = true;
  bool several_ = false;
  bool cut_inside_ = false;
};

}  // namespace

base::result<std::string> mend_json(std::string_view text, base::Notices& notices) {
  return Mender(text, notices).run();
}

}  // namespace polytrace::history
