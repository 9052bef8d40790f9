// SPDX-License-Identifier: Apache-2.0
#include "cli/show/cell_text.hpp"

#include <fmt/format.h>

#include "base/text/figure_text.hpp"
#include "base/text/utf8.hpp"
#include "cli/show/text_room.hpp"

namespace polytrace::cli {
namespace {

using analysis::Unit;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

std::string time_text(base::Time time, const Look& look) {
  base::Duration since = 0;
  if (time == base::kNoTime) return "-";
  if (look.start == base::kNoTime || __builtin_sub_overflow(time, look.start, &since))
    return base::count_text(time);
  return (since < 0 ? "" : "+") + base::duration_text(since);
}

std::string integer_text(std::int64_t value, Unit unit, const Look& look) {
  switch (unit) {
    case Unit::bytes:
      return value < 0 ? "-" + base::bytes_text(~static_cast<std::uint64_t>(value) + 1)
                       : base::bytes_text(static_cast<std::uint64_t>(value));
    case Unit::nanoseconds: return base::duration_text(value);
    case Unit::time: return time_text(value, look);
    case Unit::percent: return base::percent_text(static_cast<double>(value));
    case Unit::address: return fmt::format("{:#x}", static_cast<std::uint64_t>(value));
    case Unit::none:
    case Unit::count: break;
  }
  return base::count_text(value);
}

std::string unsigned_text(std::uint64_t value, Unit unit, const Look& look) {
  if (unit == Unit::bytes) return base::bytes_text(value);
  if (unit == Unit::address) return fmt::format("{:#x}", value);
  if (unit == Unit::nanoseconds || unit == Unit::time || unit == Unit::percent)
    return integer_text(static_cast<std::int64_t>(value), unit, look);
  return base::count_text(value);
}

std::string double_text(double value, Unit unit) {
  if (unit == Unit::percent) return base::percent_text(value);
  if (unit == Unit::nanoseconds) return base::duration_text(static_cast<std::int64_t>(value));
  if (unit == Unit::bytes && value >= 0) return base::bytes_text(static_cast<std::uint64_t>(value));
  return base::real_text(value);
}

constexpr std::string_view kMarkup = "\\`*_[]<>|#~&";

}  // namespace

Look look_of(const Terminal& terminal) { return {terminal, base::kNoTime}; }

std::string human_text(const analysis::Cell& cell, Unit unit, const Look& look) {
  return std::visit(
      Overloaded{[](std::monostate) { return std::string("-"); },
                 [&](std::int64_t value) { return integer_text(value, unit, look); },
                 [&](std::uint64_t value) { return unsigned_text(value, unit, look); },
                 [&](double value) { return double_text(value, unit); },
                 [&](const std::string& text) { return printable(text); }},
      cell);
}

std::string machine_text(const analysis::Cell& cell, Unit unit) {
  return std::visit(Overloaded{[](std::monostate) { return std::string(); },
                               [](std::int64_t value) { return fmt::format("{}", value); },
                               [&](std::uint64_t value) {
                                 return unit == Unit::address ? fmt::format("{:#x}", value)
                                                              : fmt::format("{}", value);
                               },
                               [](double value) { return fmt::format("{}", value); },
                               [](const std::string& text) { return base::repaired(text); }},
                    cell);
}

bool is_right_aligned(Unit unit, const analysis::Cell& sample) {
  return unit != Unit::address && !std::holds_alternative<std::string>(sample);
}

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (kMarkup.find(c) != kMarkup.npos) out += '\\';
    out += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  }
  return out;
}

}  // namespace polytrace::cli
