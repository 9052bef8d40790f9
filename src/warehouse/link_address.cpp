// SPDX-License-Identifier: Apache-2.0
#include "warehouse/link.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::warehouse {
namespace {

using base::Code;

constexpr std::size_t kLongestName = 64;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_of_host(char c) {
  return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == ':' || c == '[' || c == ']';
}

// "host", "host:port", "[::1]:port" without port and brackets.
std::string host_of(std::string_view place) {
  if (place.starts_with('[')) return std::string(place.substr(1, place.find(']') - 1));
  return std::string(place.substr(0, place.find(':')));
}

}  // namespace

bool is_this_machine(std::string_view host) {
  in_addr address{};
  const std::string text(host);
  if (::inet_pton(AF_INET, text.c_str(), &address) == 1)
    return ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET;
  return host == "localhost" || host == "::1";
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && !is_digit(name[0]) &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
}

base::result<Address> parse_address(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return base::fail(Code::address_wrong, std::string(why));
  };
  std::size_t begin = 0;
  for (const std::string_view scheme : {"http://", "https://"})
    if (text.starts_with(scheme)) begin = scheme.size();
  if (begin == 0) return wrong("it must begin with http:// or https://");
  const std::size_t end = std::min(text.find('/', begin), text.size());
  const std::string_view place = text.substr(begin, end - begin);
  if (place.find('@') != std::string_view::npos)
    return wrong("no user or password in it: they have options of their own");
  if (place.empty() || !std::ranges::all_of(place, is_of_host) || host_of(place).empty())
    return wrong("no host in it");
  std::string_view database = text.substr(end);
  if (database.starts_with('/')) database.remove_prefix(1);
  if (!database.empty() && !is_plain_name(database))
    return wrong("behind the host only the name of a database may stand");
  return Address{std::string(text.substr(0, end)), host_of(place), std::string(database)};
}

}  // namespace polytrace::warehouse
