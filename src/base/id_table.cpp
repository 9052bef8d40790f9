// SPDX-License-Identifier: Apache-2.0
#include "base/id_table.hpp"

namespace polytrace::base {
std::uint32_t IdTable::insert(Id id) {
  const auto [entry, fresh] = indexes_.try_emplace(id, size());
  if (fresh) ids_.push_back(id);
  return entry->second;
}

}  // namespace polytrace::base
