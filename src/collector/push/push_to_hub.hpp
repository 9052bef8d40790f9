// SPDX-License-Identifier: Apache-2.0
// A file to a collector that takes it (upload.hpp), piece by piece. What was cut off goes on where
// the collector's disk ends: a short while by itself, and whenever the same is pushed again. One
// thread at a time.
#pragma once

#include "collector/foreign/profile_request.hpp"
#include "collector/push/push.hpp"

namespace polytrace::collector {

struct HubOptions {
  std::string url{};    // https://HOST:8471
  std::string token{};  // of role push
  std::string ca{};     // whose certificates are believed; empty: those that the system believes
  std::size_t piece = std::size_t{8} << 20;  // bytes; less where connections do not last
  unsigned tries = 5;                        // without a byte more
  std::chrono::milliseconds wait{1'000};     // before the second; doubles
};

// What the collector told of it.
struct HubPushed {
  // Of each process: labels.service, ids, times, events, rows, what was refused.
  std::vector<Pushed> pushed{};
  std::string traces{};  // the items of "traces" (push_json), without brackets
  std::uint64_t left_out = 0;
  std::vector<std::string> notices{};
  int worst = 0;  // exit code of what was wrong with the file
  std::uint64_t size = 0;
  std::uint64_t sent = 0;  // bytes, this time
};

// `query`: its labels, over what the file tells. `tell`: of what is tried again. Errors:
// open_failed, read_failed; address_wrong; store_unreachable; store_refused, with what was
// answered.
base::result<HubPushed> push_to_hub(const std::string& file, const PushQuery& query,
                                    const HubOptions& options, const service::Asking& asking,
                                    const std::function<void(const std::string&)>& tell);

}  // namespace polytrace::collector
