// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "collector/config/config.hpp"
#include "warehouse/link.hpp"

namespace polytrace::collector {
namespace {

// Passwords of others go to this machine or over TLS.
bool is_bus_address(std::string_view url) {
  const bool is_tls = url.starts_with("tls://");
  if (!is_tls && !url.starts_with("nats://")) return false;
  Place place;
  if (!parse_place(url.substr(url.find("//") + 2), place) || place.port == 0) return false;
  const std::string& host = place.address;
  return (is_tls || warehouse::is_this_machine(host)) && host.find_first_of("@/ ") == host.npos;
}

// Of [bus] alone; empty: it is well.
std::string fault_of_bus(const Config& config) {
  const Bus& bus = config.bus;
  const Credentials& shown = config.bus_shown;
  const int ways =
      int{!bus.user.empty()} + int{!shown.token_file.empty()} + int{!bus.creds_file.empty()};
  if (bus.url.empty())
    return ways != 0 || !shown.ca.empty() || !shown.certificate.empty()
               ? "[bus] needs bus.url = \"tls://HOST:4222\""
               : "";
  if (POLYTRACE_HAS_NATS == 0)
    return "this polytrace was built without NATS, and knows no [bus]: install libnats-dev 3.4 "
           "or later and build it again, or name edge.hubs instead";
  if (!config.hubs.empty()) return "an edge has edge.hubs or bus.url, not both";
  if (bus.user.empty() != bus.password_file.empty())
    return "bus.user and bus.password_file go together";
  if (ways > 1) return "one of bus.user, bus.token_file and bus.creds_file is enough";
  if (shown.certificate.empty() != shown.key.empty()) return "bus.cert and bus.key go together";
  if ((!shown.ca.empty() || !shown.certificate.empty()) && !bus.url.starts_with("tls://"))
    return "bus.ca and bus.cert need bus.url = \"tls://HOST:4222\"";
  for (const Tenant& tenant : config.tenants)
    if (!is_subject_word(tenant.name))
      return fmt::format(
          "the tenant \"{}\" has a name that no subject of the bus can have: "
          "letters, digits, \"_\" and \"-\"",
          tenant.name);
  return {};
}

}  // namespace

bool are_bus_addresses(std::string_view urls) {
  for (std::size_t at = 0; at <= urls.size();) {
    const std::size_t end = std::min(urls.find(',', at), urls.size());
    if (!is_bus_address(urls.substr(at, end - at))) return false;
    at = end + 1;
  }
  return true;
}

bool is_subject_word(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !text.empty() && text.size() <= kLongest && text.find_first_not_of(kLetters) == text.npos;
}

base::result<void> check_bus(const Config& config) {
  std::string fault = fault_of_bus(config);
  if (fault.empty()) return {};
  return base::fail(base::Code::usage, std::move(fault));
}

}  // namespace polytrace::collector
