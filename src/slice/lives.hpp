// SPDX-License-Identifier: Apache-2.0
// What an id means at a moment, of things whose ids are used again by later things.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "event/details.hpp"

namespace polytrace::slice {

// An id that may be unique only inside another thing (a context in its domain).
struct LifeKey {
  base::Id owner = base::kNoId;
  base::Id id = base::kNoId;
  auto operator<=>(const LifeKey&) const = default;
};

struct LifeSpan {
  LifeKey key;
  std::string name;
  std::string detail;  // the image's module version id
  base::Id part_of = base::kNoId;
  std::string owner_name;            // as it was known when this was loaded
  base::Time begin = base::kNoTime;  // kNoTime = not recorded
  base::Time end = base::kNoTime;
};

// Things that are loaded, named and unloaded. Streams of several threads interleave, so an end may
// be read before its beginning.
class Lives {
 public:
  // The life that an event at `time` is about; a new one when the known one cannot be meant.
  LifeSpan& record(const LifeKey& key, event::Life stage, base::Time time) {
    const auto known = current_.find(key);
    const bool meant = known != current_.end() && fits(all_[known->second], stage, time);
    const std::size_t index = meant ? known->second : all_.size();
    if (!meant) {
      all_.emplace_back().key = key;
      current_[key] = index;
    }
    LifeSpan& life = all_[index];
    if (stage == event::Life::begin) life.begin = time;
    if (stage == event::Life::end) life.end = time;
    return life;
  }
  const std::vector<LifeSpan>& all() const { return all_; }
  // The life that the id means at this point of the trace, null when there was none yet.
  const LifeSpan* find(const LifeKey& key) const {
    const auto known = current_.find(key);
    return known == current_.end() ? nullptr : &all_[known->second];
  }

 private:
  static bool fits(const LifeSpan& life, event::Life stage, base::Time time) {
    const bool before_end = life.end == base::kNoTime || time <= life.end;
    switch (stage) {
      case event::Life::begin: return life.begin == base::kNoTime && before_end;
      case event::Life::name: return before_end;
      case event::Life::end: return life.end == base::kNoTime;
    }
    return false;
  }

  std::vector<LifeSpan> all_;
  std::map<LifeKey, std::size_t> current_;
};

// Remembers the classes of recently allocated objects by address, in a fixed amount of memory: an
// object is forgotten when another one needs its place. Follows moves.
class RecentClasses {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // At address 0 is none, nor where none is told.
  void add(base::Id object, std::uint32_t type) {
    if (object != 0 && object != base::kNoId) places_[place(object)] = {object, type};
  }
  void move(base::Id from, base::Id to) {
    if (const std::uint32_t type = find(from); type != kNone) add(to, type);
  }
  std::uint32_t find(base::Id object) const {
    const Place& at = places_[place(object)];
    return at.object == object ? at.type : kNone;
  }

 private:
  static constexpr unsigned kBits = 17;  // 2 MiB in all
  struct Place {
    base::Id object = base::kNoId;
    std::uint32_t type = kNone;
  };
  static std::size_t place(base::Id object) {
    return static_cast<std::size_t>((object * 0x9e3779b97f4a7c15U) >> (64 - kBits));
  }

  std::vector<Place> places_ = std::vector<Place>(std::size_t{1} << kBits);
};

}  // namespace polytrace::slice
