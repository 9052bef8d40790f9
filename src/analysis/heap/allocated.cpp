// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/allocated.hpp"

#include "analysis/table/words.hpp"
#include "base/slot.hpp"

namespace polytrace::analysis {

using event::Kind;

void AllocatedObjects::take(const Slice& slice, const event::Event& event) {
  if (event.kind == Kind::Alloc) {
    const auto alloc = slice.batch.details_or<event::Alloc>(event, {});
    if (alloc.object != base::kNoId)
      numbers_.at(alloc.object) = number_of({slice.names.class_index(event.id), alloc.size});
  } else if (event.kind == Kind::Move) {
    const std::uint32_t number = std::exchange(numbers_.at(event.id), Numbers::kNone);
    numbers_.at(slice.batch.details_or<event::Move>(event, {}).to) = number;
  }
}

std::uint32_t AllocatedObjects::number_of(const Object& object) {
  std::uint32_t& last = base::slot(last_of_type_, object.type, Numbers::kNone);
  if (last != Numbers::kNone && objects_[last].size == object.size) return last;
  const auto [known, fresh] =
      known_.try_emplace(object, static_cast<std::uint32_t>(objects_.size()));
  if (fresh) objects_.push_back(object);
  return last = known->second;
}

const AllocatedObjects::Object* AllocatedObjects::find(base::Id id) const {
  const std::uint32_t number = *numbers_.find(id);
  return number == Numbers::kNone ? nullptr : &objects_[number];
}

}  // namespace polytrace::analysis
