// SPDX-License-Identifier: Apache-2.0
// What became more from one heap to another: by class, of one trace or of two; and by the place in
// the code that made the objects.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "analysis/heap/graph/object_types.hpp"
#include "analysis/heap/graph/snapshot.hpp"
#include "analysis/heap/questions.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::analysis {

// A class by its name, which is all that two traces have in common.
struct NamedFigures {
  std::string name;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::uint64_t retained = 0;  // by its objects together, none counted twice
};

struct ClassGrowth {
  std::string name;
  NamedFigures before;
  NamedFigures after;
  std::int64_t objects() const { return static_cast<std::int64_t>(after.objects - before.objects); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(after.bytes - before.bytes); }
  std::int64_t retained() const {
    return static_cast<std::int64_t>(after.retained - before.retained);
  }
};

// Sorted by name; classes of one name are one. REQUIRES: a resolved snapshot, the view's.
std::vector<NamedFigures> named_figures(const HeapSnapshot& snapshot, const HeapView& view);

// Every class that either has; what grew most in bytes first, then by name. Both sorted by name.
std::vector<ClassGrowth> growth_between(std::span<const NamedFigures> before,
                                        std::span<const NamedFigures> after);

// The same as a table: class, objects_growth, bytes_growth, retained_growth, before_objects ...
Table growth_table(std::span<const ClassGrowth> growth, const TableOptions& options);

// Which place in the code made the objects of heap snapshots: joins allocations with snapshots by
// the objects' ids, which follow moves. One thread at a time.
class HeapSites {
 public:
  struct Figures {
    std::uint64_t objects = 0;
    std::uint64_t bytes = 0;
    void merge(const Figures& other) { objects += other.objects, bytes += other.bytes; }
  };
  // Of one snapshot.
  struct Snapshot {
    std::vector<Figures> by_maker;
    Figures unknown;
  };

  // Allocations, frees and moves; others are passed over.
  void take(const Slice& slice, std::uint32_t index);
  void begin_snapshot() { snapshots_.emplace_back(); }
  // An object of the last snapshot that was begun; of size 0, more of one that was told.
  void object(base::Id id, std::uint32_t type, std::uint64_t size);

  // How many objects of which class each site made that are there: site, class, growth and figures
  // of two snapshots. Without rows where no site is known. Its notes say what is not known, and
  // why.
  Table growth(std::size_t from, std::size_t to, const Names& names,
               const TableOptions& options) const;

 private:
  // Objects of one class that one site made. By index.
  struct Maker {
    std::uint32_t type;
    std::uint32_t site;  // method index
  };
  using Numbers = ObjectTypes<std::uint32_t>;

  void made(const Slice& slice, std::uint32_t index);
  void moved(base::Id from, base::Id to);
  std::uint32_t maker_of(std::uint32_t type, std::uint32_t site);
  void tell_unknown(Table& table, std::size_t to, std::uint64_t known) const;

  Numbers makers_of_objects_;
  std::vector<Maker> makers_;
  base::IdMap<std::uint32_t> numbers_;  // by class and site
  std::vector<Snapshot> snapshots_;
  std::uint64_t allocations_ = 0;
  std::uint64_t without_id_ = 0;    // of these
  std::uint64_t without_site_ = 0;  // of these with an id
};

}  // namespace polytrace::analysis
