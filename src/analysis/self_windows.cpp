// SPDX-License-Identifier: Apache-2.0
#include "analysis/self_windows.hpp"

#include <cmath>
#include <numeric>

namespace polytrace::analysis {

std::vector<std::uint64_t>& SelfWindows::Policy::other(base::Time time) {
  if (windows.empty()) {
    first = time >> shift;
    return windows.emplace_back();
  }
  // Windows are met nearly in order; what comes before the first counts for it.
  std::int64_t place = (time >> shift) - first;
  while (place >= static_cast<std::int64_t>(kMost)) {
    widen();
    place = (time >> shift) - first;
  }
  if (place < 0) return windows.front();
  if (static_cast<std::size_t>(place) >= windows.size())
    windows.resize(static_cast<std::size_t>(place) + 1);
  return windows[static_cast<std::size_t>(place)];
}

void SelfWindows::Policy::widen() {
  std::vector<std::vector<std::uint64_t>> wider;
  const std::int64_t from = first >> 1;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto at = static_cast<std::size_t>(((first + static_cast<std::int64_t>(i)) >> 1) - from);
    if (at >= wider.size()) wider.resize(at + 1);
    if (wider[at].size() < windows[i].size()) wider[at].resize(windows[i].size());
    for (std::size_t m = 0; m < windows[i].size(); ++m) wider[at][m] += windows[i][m];
  }
  windows = std::move(wider);
  first = from;
  ++shift;
}

std::vector<double> SelfWindows::of(std::uint32_t method) const {
  std::vector<double> out;
  for (const auto& window : policy_.windows)
    out.push_back(method < window.size() ? static_cast<double>(window[method]) : 0);
  return out;
}

double noise_of(const std::vector<double>& parts) {
  if (parts.size() < 2) return 0;
  const auto count = static_cast<double>(parts.size());
  const double mean = std::accumulate(parts.begin(), parts.end(), 0.0) / count;
  double squares = 0;
  for (const double part : parts) squares += (part - mean) * (part - mean);
  return 2 * std::sqrt(squares / (count - 1) * count);
}

}  // namespace polytrace::analysis
