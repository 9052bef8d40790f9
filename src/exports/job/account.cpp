// SPDX-License-Identifier: Apache-2.0
#include "exports/job/account.hpp"
#include "base/text/figure_text.hpp"

#include <fmt/format.h>

#include <numeric>

namespace polytrace::exports {

void Account::tell_short_names(std::uint64_t count) {
  if (count != 0)
    notes.push_back(fmt::format("{} of more than {} bytes: the middle is cut.",
                                base::count_text(count, "name", "names"), kLongestName));
}

std::uint64_t Account::events_left_out() const {
  return std::accumulate(left_out.begin(), left_out.end(), std::uint64_t{0});
}

std::vector<std::string> Account::sentences() const {
  std::vector<std::string> all;
  if (const std::uint64_t sum = events_left_out(); sum != 0) {
    std::string kinds;
    for (std::size_t i = 0; i < left_out.size(); ++i) {
      if (left_out[i] == 0) continue;
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ",
                           event::describe(static_cast<event::Kind>(i)).name,
                           base::count_text(left_out[i]));
    }
    all.push_back(
        fmt::format("Left out: {} ({}).", base::count_text(sum, "event", "events"), kinds));
  }
  for (const Cut& cut : cuts)
    all.push_back(fmt::format("Cut by {}: {} {}.", cut.cap, base::count_text(cut.count), cut.what));
  for (const std::string& limit : limits) all.push_back(fmt::format("Partial: {}.", limit));
  all.insert(all.end(), notes.begin(), notes.end());
  return all;
}

}  // namespace polytrace::exports
