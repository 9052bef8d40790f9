// SPDX-License-Identifier: Apache-2.0
// Objects/<class>/{Live, Bytes}, where the trace tells what lives: by censuses, else by allocations
// and frees, else by heap dumps. One thread at a time.
#pragma once

#include <tsl/robin_map.h>

#include "analysis/states/derive/state_writer.hpp"
#include "analysis/states/derive/world.hpp"
#include "analysis/states/gather/happening.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::analysis {

enum class ObjectAttribute : std::uint8_t { live, bytes };
inline constexpr std::size_t kObjectAttributes = 2;

class ObjectStates {
 public:
  explicit ObjectStates(World& world);

  void alloc(const Happening& happening);
  void free(base::Id object);
  void move(base::Id from, base::Id to);
  void count(const Happening& happening);  // a row of a census or dump
  // Writes a census that was complete before `now`. To be called before what happens then.
  void settle(history::Tick now) {
    if (in_census_ && now > census_time_) show_census();
  }
  void finish() {
    if (in_census_) show_census();
  }

 private:
  enum class Source : std::uint8_t { none, censuses, frees, dumps };
  // A class by its name.
  struct Type {
    Attributes<ObjectAttribute, kObjectAttributes> attributes;
    std::uint64_t objects = 0;
    std::uint64_t bytes = 0;
    std::uint32_t census = 0;  // the latest that counted it
  };
  struct Object {
    std::uint32_t type;
    std::uint64_t size;
  };

  std::uint32_t type(std::uint32_t class_index);
  void show(Type& type);
  void show_census();

  World& world_;
  Source source_;
  history::Key parent_ = history::kNoKey;
  std::vector<std::uint32_t> type_of_class_;  // by class index
  tsl::robin_map<history::Key, std::uint32_t> type_of_key_;
  std::vector<Type> types_;
  base::IdMap<Object> objects_;  // those that live
  // The census being collected.
  bool in_census_ = false;
  std::uint32_t census_ = 0;
  history::Tick census_time_ = 0;
  std::vector<std::uint32_t> counted_;  // types of this census, not shown yet
  std::uint32_t shown_census_ = 0;      // the last one shown
  std::vector<std::uint32_t> before_;   // types of it
};

}  // namespace polytrace::analysis
