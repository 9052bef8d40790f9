// SPDX-License-Identifier: Apache-2.0
// Who may ask what of the collector over HTTP: bearer tokens, of which only the sums are kept, and
// certificates. Reading is one thread's; finding is any thread's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace polytrace::collector {

// None implies another.
enum class Role : std::uint8_t { push, read, control, dump, admin };
inline constexpr std::array<std::string_view, 5> kRoleNames = {"push", "read", "control", "dump",
                                                               "admin"};

// Somebody who is known.
struct Caller {
  std::string name;    // of the token or the edge
  std::string tenant;  // "" : of none, which is the store's own database
  std::uint8_t roles = 0;
  bool may(Role role) const { return (roles >> static_cast<unsigned>(role) & 1) != 0; }
};

// A name of a tenant, an edge, a token: letters, digits, "_", "-" and ".", at most 64.
bool is_short_name(std::string_view text);

// A list of [[token]] name, sha256, roles, and where wanted tenant and expires.
class TokenBook {
 public:
  TokenBook() = default;
  // A file in TOML that is ours or root's and that nobody else can write. Errors: open_failed;
  // usage, with line and cause.
  static base::result<TokenBook> read(const std::string& file);
  // The same from its text.
  static base::result<TokenBook> parse(std::string_view text);

  // Whose token that is, at a time in seconds since 1970; nothing: nobody's any more, or never.
  // Takes as long wherever it differs, and whether it is known.
  std::optional<Caller> find(std::string_view token, std::int64_t now) const;
  std::size_t size() const { return tokens_.size(); }

 private:
  using Sum = std::array<unsigned char, 32>;
  struct Token {
    Caller caller;
    Sum sum{};
    std::int64_t expires = 0;  // 0: never
  };
  static Sum sum_of(std::string_view token);
  static base::result<Token> parse_one(const void* table);
  std::vector<Token> tokens_{};
};

// By a name of a certificate: "tenant/<tenant>/edge/<name>", which may push.
std::optional<Caller> caller_of_name(std::string_view name);

// A new token of 256 random bits, and what a token file says of it, to be copied there. Errors:
// read_failed.
struct NewToken {
  std::string token;
  std::string lines;
};
base::result<NewToken> make_new_token(std::string_view name, std::string_view tenant);

}  // namespace polytrace::collector
