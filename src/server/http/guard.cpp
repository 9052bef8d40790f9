// SPDX-License-Identifier: Apache-2.0
#include "server/http/guard.hpp"

#include <algorithm>
#include <array>

#include "agent/control/protocol/endpoint.hpp"

namespace polytrace::server {
namespace {

constexpr std::array<std::string_view, 3> kHosts{"127.0.0.1", "localhost", "[::1]"};
constexpr std::array<std::string_view, 4> kMethods{"GET", "HEAD", "POST", "PUT"};
constexpr std::size_t kMostTarget = 8 * 1024;
constexpr std::size_t kMostPort = 5;

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= kMostPort &&
         std::ranges::all_of(text, [](char digit) { return digit >= '0' && digit <= '9'; });
}

// Any port: it may be a forwarded one. A name that somebody else's server of names can give this
// address is none of these.
bool is_own_name(std::string_view host) {
  for (const std::string_view name : kHosts) {
    if (!host.starts_with(name)) continue;
    const std::string_view rest = host.substr(name.size());
    return rest.empty() || (rest.front() == ':' && is_port(rest.substr(1)));
  }
  return false;
}

bool is_of_another_site(const Request& head) {
  for (const std::string_view origin : head.all("Origin"))
    if (origin != "http://" + std::string(head.only("Host"))) return true;
  return std::ranges::any_of(head.all("Sec-Fetch-Site"),
                             [](std::string_view site) { return site != "same-origin"; });
}

bool has_token(const Request& head, std::string_view token) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view told = head.only("Authorization");
  return told.starts_with(kBearer) &&
         agent::control::same_secret(told.substr(kBearer.size()), token);
}

}  // namespace

std::optional<Reply> refusal_of(const Request& head, std::string_view token) {
  if (!is_own_name(head.only("Host"))) return fault_reply(Fault::host_refused);
  if (head.target.size() > kMostTarget) return fault_reply(Fault::target_too_long);
  if (!head.target.starts_with('/')) return fault_reply(Fault::request_invalid, "no path");
  if (std::ranges::find(kMethods, head.method) == kMethods.end())
    return fault_reply(Fault::method_refused);
  if (!head.all("Transfer-Encoding").empty()) return fault_reply(Fault::length_required);
  if (head.path() != "/api" && !head.path().starts_with(kApi)) return std::nullopt;
  if (is_of_another_site(head)) return fault_reply(Fault::origin_refused);
  if (!has_token(head, token)) return fault_reply(Fault::token_missing);
  return std::nullopt;
}

}  // namespace polytrace::server
