// SPDX-License-Identifier: Apache-2.0
// What stands behind the "?" of a target. Names that nobody asks for are a fault. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace polytrace::server {

class Query {
 public:
  // Names and values are percent-decoded.
  explicit Query(std::string_view text);

  // Nothing where it is not told.
  std::optional<std::string> take(std::string_view name);
  std::vector<std::string> take_all(std::string_view name);
  // Once all was taken that there may be: what is wrong; empty: nothing.
  std::string fault() const;

 private:
  struct Pair {
    std::string name;
    std::string value;
    bool taken = false;
  };
  std::vector<Pair> pairs_;
  bool is_wrong_ = false;
};

}  // namespace polytrace::server
