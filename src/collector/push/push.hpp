// SPDX-License-Identifier: Apache-2.0
// A recorded trace, whole, into a fleet's store. Sent again it replaces itself. One thread at a
// time.
#pragma once

#include <optional>

#include "collector/aggregate/labels.hpp"
#include "collector/aggregate/row_maker.hpp"
#include "collector/send/sender.hpp"
#include "service/input/pass.hpp"

namespace polytrace::collector {

struct PushOptions {
  LabelList labels{};                  // over what the trace tells
  std::optional<base::Time> starts{};  // the wall time of its first event, over its own clock
  base::Time now = 0;                  // wall time: what is later by ten minutes is refused
  std::function<void(const std::string&)> tell{};  // of what is tried again
};

struct Pushed {
  service::Reading reading{};
  warehouse::Labels labels{};
  SeriesIds ids{};
  base::Time first = base::kNoTime;  // wall times of what is in the store
  base::Time last = base::kNoTime;
  std::uint64_t events = 0;        // in rows
  std::uint64_t refused = 0;       // at impossible times
  std::uint64_t refused_time = 0;  // nanoseconds of calls, likewise
  std::uint64_t rows = 0;
  std::uint64_t retries = 0;
  std::vector<std::string> repairs{};  // what had to be put right in its calls
  unsigned before = 0;                 // how often the store had it already
};

// Tables must be there (warehouse::require_schema). Errors: of the input; usage, where nothing
// tells its wall clock; of the store.
service::Asked<Pushed> push(const service::Input& input, warehouse::Link& link,
                            const PushOptions& options);

// {"schema": "polytrace.push/1", ...}
std::string push_json(const std::vector<Pushed>& all);

}  // namespace polytrace::collector
