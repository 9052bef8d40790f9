// SPDX-License-Identifier: Apache-2.0
// Which answer an address has. Thread-safe.
#pragma once

#include "server/answers/ask.hpp"
#include "server/jobs.hpp"

namespace polytrace::server {

struct Endpoint {
  std::string_view name;
  std::string_view method;
  std::string_view path;   // below /api/1
  std::string_view query;  // as endpoints.def has it
  Lane lane;
  std::string_view says;
  Answered (*answer)(Ask&);
};
std::span<const Endpoint> endpoints();

struct Route {
  const Endpoint* endpoint = nullptr;
  std::string_view trace{};               // its id, where the path has one
  std::vector<std::string_view> words{};  // other words in braces
};
// Nothing where no endpoint has the path, method_refused where one has it with another method. HEAD
// is taken as GET.
tl::expected<Route, Fault> route(std::string_view method, std::string_view path);

// The whole way from a request to its reply. Nothing is thrown.
Reply reply_to(Offers& offers, const Request& request, const Route& route,
               const std::atomic<bool>& stop);

}  // namespace polytrace::server
