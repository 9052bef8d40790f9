// SPDX-License-Identifier: Apache-2.0
#include "cli/show/sparkline.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace polytrace::cli {
namespace {

constexpr std::array<std::string_view, 8> kBlocks{"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83",
                                                  "\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86",
                                                  "\xe2\x96\x87", "\xe2\x96\x88"};
constexpr std::array<std::string_view, 8> kPlain{".", ":", "-", "=", "+", "*", "%", "#"};

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

std::vector<double> numbers(std::string_view series) {
  std::vector<double> values;
  while (!series.empty()) {
    const std::string_view word = series.substr(0, series.find(','));
    double value = kGap;
    const auto [stop, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
    values.push_back(fault == std::errc{} ? value : kGap);
    series.remove_prefix(std::min(word.size() + 1, series.size()));
  }
  return values;
}

}  // namespace

std::string sparkline(std::string_view series, bool unicode) {
  const std::vector<double> values = numbers(series);
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const double range = most > least ? most - least : 1;
  std::string out;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      out += ' ';
      continue;
    }
    const auto height = static_cast<std::size_t>(std::clamp((value - least) / range, 0.0, 1.0) * 7);
    out += (unicode ? kBlocks : kPlain)[height];
  }
  return out;
}

}  // namespace polytrace::cli
