// SPDX-License-Identifier: Apache-2.0
// A table like one of ours in which a partition is prepared, of one run alone. One thread at a
// time.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>
#include <string_view>
#include <tuple>

#include "fleet/store.hpp"

namespace polytrace::fleet {

// What the names of stages have between the table's and their number: "profile_1m_stage_01234...".
inline constexpr std::string_view kStageMark = "_stage_";

// A partition that no table has.
inline constexpr std::uint32_t kNoPart = ~std::uint32_t{0};

// It is dropped at the end. One that a crash left is dropped by prune.
class Stage {
 public:
  static base::result<Stage> make(Store& store, std::string_view table) {
    std::random_device random;
    std::string name = fmt::format("{}{}{:08x}{:08x}", table, kStageMark, random(), random());
    return store.link().run(warehouse::table_statement(store.database(), table, name)).map([&] {
      return Stage(store, table, std::move(name));
    });
  }
  Stage(Stage&& other) noexcept
      : store_(other.store_), table_(other.table_), name_(std::move(other.name_)) {
    other.name_.clear();
  }
  Stage& operator=(Stage&&) = delete;
  ~Stage() {
    if (!name_.empty()) std::ignore = store_->link().run("DROP TABLE IF EXISTS " + name());
  }

  // With its database.
  std::string name() const { return store_->name_of(name_); }
  base::result<void> empty(std::uint32_t part) { return drop(name(), part); }
  // The partition of the table becomes that of the stage. Readers see the one or the other.
  base::result<void> swap_in(std::uint32_t part, bool is_empty) {
    const std::string table = store_->name_of(table_);
    // Servers of today refuse to replace a partition by nothing.
    if (is_empty) return drop(table, part);
    return store_->link().run(
        fmt::format("ALTER TABLE {} REPLACE PARTITION {} FROM {}", table, part, name()));
  }
  // What was replaced lies on the disk for some seconds; a server that is killed meanwhile has it
  // again, beside what replaced it. Whatever is dropped, it goes at once.
  base::result<void> forget_replaced() { return drop(store_->name_of(table_), kNoPart); }

 private:
  Stage(Store& store, std::string_view table, std::string name)
      : store_(&store), table_(table), name_(std::move(name)) {}
  base::result<void> drop(const std::string& table, std::uint32_t part) {
    return store_->link().run(fmt::format("ALTER TABLE {} DROP PARTITION {}", table, part));
  }

  Store* store_;
  std::string_view table_;
  std::string name_;
};

}  // namespace polytrace::fleet
