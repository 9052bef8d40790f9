// SPDX-License-Identifier: Apache-2.0
// One heap snapshot: built object by object, kept as figures by class.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/heap/graph/block_log.hpp"
#include "analysis/heap/graph/object_types.hpp"
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

// Holds the objects and references of the snapshot that is being read: some 16 bytes an object and
// 8 a reference, while finish() works a quarter of the heap's size more. Its memory serves one
// snapshot after the other.
class SnapshotBuilder {
 public:
  // An object of size 0 continues the references of one already given.
  void add(base::Id address, std::uint32_t type, std::uint64_t size,
           std::span<const event::Ref> references);
  // Moves the figures of all that was added to `snapshot` and starts anew. Uses every core.
  void finish(HeapSnapshot& snapshot);

 private:
  struct Object {
    base::Id address;
    std::uint32_t type;  // index in classes_
    std::uint32_t references : 31;
    std::uint32_t may_continue : 1;
  };

  std::uint32_t local(std::uint32_t type);
  template <class Types>
  void count_all(Types& types, HeapSnapshot& snapshot);
  template <class Types>
  void set_types(Types& types);
  // Counts the references of the objects in some of the blocks, from `first` on in steps of `step`.
  template <class Types, class Counts>
  void count_references(const Types& types, std::size_t first, std::size_t step,
                        Counts& counts) const;
  template <class Counts, class Types>
  void count_on_all_cores(const Types& types, HeapSnapshot& snapshot) const;
  void keep(HeapSnapshot& snapshot, std::uint32_t from, std::uint32_t to,
            std::uint64_t count) const;
  void clear();

  BlockLog<Object> objects_;
  BlockLog<base::Id> targets_;
  std::vector<std::size_t> first_targets_;  // by block of objects_: of its first object
  ObjectTypes<std::uint16_t> types_;
  std::vector<ClassFigures> classes_;
  std::vector<std::uint32_t> locals_;  // by class index: place in classes_ + 1, 0 = none yet
};

}  // namespace polytrace::analysis
