// SPDX-License-Identifier: Apache-2.0
#include "collector/door/tokens.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/stat.h>

#include <toml++/toml.h>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

#include "base/codes.hpp"
#include "http/messages.hpp"

namespace polytrace::collector {
namespace {

constexpr std::size_t kLongestShortName = 64;
constexpr std::size_t kLongestToken = 512;
constexpr std::size_t kTokenBytes = 32;

base::Unexpected bad_token(const toml::node& node, std::string why) {
  const toml::source_position& at = node.source().begin;
  return base::fail(base::Code::usage, std::move(why), {.line = at.line, .column = at.column});
}

std::string text_in(const toml::node* node) {
  return node == nullptr ? std::string() : node->value_exact<std::string>().value_or("");
}

std::string hex_of(const std::array<unsigned char, 32>& sum) {
  std::string out;
  for (const unsigned char byte : sum) out += fmt::format("{:02x}", byte);
  return out;
}

bool parse_sum(std::string_view text, std::array<unsigned char, 32>& sum) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (text.size() != 2 * sum.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = kDigits.find(text[i]);
    if (digit == kDigits.npos) return false;
    sum[i / 2] = static_cast<unsigned char>(sum[i / 2] << 4 | digit);
  }
  return true;
}

bool parse_roles(const toml::node* node, std::uint8_t& roles) {
  const toml::array* const list = node == nullptr ? nullptr : node->as_array();
  if (list == nullptr || list->empty()) return false;
  for (const toml::node& one : *list) {
    const auto* const found = std::ranges::find(kRoleNames, text_in(&one));
    if (found == kRoleNames.end()) return false;
    roles = static_cast<std::uint8_t>(roles | 1U << (found - kRoleNames.begin()));
  }
  return true;
}

// A time with its offset, or a day of UTC: its beginning.
bool parse_expiry(const toml::node& node, std::int64_t& expires) {
  toml::date date;
  std::int64_t seconds = 0;
  if (const auto* const time = node.as_date_time(); time != nullptr && time->get().offset) {
    const toml::date_time& whole = time->get();
    date = whole.date;
    seconds = whole.time.hour * 3600 + whole.time.minute * 60 + whole.time.second -
              whole.offset->minutes * 60;
  } else if (const auto* const day = node.as_date(); day != nullptr) {
    date = day->get();
  } else {
    return false;
  }
  const std::chrono::year_month_day day{std::chrono::year(date.year),
                                        std::chrono::month(date.month), std::chrono::day(date.day)};
  expires = std::chrono::sys_days(day).time_since_epoch().count() * std::int64_t{86400} + seconds;
  return day.ok() && expires > 0;
}

}  // namespace

bool is_short_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestShortName && text.front() != '.' &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-' || c == '.';
         });
}

TokenBook::Sum TokenBook::sum_of(std::string_view token) {
  Sum sum{};
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), sum.data());
  return sum;
}

base::result<TokenBook::Token> TokenBook::parse_one(const void* of_toml) {
  const auto& table = *static_cast<const toml::table*>(of_toml);
  Token token;
  bool has_sum = false, has_roles = false;
  for (const auto& [key, node] : table) {
    const std::string_view name = key.str();
    bool taken = true;
    if (name == "name") taken = is_short_name(token.caller.name = text_in(&node));
    else if (name == "tenant") taken = is_short_name(token.caller.tenant = text_in(&node));
    else if (name == "sha256") taken = has_sum = parse_sum(text_in(&node), token.sum);
    else if (name == "roles") taken = has_roles = parse_roles(&node, token.caller.roles);
    else if (name == "expires") taken = parse_expiry(node, token.expires);
    else
      return bad_token(node, fmt::format("there is no key \"{}\" in a token; there are name, "
                                         "sha256, tenant, roles, expires",
                                         name));
    if (!taken)
      return bad_token(node,
                       fmt::format("token.{} is none: name and tenant are short words, sha256 "
                                   "64 hexadecimal digits, roles of push, read, control, "
                                   "dump, admin, expires a day or 2030-01-01T00:00:00Z",
                                   name));
  }
  if (token.caller.name.empty() || !has_sum || !has_roles)
    return bad_token(table, "a token has a name, a sha256 and roles");
  return token;
}

base::result<TokenBook> TokenBook::parse(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::source_position& at = parsed.error().source().begin;
    return base::fail(base::Code::usage, std::string(parsed.error().description()),
                      {.line = at.line, .column = at.column});
  }
  TokenBook book;
  for (const auto& [key, node] : parsed.table()) {
    const toml::array* const list = node.as_array();
    if (key.str() != "token" || list == nullptr || !list->is_homogeneous<toml::table>())
      return bad_token(node, "a file of tokens has [[token]] and nothing else");
    for (const toml::node& one : *list) {
      auto token = parse_one(one.as_table());
      if (!token) return base::Unexpected(token.error());
      book.tokens_.push_back(std::move(*token));
    }
  }
  return book;
}

base::result<TokenBook> TokenBook::read(const std::string& file) {
  struct stat found{};
  std::ifstream in(file, std::ios::binary);
  if (!in || stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode))
    return base::fail(base::Code::open_failed, file + ": cannot be read");
  if ((found.st_uid != geteuid() && found.st_uid != 0) || (found.st_mode & 022) != 0)
    return base::fail(base::Code::open_failed,
                      file + ": others can write it: chmod go-w, and let it be ours or root's");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  auto book = parse(text);
  if (!book) book.error().place.frame = file;
  return book;
}

std::optional<Caller> TokenBook::find(std::string_view token, std::int64_t now) const {
  const Sum sum = sum_of(token.substr(0, kLongestToken));
  const Token* found = nullptr;
  for (const Token& one : tokens_)
    if (CRYPTO_memcmp(sum.data(), one.sum.data(), sum.size()) == 0) found = &one;
  if (found == nullptr || (found->expires != 0 && now >= found->expires)) return std::nullopt;
  return found->caller;
}

std::optional<Caller> caller_of_name(std::string_view name) {
  constexpr std::string_view kTenant = "tenant/", kEdge = "/edge/";
  const std::size_t middle = name.find(kEdge);
  if (!name.starts_with(kTenant) || middle == name.npos || middle < kTenant.size())
    return std::nullopt;
  Caller caller{.name = std::string(name.substr(middle + kEdge.size())),
                .tenant = std::string(name.substr(kTenant.size(), middle - kTenant.size())),
                .roles = 1U << static_cast<unsigned>(Role::push)};
  if (!is_short_name(caller.name) || !is_short_name(caller.tenant)) return std::nullopt;
  return caller;
}

base::result<NewToken> make_new_token(std::string_view name, std::string_view tenant) {
  auto word = http::random_token(kTokenBytes);
  if (!word) return base::Unexpected(word.error());
  NewToken made{.token = std::move(*word), .lines = {}};
  std::array<unsigned char, 32> sum{};
  SHA256(reinterpret_cast<const unsigned char*>(made.token.data()), made.token.size(), sum.data());
  made.lines = fmt::format("[[token]]\nname = \"{}\"\nsha256 = \"{}\"\n", name, hex_of(sum));
  if (!tenant.empty()) made.lines += fmt::format("tenant = \"{}\"\n", tenant);
  made.lines += "roles = [\"push\"]\n";
  return made;
}

}  // namespace polytrace::collector
