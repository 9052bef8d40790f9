// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml/values.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "base/text/eight_digits.hpp"
#include "base/text/utf8.hpp"

namespace polytrace::format::tptp {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr unsigned kTimeDigits = 9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Cuts a sign off; true for a minus.
bool take_sign(std::string_view& text) {
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  return minus;
}

// All of the text as digits; clamped to the largest value.
struct Digits {
  std::uint64_t value = 0;
  bool all = false;
  bool fits = true;
};
Digits read_digits(std::string_view text, int radix = 10) {
  Digits digits;
  constexpr std::size_t kAlwaysFits = 19;  // decimal digits
  if (radix == 10 && text.size() <= kAlwaysFits) {
    if (text.empty() || !base::digits_value(text, digits.value)) return {};
    digits.all = true;
    return digits;
  }
  const char* end = text.data() + text.size();
  const auto [at, fault] = std::from_chars(text.data(), end, digits.value, radix);
  digits.all = !text.empty() && at == end;
  digits.fits = fault != std::errc::result_out_of_range;
  if (!digits.fits) digits.value = std::numeric_limits<std::uint64_t>::max();
  return digits;
}

Number clamped(bool minus) {
  using Limits = std::numeric_limits<std::int64_t>;
  return {minus ? Limits::min() : Limits::max(), Reading::clamped};
}

Number signed_number(bool minus, std::uint64_t size) {
  const std::uint64_t most = (std::uint64_t{1} << 63) - (minus ? 0 : 1);
  if (size > most) return clamped(minus);
  return {static_cast<std::int64_t>(minus ? 0 - size : size), Reading::fine};
}

Number read_integer(std::string_view text) {
  const bool minus = take_sign(text);
  const Digits digits = read_digits(text);
  if (!digits.all) return {0, Reading::unreadable};
  return digits.fits ? signed_number(minus, digits.value) : clamped(minus);
}

Number fit(Number number, std::int64_t least, std::int64_t most) {
  const std::int64_t value = std::clamp(number.value, least, most);
  return {value, value == number.value ? number.reading : Reading::clamped};
}

template <class T>
Number fit(Number number) {
  return fit(number, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

Number fit(Number number, Type type) {
  if (type == Type::i8) return fit<std::int8_t>(number);
  return type == Type::i32 ? fit<std::int32_t>(number) : number;
}

Number read_flag(std::string_view text) {
  if (text == "true" || text == "1") return {1, Reading::fine};
  if (text == "false" || text == "0") return {0, Reading::fine};
  return {0, Reading::unreadable};
}

// The same text always gives the same number, so that references meet, on every core and without
// a table that would grow with the trace. Above all numbers that agents count up to.
Number named_id(Meaning space, std::string_view text) {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 62;
  const auto hash =
      XXH3_64bits_withSeed(text.data(), text.size(), static_cast<XXH64_hash_t>(space));
  return {static_cast<std::int64_t>(kFirst | (hash >> 2)), Reading::named};
}

Number read_id(Meaning space, std::string_view text) {
  if (text.empty()) return {0, Reading::unreadable};
  std::string_view rest = text;
  if (rest.starts_with("0x") || rest.starts_with("0X")) {
    const Digits digits = read_digits(rest.substr(2), 16);
    if (digits.all && digits.fits) return {static_cast<std::int64_t>(digits.value), Reading::fine};
    return named_id(space, text);
  }
  const bool minus = take_sign(rest);
  const Digits digits = read_digits(rest);
  if (!digits.all || !digits.fits) return named_id(space, text);
  const Number number = signed_number(minus, digits.value);
  return number.reading == Reading::fine ? number : named_id(space, text);
}

Number read_real(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, fault] = std::from_chars(text.data(), end, value);
  if (text.empty() || at != end) return {0, Reading::unreadable};
  if (fault == std::errc::result_out_of_range) return {0, Reading::clamped};
  return {std::bit_cast<std::int64_t>(value), Reading::fine};
}

bool is_id(Meaning meaning) {
  return meaning >= Meaning::thread && meaning <= Meaning::transient_object;
}

// An id or an integer.
bool is_whole(const AttributeInfo& attribute) {
  return attribute.type != Type::f64 && attribute.meaning != Meaning::flag &&
         (attribute.meaning < Meaning::time || attribute.meaning > Meaning::cpu_span);
}

// As nearly all whole numbers are written: digits, few enough for any number of them. False: it is
// for others to read.
bool read_plain(std::string_view text, Number& number) {
  constexpr std::size_t kAlwaysSmall = 18;  // below 2^63
  std::uint64_t value = 0;
  if (text.empty() || text.size() > kAlwaysSmall || !base::digits_value(text, value)) return false;
  number = {static_cast<std::int64_t>(value), Reading::fine};
  return true;
}

}  // namespace

Number read_time(std::string_view text) {
  const bool minus = take_sign(text);
  const std::size_t usual = text.size() - kTimeDigits - 1;  // as writers put it
  const std::size_t point =
      usual < text.size() && text[usual] == '.' ? usual : std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  std::string_view rest = text.substr(std::min(point + 1, text.size()));
  if (whole.empty() && rest.empty()) return {0, Reading::unreadable};
  const std::string_view finer = rest.substr(std::min<std::size_t>(kTimeDigits, rest.size()));
  if (!std::ranges::all_of(finer, is_digit)) return {0, Reading::unreadable};
  rest.remove_suffix(finer.size());
  const Digits seconds = whole.empty() ? Digits{0, true, true} : read_digits(whole);
  const Digits fraction = rest.empty() ? Digits{0, true, true} : read_digits(rest);
  if (!seconds.all || !fraction.all) return {0, Reading::unreadable};
  std::uint64_t part = fraction.value;
  for (std::size_t i = rest.size(); i < kTimeDigits; ++i) part *= 10;
  constexpr std::uint64_t kMostSeconds = std::numeric_limits<std::int64_t>::max() / kSecond;
  if (!seconds.fits || seconds.value > kMostSeconds) return clamped(minus);
  return signed_number(minus, seconds.value * kSecond + part);
}

Number read_number(const AttributeInfo& attribute, std::string_view text) {
  Number number;
  if (is_whole(attribute) && read_plain(text, number)) return fit(number, attribute.type);
  text = trimmed(text);
  if (attribute.type == Type::f64) return read_real(text);
  switch (attribute.meaning) {
    case Meaning::flag: return read_flag(text);
    case Meaning::time:
    case Meaning::span:
    case Meaning::cpu_span: number = read_time(text); break;
    default:
      number = is_id(attribute.meaning) ? read_id(attribute.meaning, text) : read_integer(text);
  }
  return fit(number, attribute.type);
}

void append_time(std::string& to, std::int64_t nanoseconds) {
  const auto bits = static_cast<std::uint64_t>(nanoseconds);
  const std::uint64_t size = nanoseconds < 0 ? 0 - bits : bits;
  if (nanoseconds < 0) to += '-';
  std::array<char, 32> room;
  char* const end = std::to_chars(room.begin(), room.end(), size / kSecond).ptr;
  std::uint64_t part = size % kSecond;
  for (unsigned i = kTimeDigits; i > 0; --i, part /= 10)
    end[i] = static_cast<char>('0' + part % 10);
  *end = '.';
  to.append(room.data(), end + kTimeDigits + 1);
}

void append_number(std::string& to, const AttributeInfo& attribute, std::int64_t value) {
  if (attribute.type == Type::f64) {
    fmt::format_to(std::back_inserter(to), "{}", std::bit_cast<double>(value));
    return;
  }
  switch (attribute.meaning) {
    case Meaning::flag: to += value == 0 ? "false" : "true"; return;
    case Meaning::time:
    case Meaning::span:
    case Meaning::cpu_span: append_time(to, value); return;
    default: break;
  }
  std::array<char, 24> room;
  to.append(room.begin(), std::to_chars(room.begin(), room.end(), value).ptr);
}

namespace {

enum class CharKind : std::uint8_t { plain, escaped, quote, maybe_noncharacter, forbidden };

constexpr auto kKinds = [] {
  std::array<CharKind, 256> kinds{};
  for (int c = 0; c < 0x20; ++c) kinds[static_cast<std::size_t>(c)] = CharKind::forbidden;
  for (const char c : {'&', '<', '>', '\r'})
    kinds[static_cast<unsigned char>(c)] = CharKind::escaped;
  for (const char c : {'"', '\'', '\t', '\n'})
    kinds[static_cast<unsigned char>(c)] = CharKind::quote;
  kinds[0xef] = CharKind::maybe_noncharacter;
  return kinds;
}();

std::string_view escape_of(char c) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&apos;";
    case '\t': return "&#9;";
    case '\n': return "&#10;";
    default: return "&#13;";
  }
}

// U+FFFE and U+FFFF.
bool is_noncharacter(std::string_view at) {
  return at.starts_with("\xef\xbf\xbe") || at.starts_with("\xef\xbf\xbf");
}

std::size_t append_escaped(std::string& to, std::string_view text, bool quoted) {
  std::size_t replaced = 0;
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const CharKind kind = kKinds[static_cast<unsigned char>(text[at])];
    if (kind == CharKind::plain || (kind == CharKind::quote && !quoted)) continue;
    if (kind == CharKind::maybe_noncharacter && !is_noncharacter(text.substr(at))) continue;
    to += text.substr(from, at - from);
    if (kind == CharKind::maybe_noncharacter) at += 2;
    from = at + 1;
    const bool forbidden = kind == CharKind::maybe_noncharacter || kind == CharKind::forbidden;
    to += forbidden ? base::kReplacement : escape_of(text[at]);
    replaced += forbidden ? 1 : 0;
  }
  to += text.substr(from);
  return replaced;
}

}  // namespace

std::size_t append_attribute_text(std::string& to, std::string_view text) {
  return append_escaped(to, text, true);
}

std::size_t append_content(std::string& to, std::string_view text) {
  return append_escaped(to, text, false);
}

}  // namespace polytrace::format::tptp
