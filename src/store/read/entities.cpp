// SPDX-License-Identifier: Apache-2.0
#include "store/read/entities.hpp"

#include "base/codes.hpp"
#include "base/frames/bits.hpp"
#include "base/io/cursor.hpp"
#include "base/slot.hpp"

namespace polytrace::store {
namespace {

using base::Bytes;
using base::Code;
using base::fail;

base::Unexpected cursor_fault(const base::Cursor& in, const char* frame) {
  return fail(in.fault_code(), {}, {.offset = in.fault_offset(), .frame = frame});
}

Entity take_entity(base::Cursor& in) {
  Entity entity;
  const std::uint64_t fields = in.uleb();
  if ((fields & ~std::uint64_t{kEntityFieldsKnown}) != 0) in.fault(Code::value_unexpected);
  if ((fields & kEntityId) != 0) entity.id = in.uleb();
  if ((fields & kEntityName) != 0) entity.name = in.uleb();
  if ((fields & kEntityClass) != 0) entity.class_index = in.uleb();
  if ((fields & kEntitySignature) != 0) entity.signature = in.uleb();
  if ((fields & kEntityTimes) != 0) {
    entity.first = base::unzigzag(in.uleb());
    entity.last = base::tick_after(entity.first, in.uleb());
  }
  return entity;
}

}  // namespace

base::result<void> Texts::add(Bytes content, Owner owner) {
  base::Cursor head(content, 0);
  if (head.uleb() != texts_.size())
    return fail(Code::value_unexpected, "texts do not follow each other", {.frame = "TEXT"});
  if (owner == Owner::nobody) {
    copies_.emplace_back().append(content);
    content = {copies_.back().data(), copies_.back().size()};
  }
  base::Cursor in(content, 0);
  in.uleb();  // the first one's number
  const std::uint64_t count = in.uleb();
  if (in.fits(count, 1)) texts_.reserve(texts_.size() + count);
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const Bytes text = in.bytes(in.uleb());
    texts_.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
  }
  if (!in.ok()) return cursor_fault(in, "TEXT");
  return {};
}

base::result<void> Entities::add(Bytes content) {
  base::Cursor in(content, 0);
  const std::uint8_t sort = in.byte();
  const std::uint64_t count = in.uleb();
  if (sort == 0 || sort >= kEntitySorts)
    return fail(Code::value_unexpected, "sort of things", {.frame = "ENTY"});
  if (!in.fits(count, 2)) return cursor_fault(in, "ENTY");
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    std::uint64_t index = in.uleb();
    const Entity entity = take_entity(in);
    std::size_t list = sort;
    if (static_cast<EntitySort>(sort) == EntitySort::thread && index >= kThreadsWithoutEvents) {
      index -= kThreadsWithoutEvents;
      list = kEntitySorts;
    }
    // Things are told in order of their indexes, or again.
    if (index > known_[list].size()) in.fault(Code::value_unexpected);
    if (in.ok()) base::slot(known_[list], index) = entity;
  }
  if (!in.ok()) return cursor_fault(in, "ENTY");
  return {};
}

const Entity& Entities::of(EntitySort sort, std::uint64_t index) const {
  static constexpr Entity kUnknown{};
  const bool eventless = sort == EntitySort::thread && index >= kThreadsWithoutEvents;
  const auto& known = known_[eventless ? kEntitySorts : static_cast<std::size_t>(sort)];
  if (eventless) index -= kThreadsWithoutEvents;
  return index < known.size() ? known[index] : kUnknown;
}

}  // namespace polytrace::store
