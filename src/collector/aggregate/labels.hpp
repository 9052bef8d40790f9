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

namespace polytrace::collector {

using LabelList = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::size_t kMostLabels = 32;
// "k=v" or "k:v": k as [A-Za-z_][A-Za-z0-9_.]*. Errors are usage.
base::result<std::pair<std::string, std::string>> parse_label(std::string_view text);

class LabelFinder {
 public:
  // Those given win over what the trace says; of one name the last wins.
  explicit LabelFinder(LabelList given) : given_(std::move(given)) {}

  void learn(const slice::Slice& slice);
  // service, version, host, instance, runtime and agent are labels like others, by these names.
  // Free ones beyond kMostLabels are left out.
  warehouse::Labels labels() const;

 private:
  LabelList given_;
  LabelList told_;
  bool has_process_ = false;
};

}  // namespace polytrace::collector
