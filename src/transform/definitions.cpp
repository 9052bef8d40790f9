// SPDX-License-Identifier: Apache-2.0
#include <xxhash.h>

#include "event/copy.hpp"
#include "event/visit.hpp"
#include "transform/resolve.hpp"

namespace polytrace::transform {
namespace {

using base::Id;
using event::Batch;
using event::Event;
using event::Kind;
using event::Life;

std::uint64_t hash_of(std::string_view name) {
  return name.empty() ? 0 : XXH3_64bits(name.data(), name.size()) | 1;
}

struct Told {
  Life life = Life::begin;
  std::string_view name;
};

Told told(const Batch& batch, const Event& event) {
  switch (event.kind) {
    case Kind::Thread: {
      const auto thread = batch.details_or<event::Thread>(event, {});
      return {thread.life, thread.name};
    }
    case Kind::Class: {
      const auto type = batch.details_or<event::Class>(event, {});
      return {type.life, type.name};
    }
    default: return {Life::begin, batch.details_or<event::Method>(event, {}).name};
  }
}

// What `more` tells of a thread and `thread` does not yet; the name is the last that was told. On
// which of the system's it runs may change: that is told where it is.
void complete(event::Thread& thread, const event::Thread& more, Batch& batch) {
  if (!more.name.empty()) thread.name = batch.keep(more.name);
  if (thread.group.empty()) thread.group = batch.keep(more.group);
  if (thread.parent_group.empty()) thread.parent_group = batch.keep(more.parent_group);
  if (thread.object == base::kNoId) thread.object = more.object;
  thread.is_virtual = std::max(thread.is_virtual, more.is_virtual);
}

bool is_of_tables(Kind kind) {
  return kind == Kind::Thread || kind == Kind::Class || kind == Kind::Method;
}

}  // namespace

bool Lives::is_definition(const Batch& batch, const Event& event) {
  return is_of_tables(event.kind) && told(batch, event).life != Life::end;
}

// As slice::Names sees it.
bool Lives::is_next(const Thing& thing, const Event& event, bool begins, std::uint64_t name) const {
  if (event.kind != Kind::Thread)
    return thing.ended || (thing.name != 0 && name != 0 && thing.name != name);
  if (thing.ended) return event.time >= thing.end;
  return thing.begun && begins;
}

std::uint32_t Lives::number(const Batch& batch, const Event& event) {
  const Told what = told(batch, event);
  const std::uint64_t name = hash_of(what.name);
  const bool begins = what.life == Life::begin;
  const auto [entry, fresh] = lives_[table_of(event.kind)].try_emplace(event.id);
  Thing& thing = entry.value();
  if (!fresh && is_next(thing, event, begins, name)) thing = {.number = thing.number + 1};
  if (begins) thing.begun = true;
  if (name != 0) thing.name = name;
  return thing.number;
}

void Lives::note_end(const Batch& batch, const Event& event) {
  if (!is_of_tables(event.kind) || told(batch, event).life != Life::end) return;
  auto& lives = lives_[table_of(event.kind)];
  const auto found = lives.find(event.id);
  if (found == lives.end() || found->second.ended) return;
  found.value().ended = true;
  found.value().end = event.time;
}

// Calls define nothing.
bool Definitions::consume(const Batch& batch) {
  event::leap_over_calls(batch.events, [&](const Event& event) { take(batch, event); });
  return true;
}

void Definitions::take(const Batch& batch, const Event& event) {
  if (event.kind == Kind::Vtable)
    vtables_[event.id] = batch.details_or<event::Vtable>(event, {}).class_id;
  if (Lives::is_definition(batch, event)) keep(batch, event, lives_.number(batch, event));
  else lives_.note_end(batch, event);
}

void Definitions::keep(const Batch& batch, const Event& event, std::uint32_t number) {
  std::vector<std::uint32_t>& places = places_[Lives::table_of(event.kind)][event.id];
  const Told what = told(batch, event);
  if (number < places.size()) {
    Event& known = batch_.events[places[number]];
    if (known.detail == event::kAbsent || event.detail == event::kAbsent) return;
    if (known.kind == Kind::Thread)
      complete(batch_.column<event::Thread>()[known.detail], batch.details<event::Thread>(event),
               batch_);
    else if (known.kind == Kind::Class && told(batch_, known).name.empty() && !what.name.empty())
      batch_.column<event::Class>()[known.detail].name = batch_.keep(what.name);
    return;
  }
  if (batch_.threads.size() + 1 >= Batch::kMaxThreads) return;
  places.push_back(static_cast<std::uint32_t>(batch_.events.size()));
  event::copy_event(batch, event, batch_);
  Event& made = batch_.events[places.back()];
  if (made.kind == Kind::Class && made.detail != event::kAbsent)
    batch_.column<event::Class>()[made.detail].life = Life::begin;
}

const Event* Definitions::find(Kind kind, Id id, std::uint32_t number) const {
  const auto& places = places_[Lives::table_of(kind)];
  const auto found = places.find(id);
  if (found == places.end() || number >= found->second.size()) return nullptr;
  return &batch_.events[found->second[number]];
}

std::string_view Definitions::class_name(Id id) const {
  const Event* type = find(Kind::Class, id, 0);
  return type == nullptr ? std::string_view{} : told(batch_, *type).name;
}

}  // namespace polytrace::transform
