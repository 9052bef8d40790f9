// SPDX-License-Identifier: Apache-2.0
// Follows objects from their allocation to their end, as far as a trace tells it, and keeps figures
// by class and site. An object's end is told by a free, or shown by its address being given to
// another object; it moves with moves. At most kMostFollowed objects are followed at a time: what
// is allocated beyond that is only counted. One thread at a time.
#pragma once

#include <array>
#include <vector>

#include "analysis/analysis.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::analysis {

// Objects of one class made at one site.
struct Fate {
  std::uint32_t type = 0;  // class index as it was when met
  std::uint32_t site = 0;  // method index, kNone: not told
  std::uint64_t made = 0;
  std::uint64_t made_bytes = 0;
  std::uint64_t dead = 0;
  std::uint64_t dead_bytes = 0;
  std::uint64_t unfollowed = 0;  // of those made: no id, sampled, or beyond the limit
  // Made after the last collection and still there: nobody has looked whether they are in use.
  std::uint64_t young = 0;
  base::Time first = base::kNoTime;
  base::Time last = base::kNoTime;
  double since_first = 0;  // nanoseconds from `first` to each allocation, added up

  void merge(const Fate& other);
};

class ObjectFates {
 public:
  static constexpr std::size_t kMostFollowed = std::size_t{1} << 21;
  // Deaths by the number of collections lived through: 0, 1, 2-3, 4-7, ... and more.
  static constexpr std::size_t kAges = 8;
  struct Deaths {
    std::uint64_t objects = 0;
    std::uint64_t bytes = 0;
  };

  void made(base::Time time, std::uint32_t type, std::uint32_t site, const event::Alloc& alloc);
  void freed(base::Id object, const event::Free& free);
  void moved(base::Id from, base::Id to);
  void collected() { ++collections_; }
  // Counts the young. Once, at the end.
  void finish();

  const std::vector<Fate>& fates() const { return fates_; }
  const std::array<Deaths, kAges>& deaths() const { return deaths_; }
  std::uint64_t told_frees() const { return told_frees_; }
  std::uint64_t known_deaths() const { return known_deaths_; }
  std::uint32_t collections() const { return collections_; }

 private:
  struct Object {
    std::uint32_t fate;
    std::uint32_t born;  // collections before it
    std::uint64_t size;
  };
  using Objects = base::IdMap<Object>;

  std::uint32_t fate_of(std::uint32_t type, std::uint32_t site);
  void died(const Object& object, std::uint64_t age);

  Objects living_;
  std::vector<Fate> fates_;
  base::IdMap<std::uint32_t> indexes_;  // by class and site
  std::array<Deaths, kAges> deaths_{};
  std::uint64_t told_frees_ = 0;
  std::uint64_t known_deaths_ = 0;
  std::uint32_t collections_ = 0;
};

}  // namespace polytrace::analysis
