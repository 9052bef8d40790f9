// SPDX-License-Identifier: Apache-2.0
#include "analysis/self_windows.hpp"

#include <cmath>
#include <numeric>

namespace polytrace::analysis {

std::vector<std::uint64_t>& SelfWindows::other(base::Time time) {
  if (windows_.empty()) {
    first_ = time >> shift_;
    return windows_.emplace_back();
  }
  // Windows are met nearly in order; what comes before the first_ counts for it.
  std::int64_t place = (time >> shift_) - first_;
  while (place >= static_cast<std::int64_t>(kMost)) {
    widen();
    place = (time >> shift_) - first_;
  }
  if (place < 0) return windows_.front();
  if (static_cast<std::size_t>(place) >= windows_.size())
    windows_.resize(static_cast<std::size_t>(place) + 1);
  return windows_[static_cast<std::size_t>(place)];
}

void SelfWindows::widen() {
  std::vector<std::vector<std::uint64_t>> wider;
  const std::int64_t from = first_ >> 1;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const auto at = static_cast<std::size_t>(((first_ + static_cast<std::int64_t>(i)) >> 1) - from);
    if (at >= wider.size()) wider.resize(at + 1);
    if (wider[at].size() < windows_[i].size()) wider[at].resize(windows_[i].size());
    for (std::size_t m = 0; m < windows_[i].size(); ++m) wider[at][m] += windows_[i][m];
  }
  windows_ = std::move(wider);
  first_ = from;
  ++shift_;
}

std::vector<double> SelfWindows::of(std::uint32_t method) const {
  std::vector<double> out;
  for (const auto& window : windows_)
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
