// SPDX-License-Identifier: Apache-2.0
// Where a store is: http://host:8123[/database].
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace polytrace::warehouse {

struct Address {
  std::string server;    // scheme, host and port: "http://127.0.0.1:8123"
  std::string host;      // without brackets
  std::string database;  // empty: not told
};

// Error: address_wrong. A user or a password in it is refused: addresses are shown and logged.
base::result<Address> parse_address(std::string_view text);

// Databases, tables and columns are written into statements as they are: letters, digits and _,
// not beginning with a digit.
bool is_plain_name(std::string_view name);

}  // namespace polytrace::warehouse
