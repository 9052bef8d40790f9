// SPDX-License-Identifier: Apache-2.0
#include "collector/config/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/codes.hpp"
#include "service/words/words.hpp"

namespace polytrace::collector {
namespace {

using warehouse::Health10s;

// Of a row, what it is of and where it lies rather than how it went.
constexpr std::array<std::string_view, 5> kNotCompared = {"service", "hour", "series", "t", "gen"};

template <class T>
constexpr bool kIsNumber = std::is_integral_v<T>;

struct Unit {
  std::string_view word;
  std::uint64_t factor;
};
constexpr std::array kTimes = {Unit{"ns", 1}, Unit{"us", 1'000}, Unit{"ms", 1'000'000},
                               Unit{"s", 1'000'000'000}, Unit{"min", 60'000'000'000}};
constexpr std::array kSizes = {Unit{"", 1}, Unit{"k", std::uint64_t{1} << 10},
                               Unit{"m", std::uint64_t{1} << 20},
                               Unit{"g", std::uint64_t{1} << 30}};
constexpr std::array kCounts = {Unit{"", 1}};

// What values of a column are called.
struct Measure {
  std::span<const Unit> units;
  std::string_view allowed;
};
Measure measure_of(std::string_view column) {
  if (column.ends_with("_ns")) return {kTimes, "a time such as 500ms or 2s"};
  if (column.ends_with("_bytes") || column == "heap_used")
    return {kSizes, "a size such as 64m or 2g"};
  return {kCounts, "a number"};
}

struct Operator {
  std::string_view word;
  Comparison::Test test;
};
// Longer ones first.
constexpr std::array kOperators = {Operator{">=", Comparison::Test::greater_or_equal},
                                   Operator{"<=", Comparison::Test::less_or_equal},
                                   Operator{"!=", Comparison::Test::unequal},
                                   Operator{">", Comparison::Test::greater},
                                   Operator{"<", Comparison::Test::less},
                                   Operator{"=", Comparison::Test::equal}};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool parse_amount(std::string_view text, const Measure& measure, std::uint64_t& value) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc()) return false;
  const std::string_view unit(read.ptr, static_cast<std::size_t>(end - read.ptr));
  const auto found = std::ranges::find(measure.units, unit, &Unit::word);
  if (found == measure.units.end() || value > ~std::uint64_t{0} / found->factor) return false;
  value *= found->factor;
  return true;
}

std::uint64_t value_of(const Health10s& row, std::string_view column) {
  std::uint64_t value = 0;
  visit_columns(row, [&](std::string_view name, std::string_view, const auto& has) {
    if constexpr (kIsNumber<std::remove_cvref_t<decltype(has)>>)
      if (name == column) value = has;
  });
  return value;
}

}  // namespace

const std::vector<std::string>& compared_columns() {
  static const std::vector<std::string> kColumns = [] {
    std::vector<std::string> columns;
    const Health10s row;
    visit_columns(row, [&](std::string_view name, std::string_view, const auto& has) {
      if (kIsNumber<std::remove_cvref_t<decltype(has)>> &&
          std::ranges::find(kNotCompared, name) == kNotCompared.end())
        columns.emplace_back(name);
    });
    return columns;
  }();
  return kColumns;
}

base::result<Comparison> parse_comparison(std::string_view text) {
  const auto wrong = [](std::string why) { return base::fail(base::Code::usage, std::move(why)); };
  const std::size_t at = text.find_first_of("<>=!");
  const auto used = std::ranges::find_if(kOperators, [&](const Operator& one) {
    return at != text.npos && text.substr(at).starts_with(one.word);
  });
  if (used == kOperators.end())
    return wrong(
        fmt::format("\"{}\" is no comparison such as \"pause_max_ns > 500ms\", with >, >=, "
                    "<, <=, = or !=",
                    text));
  Comparison made{.column = std::string(trimmed(text.substr(0, at))), .test = used->test};
  const auto& columns = compared_columns();
  if (std::ranges::find(columns, made.column) == columns.end())
    return wrong(fmt::format("health_10s has no column \"{}\"{}; there are {}", made.column,
                             service::did_you_mean(made.column, columns),
                             fmt::join(columns, ", ")));
  const Measure measure = measure_of(made.column);
  if (!parse_amount(trimmed(text.substr(at + used->word.size())), measure, made.value))
    return wrong(fmt::format("\"{}\": {} is compared with {}", text, made.column, measure.allowed));
  return made;
}

bool Comparison::holds(const Health10s& row) const {
  const std::uint64_t has = value_of(row, column);
  switch (test) {
    case Test::greater: return has > value;
    case Test::greater_or_equal: return has >= value;
    case Test::less: return has < value;
    case Test::less_or_equal: return has <= value;
    case Test::equal: return has == value;
    case Test::unequal: return has != value;
  }
  return false;
}

}  // namespace polytrace::collector
