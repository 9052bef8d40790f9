// SPDX-License-Identifier: Apache-2.0
// Whether memory leaks, and which class it is: objects that are made again and again, and stay; or
// a heap that is larger after each collection.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "analysis/memory/object_fates.hpp"

namespace polytrace::analysis {

// What is known of the objects of one class.
struct ClassFate {
  Fate all;
  std::uint32_t site = NameTable::kNone;  // where most of their bytes were made
  std::uint64_t most_at_site = 0;
  std::optional<std::uint64_t> in_dump{};  // in the last whole heap snapshot
  // The verdict: of those made in the trace, how many are there at the end, and how that is known.
  std::optional<std::uint64_t> alive{};
  std::string_view evidence{};  // "frees", "snapshot"

  // A snapshot counts where it cannot hold objects that the trace does not tell the making of.
  void judge(bool frees_told, base::Time dumped);
};
using ClassFates = std::map<std::uint32_t, ClassFate>;  // by class index

// The size of the heap over time.
class HeapTrend {
 public:
  void add(base::Time time, const event::HeapSize& size);
  // Puts them in order.
  void finish();

  struct Growth {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::size_t steps = 0;   // from one size to the next
    std::size_t larger = 0;  // of these, upwards
  };
  // Without the first quarter, in which a program starts up. Nothing when too few sizes are told.
  std::optional<Growth> growth() const;

 private:
  struct Size {
    base::Time time;
    std::uint64_t bytes;
  };
  std::vector<Size> sizes_;
  bool used_told_ = false;
};

// At most one suspect. `sites`: the same objects by class and site, where frees are told; else
// empty.
std::vector<Suspect> find_leak(const ClassFates& classes, std::span<const Fate> sites,
                               const HeapTrend& trend, const Names& names);

}  // namespace polytrace::analysis
