// SPDX-License-Identifier: Apache-2.0
// A token that is known by its SHA-256 alone. Thread-safe.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::collector {

// FIPS 180-4.
using Sha256 = std::array<std::uint8_t, 32>;
Sha256 sha256(base::Bytes bytes);

class Secret {
 public:
  // The token that stands in a file: of at least 16 bytes, ours, and readable by nobody else.
  // Errors: open_failed.
  static base::result<Secret> read(const std::string& path);
  // Whether it is the token; in a time that does not tell how much of it is right.
  bool is(std::string_view token) const;

 private:
  explicit Secret(const Sha256& sum) : sum_(sum) {}

  Sha256 sum_;
};

}  // namespace polytrace::collector
