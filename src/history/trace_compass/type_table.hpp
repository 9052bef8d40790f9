// SPDX-License-Identifier: Apache-2.0
// Finds the types of timelines from their values: one type, or any where they differ, or where null
// is to be told from absent beside values of type none. One thread at a time.
#pragma once

#include <tsl/robin_map.h>

#include <algorithm>

#include "base/seeded_hash.hpp"
#include "history/files/types_file.hpp"

namespace polytrace::history {

class TypeTable {
 public:
  // Null says nothing as a rule, but the key becomes known.
  void add(Key key, Type type) {
    const auto [known, fresh] = types_.try_emplace(key, type);
    if (!fresh) known.value() = both(known->second, type);
  }
  bool knows(Key key) const { return types_.contains(key); }

  // Open where all values were null.
  TypesFile file() const {
    TypesFile file;
    for (const auto& [key, type] : types_) file.types.push_back({.key = key, .type = type});
    std::ranges::sort(file.types, {}, &KeyType::key);
    return file;
  }

 private:
  static Type both(Type a, Type b) {
    if (a == b) return a;
    if (a == Type::open && b != Type::none) return b;
    return b == Type::open && a != Type::none ? a : Type::any;
  }

  tsl::robin_map<Key, Type, base::SeededHash> types_{};
};

}  // namespace polytrace::history
