// SPDX-License-Identifier: Apache-2.0
// Classes and sizes of objects by their allocations, for snapshots that tell references alone. Ids
// come again after an object's end. Half the heap's size, as object_types.hpp says, where the trace
// has allocations with the ids of objects. One thread at a time.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analysis/analysis.hpp"
#include "analysis/heap/graph/object_types.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::analysis {

class AllocatedObjects {
 public:
  struct Object {
    std::uint32_t type;
    std::uint64_t size;
    friend auto operator<=>(const Object&, const Object&) = default;
  };

  // Allocations and moves; others are passed over. What a snapshot names is alive whatever was told
  // before, so the last allocation of an id counts.
  void take(const Slice& slice, const event::Event& event);
  // Null where no allocation of it is known. Until the next event.
  const Object* find(base::Id id) const;
  void begin_snapshot() { told_.clear(); }

  // Of an object of a snapshot that tells references alone: it and what it refers to, each as
  // add(id, type, size, references, is_new). Size is 0 where the snapshot named it before.
  // False, and nothing is done, where the snapshot tells more.
  template <class Add>
  bool join(const Slice& slice, const event::Event& event, const Add& add) {
    const auto object = slice.batch.details_or<event::DumpObject>(event, {});
    if (object.class_id != base::kNoId || object.size != 0) return false;
    const auto references = slice.batch.list(object.refs);
    join(event.id, slice.names, base::kNoId, references, add);
    for (const event::Ref& reference : references)
      join(reference.target, slice.names, base::kNoId, {}, add);
    return true;
  }
  // The same of one that is named; `told_class`: where its class is told.
  template <class Add>
  void join(base::Id id, const Names& names, base::Id told_class,
            std::span<const event::Ref> references, const Add& add) {
    const bool is_new = told_.insert(id).second;
    const Object* const known = find(id);
    const std::uint32_t type = known != nullptr ? known->type : names.class_index(told_class);
    add(id, type, is_new && known != nullptr ? known->size : 0, references, is_new);
  }

 private:
  std::uint32_t number_of(const Object& object);

  using Numbers = ObjectTypes<std::uint32_t>;
  Numbers numbers_;  // in objects_, where all of one type and size are one
  std::vector<Object> objects_;
  std::map<Object, std::uint32_t> known_;
  std::vector<std::uint32_t> last_of_type_;  // in objects_: most objects of a type have one size
  base::IdSet told_;
};

}  // namespace polytrace::analysis
