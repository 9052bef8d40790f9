// SPDX-License-Identifier: Apache-2.0
// Who a trace is of: labels that its recorder told, beneath those that are given. One thread at a
// time.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "slice/slice.hpp"
#include "warehouse/ids.hpp"
#include "warehouse/rows.hpp"

namespace polytrace::collector {

using LabelList = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::size_t kMostLabels = 32;
// "k=v" or "k:v": k as [A-Za-z_][A-Za-z0-9_.]*. Errors are usage.
base::result<std::pair<std::string, std::string>> parse_label(std::string_view text);

// A name for a label, as near to the text as one can be.
std::string label_name(std::string_view text);

// service, version, host, instance, runtime and agent are labels like others, by these names. Those
// given win; of one name the last wins; free ones beyond kMostLabels are left out.
warehouse::Labels labels_of(const LabelList& told, const LabelList& given);

// What a store knows of a series: from when to when, in nanoseconds since 1970.
struct Seen {
  base::Time first = base::kNoTime;
  base::Time last = base::kNoTime;
  base::Time ahead = base::kNoTime;  // of our clock, nanoseconds; kNoTime: nobody knows
};
warehouse::Series series_row(const warehouse::Labels& labels, std::uint64_t series,
                             std::uint64_t service, std::uint64_t group, const Seen& seen);

class LabelFinder {
 public:
  // Those given win over what the trace says; of one name the last wins.
  explicit LabelFinder(LabelList given) : given_(std::move(given)) {}

  void learn(const slice::Slice& slice);
  warehouse::Labels labels() const { return labels_of(told_, given_); }

 private:
  LabelList given_;
  LabelList told_;
  bool has_process_ = false;
};

}  // namespace polytrace::collector
