// SPDX-License-Identifier: Apache-2.0
// What rolling and pruning need of a store beside questions. One thread at a time.
#pragma once

#include <string>
#include <string_view>

#include "fleet/store.hpp"

namespace polytrace::fleet {

// Errors: schema_missing, where the store has no notes of tiers; usage, where the server's days are
// not those of UTC: partitions would be of other hours than their names tell.
base::result<void> require_tiers(Store& store);

// A table like one of ours in which a partition is prepared, of this run alone: it is dropped at
// the end. One that a crash left is dropped by prune.
class Stage {
 public:
  static base::result<Stage> make(Store& store, std::string_view table);
  Stage(Stage&& other) noexcept
      : store_(other.store_), table_(other.table_), name_(std::move(other.name_)) {
    other.name_.clear();
  }
  Stage& operator=(Stage&&) = delete;
  ~Stage();

  // "shop.profile_1m_stage_0123456789abcdef"
  std::string name() const { return store_->name_of(name_); }
  base::result<void> empty(std::uint32_t part);
  // The partition of the table becomes that of the stage, also where that is empty. Readers see the
  // one or the other.
  base::result<void> swap_in(std::uint32_t part);

 private:
  Stage(Store& store, std::string_view table, std::string name)
      : store_(&store), table_(table), name_(std::move(name)) {}

  Store* store_;
  std::string_view table_;
  std::string name_;
};
// What the names of stages have between the table's and their number.
inline constexpr std::string_view kStageMark = "_stage_";

}  // namespace polytrace::fleet
