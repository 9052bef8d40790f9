// SPDX-License-Identifier: Apache-2.0
// What stands behind the "?" of a target. Names that an endpoint does not have are a fault. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace polytrace::server {

class Query {
 public:
  // Names and values are percent-decoded. `known`: the names that there may be, separated by
  // blanks; those with a "*" behind them may stand several times.
  Query(std::string_view text, std::string_view known);

  // What is wrong; empty: nothing.
  const std::string& fault() const { return fault_; }
  // Nothing where it is not told.
  std::optional<std::string> value(std::string_view name) const;
  std::vector<std::string> values(std::string_view name) const;

 private:
  struct Pair {
    std::string name;
    std::string value;
  };
  void check(std::string_view known);

  std::vector<Pair> pairs_;
  std::string fault_;
};

}  // namespace polytrace::server
