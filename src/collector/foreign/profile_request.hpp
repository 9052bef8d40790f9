// SPDX-License-Identifier: Apache-2.0
// Requests of other tools that bring profiles, and what is answered: POST /v1development/profiles
// of OpenTelemetry, POST /push.v1.PusherService/Push of Pyroscope, PUT /v1/traces?label=NAME=VALUE
// with a profile of pprof. Who may send them, and where rows go, is the caller's: it answers once
// the rows are on its disk. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "collector/foreign/foreign.hpp"

namespace polytrace::collector {

struct ProfileRoute {
  std::string_view method;
  std::string_view path;
  ForeignKind kind;
};
std::span<const ProfileRoute> profile_routes();
inline constexpr std::uint64_t kMostProfileBody = std::uint64_t{16} << 20;

// What stands behind the "?" where a trace or a profile is sent.
struct PushQuery {
  LabelList labels{};                  // label=NAME=VALUE, or NAME:VALUE; again for more
  std::optional<base::Time> starts{};  // at=NANOSECONDS since 1970: as push --at says it
};
// "/v1/traces?label=service%3Dshop&label=version:2". Errors are usage.
base::result<PushQuery> parse_push_query(std::string_view target);
// "label=service:shop&at=1": the other way round.
std::string query_text(const PushQuery& query);

struct ProfileAnswer {
  unsigned status = 200;
  std::string type{};  // of the body; empty: there is none
  std::string body{};
  Rows rows{};  // with status 200: to be kept before it is answered
  std::uint64_t samples = 0;
  std::uint64_t refused = 0;
};
// `target`: the path with what stands behind "?". `options`: of the caller's tenant; what the query
// labels is over what the profile tells. 400: not of that kind, or damaged; 413: too much.
ProfileAnswer answer_profile(const ProfileRoute& route, std::string_view target,
                             std::string_view body, ForeignOptions options);

}  // namespace polytrace::collector
