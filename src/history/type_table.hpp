// SPDX-License-Identifier: Apache-2.0
// Finds the types of timelines from their values: one type, or any where they differ. One thread
// at a time.
#pragma once

#include <tsl/robin_map.h>

#include <algorithm>

#include "base/seeded_hash.hpp"
#include "history/types_file.hpp"

namespace polytrace::history {

class TypeTable {
 public:
  // Null says nothing, but the key becomes known.
  void add(Key key, Type type) {
    const auto [known, fresh] = types_.try_emplace(key, type);
    if (fresh || type == Type::open || known->second == type) return;
    known.value() = known->second == Type::open ? type : Type::any;
  }

  // Open where all values were null.
  TypesFile file() const {
    TypesFile file;
    for (const auto& [key, type] : types_) file.types.push_back({.key = key, .type = type});
    std::ranges::sort(file.types, {}, &KeyType::key);
    return file;
  }

 private:
  tsl::robin_map<Key, Type, base::SeededHash> types_{};
};

}  // namespace polytrace::history
