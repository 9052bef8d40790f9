// SPDX-License-Identifier: Apache-2.0
#include "sql/trace/matching.hpp"

namespace polytrace::sql {
namespace {

using u32 = std::uint32_t;

// The next character; of what is no UTF-8 a byte.
u32 take(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  std::size_t size = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (size > text.size()) size = 1;
  u32 character = size == 1 ? first : first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i)
    character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  text.remove_prefix(size);
  return character;
}

u32 folded(u32 character) {
  return character >= 'A' && character <= 'Z' ? character + 32 : character;
}

// One element of a pattern and what it fits.
class Matcher {
 public:
  Matcher(const Pattern& pattern, std::string_view text, const std::atomic<bool>& stop)
      : kind_(pattern.kind),
        escape_(pattern.escape),
        rest_(pattern.text),
        text_(text),
        stop_(stop) {}

  // Behind the last star that fits, all that follows is tried again one character on: stars before
  // it need not be.
  bool run() {
    while (!text_.empty()) {
      if (is_star()) {
        after_star_ = rest_;
        retry_ = text_;
        continue;
      }
      if (fits_one()) continue;
      if (!retried()) return false;
    }
    while (!rest_.empty())
      if (!is_star()) return false;
    return true;
  }

 private:
  bool is_star() {
    const char star = kind_ == Pattern::Kind::glob ? '*' : '%';
    if (rest_.empty() || rest_.front() != star || is_escape(rest_.front())) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool is_escape(char character) const {
    return escape_ != 0 && static_cast<u32>(static_cast<unsigned char>(character)) == escape_;
  }
  bool retried() {
    if (after_star_.data() == nullptr || retry_.empty()) return false;
    if ((++looks_ & 0xfff) == 0 && stop_.load(std::memory_order_relaxed)) return false;
    take(retry_);
    text_ = retry_;
    rest_ = after_star_;
    return true;
  }
  bool fits_one() {
    if (rest_.empty()) return false;
    std::string_view pattern = rest_;
    std::string_view text = text_;
    const u32 met = take(text);
    if (!fits(pattern, met)) return false;
    rest_ = pattern;
    text_ = text;
    return true;
  }
  bool fits(std::string_view& pattern, u32 met) const {
    u32 wanted = take(pattern);
    if (kind_ == Pattern::Kind::glob) {
      if (wanted == '?') return true;
      return wanted == '[' ? fits_set(pattern, met) : wanted == met;
    }
    if (escape_ != 0 && wanted == escape_) {
      if (pattern.empty()) return false;
      wanted = take(pattern);
    } else if (wanted == '_') {
      return true;
    }
    return folded(wanted) == folded(met);
  }
  // "[^a-z]]" and such: a ] at the front is one of the set.
  static bool fits_set(std::string_view& pattern, u32 met) {
    const bool inverted = pattern.starts_with('^');
    if (inverted) pattern.remove_prefix(1);
    bool seen = false;
    u32 before = 0;
    for (bool first = true; !pattern.empty(); first = false) {
      const u32 one = take(pattern);
      if (one == ']' && !first) return seen != inverted;
      if (one == '-' && before != 0 && !pattern.empty() && pattern.front() != ']') {
        const u32 last = take(pattern);
        seen = seen || (met >= before && met <= last);
        before = 0;
      } else {
        seen = seen || met == one;
        before = one;
      }
    }
    return false;
  }

  Pattern::Kind kind_;
  u32 escape_;
  std::string_view rest_;
  std::string_view text_;
  const std::atomic<bool>& stop_;
  std::string_view after_star_{};
  std::string_view retry_{};
  std::uint64_t looks_ = 0;
};

}  // namespace

bool matches(const Pattern& pattern, std::string_view text, const std::atomic<bool>& stop) {
  return Matcher(pattern, text, stop).run();
}

}  // namespace polytrace::sql
