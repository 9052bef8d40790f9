// SPDX-License-Identifier: Apache-2.0
#include "store/build/pass/entity_log.hpp"

#include "base/frames/svb.hpp"
#include "base/io/cursor.hpp"
#include "base/slot.hpp"

namespace polytrace::store {
namespace {

constexpr std::size_t kEntityBytes = std::size_t{1} << 20;  // of a frame, about

void append_entity(std::uint32_t index, const Entity& entity, std::string& out) {
  std::uint32_t fields = kEntityId;
  if (entity.name != Entity::kNone) fields |= kEntityName;
  if (entity.class_index != Entity::kNone) fields |= kEntityClass;
  if (entity.signature != Entity::kNone) fields |= kEntitySignature;
  if (entity.first != base::kNoTime) fields |= kEntityTimes;
  base::append_varint(index, out);
  base::append_varint(fields, out);
  base::append_varint(entity.id, out);
  for (const std::uint64_t field : {entity.name, entity.class_index, entity.signature})
    if (field != Entity::kNone) base::append_varint(field, out);
  if (entity.first == base::kNoTime) return;
  base::append_varint(base::zigzag(entity.first), out);
  base::append_varint(base::elapsed(entity.first, entity.last), out);
}

}  // namespace

void TextLog::put() {
  texts_.write_new([this](base::Bytes payload) {
    base::Cursor in(payload, 0);
    const std::uint64_t first = in.uleb();
    const std::uint64_t count = in.uleb();
    take_(first, static_cast<std::uint32_t>(count),
          std::string(reinterpret_cast<const char*>(payload.data()), payload.size()));
    return true;
  });
}

std::uint32_t EntityLog::index_of(EntitySort sort, base::Id id) {
  switch (sort) {
    case EntitySort::method: return names_.methods().index(id);
    case EntitySort::class_: return names_.classes().index(id);
    case EntitySort::counter: return counters_.index(id);
    default: break;
  }
  const std::uint32_t index = names_.thread_index(id);
  return index != slice::Names::kNone ? index : kThreadsWithoutEvents + other_threads_.index(id);
}

std::uint64_t EntityLog::subject(event::Kind kind, base::Id id) {
  const EntitySort sort = subject_sort(kind);
  return sort == EntitySort::none ? id : index_of(sort, id);
}

void EntityLog::note(const event::Batch& batch, const event::Event& event, TextIds& texts) {
  if (event.detail == event::kAbsent) return;
  if (event.kind == event::Kind::Method) {
    const auto& method = batch.details<event::Method>(event);
    if (method.name.empty()) return;  // as Names has it
    MethodTold& told = base::slot(methods_, names_.methods().index(event.id));
    if (method.class_id != base::kNoId) told.class_index = names_.classes().index(method.class_id);
    if (!method.signature.empty()) told.signature = texts.id(method.signature);
  } else if (event.kind == event::Kind::CounterDef) {
    const auto& counter = batch.details<event::CounterDef>(event);
    std::uint64_t& name = base::slot(counter_names_, counters_.index(event.id));
    if (!counter.name.empty()) name = texts.id(counter.name) + std::uint64_t{1};
  }
}

std::uint32_t EntityLog::count(EntitySort sort) const {
  switch (sort) {
    case EntitySort::method: return names_.methods().size();
    case EntitySort::class_: return names_.classes().size();
    case EntitySort::counter: return counters_.size();
    case EntitySort::thread: return static_cast<std::uint32_t>(names_.threads().size());
    case EntitySort::none: break;
  }
  return 0;
}

// Texts get their number when a thing is told, not again each time.
Entity EntityLog::known(EntitySort sort, std::uint32_t index, TextIds& texts) {
  Entity entity;
  const auto name_in = [&](const slice::NameTable& table) {
    entity.id = table.id(index);
    if (table.named(index)) entity.name = texts.id(table.name(index));
  };
  if (sort == EntitySort::method) {
    name_in(names_.methods());
    if (index < methods_.size()) {
      entity.class_index = methods_[index].class_index;
      entity.signature = methods_[index].signature;
    }
  } else if (sort == EntitySort::class_) {
    name_in(names_.classes());
    if (const std::uint32_t of = names_.resolve_class(index); of != index) entity.class_index = of;
  } else if (sort == EntitySort::counter) {
    entity.id = counters_.id(index);
    if (index < counter_names_.size()) entity.name = counter_names_[index] - 1;
  } else {
    const slice::ThreadInfo& thread = names_.threads()[index];
    entity.id = thread.id;
    if (!thread.name.empty()) entity.name = texts.id(thread.name);
    entity.first = thread.first;
    entity.last = thread.last;
  }
  return entity;
}

void EntityLog::tell_one(std::uint32_t index, const Entity& entity) {
  append_entity(index, entity, payload_);
  ++in_payload_;
}

void EntityLog::flush(EntitySort sort, const Take& take) {
  if (in_payload_ == 0) return;
  std::string payload(1, static_cast<char>(sort));
  base::append_varint(in_payload_, payload);
  payload += payload_;
  take(std::move(payload), in_payload_);
  payload_.clear();
  in_payload_ = 0;
}

void EntityLog::tell_sort(EntitySort sort, TextIds& texts, const Take& take) {
  std::vector<Entity>& told = told_[static_cast<std::size_t>(sort)];
  for (std::uint32_t i = 0; i < count(sort); ++i) {
    const Entity entity = known(sort, i, texts);
    if (i < told.size() && told[i] == entity) continue;
    base::slot(told, i) = entity;
    tell_one(i, entity);
    if (payload_.size() > kEntityBytes) flush(sort, take);
  }
  flush(sort, take);
}

void EntityLog::tell(TextIds& texts, const Take& take) {
  for (const EntitySort sort :
       {EntitySort::method, EntitySort::class_, EntitySort::thread, EntitySort::counter})
    tell_sort(sort, texts, take);
  std::vector<Entity>& told = told_[kEntitySorts];
  for (auto i = static_cast<std::uint32_t>(told.size()); i < other_threads_.size(); ++i) {
    told.push_back({.id = other_threads_.id(i)});
    tell_one(kThreadsWithoutEvents + i, told.back());
  }
  flush(EntitySort::thread, take);
}

}  // namespace polytrace::store
