// SPDX-License-Identifier: Apache-2.0
// A recorded trace, whole, into a fleet's store, where sent again it replaces itself, or to a
// server of another system; and profiles of other tools likewise. One thread at a time.
#pragma once

#include <optional>

#include "collector/aggregate/labels.hpp"
#include "collector/foreign/foreign.hpp"
#include "collector/push/push_target.hpp"
#include "service/input/pass.hpp"

namespace polytrace::collector {

struct PushOptions {
  LabelList labels{};                    // over what the trace tells
  std::optional<base::Time> starts{};    // the wall time of its first event, over its own clock
  base::Time now = 0;                    // wall time: what is later by ten minutes is refused
  base::Time oldest = 0;                 // wall time: what is earlier is refused, too
  std::optional<ForeignKind> foreign{};  // a profile of another tool, whatever it looks like
  std::string place{};                   // as the store tells it; empty: that of the file
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
  std::uint64_t messages = 0;          // to another system; 0: to a store

  void take(Delivered delivered);
};

// Errors: of the input; usage, where nothing tells its wall clock; of the target.
service::Asked<Pushed> push(const service::Input& input, PushTarget& target,
                            const PushOptions& options);
// The same of a profile of another tool (foreign.hpp); of each series that it tells. Its events are
// samples. Errors: not_recognised, where nobody says what it is, too.
service::Asked<std::vector<Pushed>> push_foreign(const service::Input& input, PushTarget& target,
                                                 const PushOptions& options);

// Either: what no format of traces recognises is a profile.
service::Asked<std::vector<Pushed>> push_any(const service::Input& input, PushTarget& target,
                                             const PushOptions& options);

// {"schema": "polytrace.push/1", ...}; `left_out`: how many more traces there are than told.
std::string push_json(std::span<const Pushed> all, std::uint64_t left_out = 0);

}  // namespace polytrace::collector
