// SPDX-License-Identifier: Apache-2.0
// What a store has of rows: a dictionary by their keys, where a row replaces an equal one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "collector/aggregate/rows.hpp"

namespace polytrace::test {

struct Facts {
  using U = std::uint64_t;
  // By table and key, with gen last: figures.
  std::map<std::pair<std::string, std::vector<U>>, std::vector<U>> rows{};
  U lost = 0;

  // `table`: only rows of that one.
  void add(const collector::Rows& more, std::string_view table = {});
  // Of a table's first two figures, over all keys.
  std::pair<U, U> sum(const std::string& table) const;
  // collector::Rows of one key but for gen, added up.
  Facts without_gen() const;
};

}  // namespace polytrace::test
