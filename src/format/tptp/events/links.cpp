// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/events/links.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>

namespace polytrace::format::tptp {
namespace {

constexpr std::size_t kDigits = 16;
constexpr std::array<std::string_view, 5> kBeginnings{"polytrace-node-", "polytrace-process-",
                                                      "polytrace-agent-", "polytrace-trace-",
                                                      "polytrace-whole-"};  // by Link

std::string_view beginning(Link link) { return kBeginnings[static_cast<std::size_t>(link)]; }

bool is_hash_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

std::string make_link(Link link, std::string_view parent, std::string_view text,
                      std::int64_t number) {
  const std::string told = fmt::format("{} {} {}:{}", parent, number, text.size(), text);
  return fmt::format("{}{:016x}", beginning(link), XXH3_64bits(told.data(), told.size()));
}

bool is_made_link(Link link, std::string_view id) {
  const std::string_view head = beginning(link);
  return id.size() == head.size() + kDigits && id.starts_with(head) &&
         std::ranges::all_of(id.substr(head.size()), is_hash_digit);
}

}  // namespace polytrace::format::tptp
