// SPDX-License-Identifier: Apache-2.0
// One heap snapshot: built object by object, kept as figures by class.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/block_log.hpp"
#include "analysis/object_index.hpp"
#include "event/details.hpp"

namespace polytrace::analysis {

struct ClassFigures {
  std::uint32_t type = 0;  // class index
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};

// How many references objects of one class hold to objects of another.
struct ReferenceFigures {
  static constexpr std::uint32_t kOutside = ~std::uint32_t{0};
  std::uint32_t from = 0;  // class indexes
  std::uint32_t to = 0;    // kOutside: the target is not in the snapshot
  std::uint64_t count = 0;
};

struct HeapSnapshot {
  base::Time start = base::kNoTime;
  std::string name;
  bool complete = false;  // its end was recorded
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::uint64_t references = 0;
  std::uint64_t outside = 0;  // references whose target is not in the snapshot
  std::uint64_t roots = 0;
  std::vector<ClassFigures> classes;
  std::vector<ReferenceFigures> pairs;
};

// Holds the objects and references of the snapshot that is being read: about 20 bytes an object and
// 8 a reference. Its memory serves one snapshot after the other.
class SnapshotBuilder {
 public:
  // An object of size 0 continues the references of one already given.
  void add(base::Id address, std::uint32_t type, std::uint64_t size,
           std::span<const event::Ref> references);
  // Moves the figures of all that was added to `snapshot` and starts anew.
  void finish(HeapSnapshot& snapshot);

 private:
  struct Object {
    base::Id address;
    std::uint32_t type;  // index in classes_
    std::uint32_t references;
  };
  // Up to this many classes the pairs are counted in a square table.
  static constexpr std::size_t kDense = 1024;

  std::uint32_t local(std::uint32_t type);
  void number_objects();
  // Calls count(from, to) with local classes for each reference, the number of classes for outside.
  // The local classes of objects at `targets`, the number of classes for one that is outside.
  void find_types(std::span<const base::Id> targets, std::uint32_t* types) const;
  template <class Count>
  void each_reference(const Count& count) const;
  void count_dense(HeapSnapshot& snapshot) const;
  void count_sparse(HeapSnapshot& snapshot) const;
  void keep(HeapSnapshot& snapshot, std::size_t from, std::size_t to, std::uint64_t count) const;
  void clear();

  BlockLog<Object> objects_;
  BlockLog<base::Id> targets_;
  ObjectIndex index_;
  std::vector<std::uint32_t> type_of_;  // local class by object number
  std::vector<ClassFigures> classes_;
  std::vector<std::uint32_t> locals_;  // by class index: place in classes_ + 1, 0 = none yet
};

}  // namespace polytrace::analysis
