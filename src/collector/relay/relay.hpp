// SPDX-License-Identifier: Apache-2.0
// Rows as profiles for servers of other systems, a request for each window of 10 s: a receiver of
// OpenTelemetry's profiles, or Pyroscope. What is tried again is what a receiver knows by its
// profile_id as the same; Pyroscope has none, so there only what cannot have arrived.
#pragma once

#include <string>

#include "collector/push/push_target.hpp"

namespace polytrace::collector {

enum class RelayKind : std::uint8_t { otlp, pyroscope };

struct RelayOptions {
  RelayKind kind{};
  std::string url;                        // of the server: its path is known where it tells none
  std::string tenant{};                   // X-Scope-OrgID; empty: none
  std::string token_file{};               // its first line is a bearer token; empty: none
  unsigned tries = 5;                     // of one request
  std::chrono::milliseconds wait{1'000};  // before the second; doubles
};

// Errors: address_wrong; open_failed, of the token's file; library_missing.
base::result<std::unique_ptr<PushTarget>> push_to_server(RelayOptions relay, TargetOptions options);

}  // namespace polytrace::collector
