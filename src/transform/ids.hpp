// SPDX-License-Identifier: Apache-2.0
// All ids of a batch, wherever they stand: streams, subjects, fields, stacks, references. A process
// id is not among them: it means the same outside of the trace.
#pragma once

#include <array>

#include "event/visit.hpp"

namespace polytrace::transform {

enum class IdRole : std::uint8_t {
  none,      // no id
  address,   // of a thing in memory: 0 is nothing
  numbered,  // some recorders count such things from 0
};

// By the name of a subject or a field.
constexpr IdRole role_of_id(std::string_view name) {
  if (name == "none" || name == "pid" || name == "process") return IdRole::none;
  for (const std::string_view numbered :
       {"domain", "thread", "class", "class_id", "method", "file", "line"}) {
    if (name == numbered) return IdRole::numbered;
  }
  return IdRole::address;
}

// Of the subjects, by kind.
const std::array<IdRole, event::kKindCount>& subject_roles();

inline bool is_thing(event::Id id, IdRole role) {
  return id != event::kNoId && (id != 0 || role == IdRole::numbered);
}

// Calls visit(id) for each id that means something. Batch may be const.
template <class Batch, class Visit>
class IdWalk {
 public:
  IdWalk(Batch& batch, Visit& visit) : batch_(batch), visit_(visit) {}

  void run() {
    for (auto& thread : batch_.threads) one(thread, IdRole::numbered);
    for (auto& frame : batch_.frames) one(frame, IdRole::numbered);
    for (auto& place : batch_.template column<event::FramePlace>()) one(place.ip, IdRole::address);
    for (auto& ref : batch_.template column<event::Ref>()) one(ref.target, IdRole::address);
    for (auto& event : batch_.events) subject(event);
#define KIND(Type, ...) column(batch_.template column<event::Type>());
#include "event/kinds.def"
#undef KIND
  }

  template <event::Tag tag, class T>
  void field(std::string_view name, T& value) {
    if constexpr (tag == event::Tag::kId) one(value, role_of_id(name));
  }

 private:
  template <class Event>
  void subject(Event& event) {
    one(event.id, subject_roles()[static_cast<std::size_t>(event.kind)]);
  }
  template <class Items>
  void column(Items& items) {
    for (auto& details : items) event::visit_fields(*this, details);
  }
  template <class Id>
  void one(Id& id, IdRole role) {
    if (role != IdRole::none && is_thing(id, role)) visit_(id);
  }

  Batch& batch_;
  Visit& visit_;
};

template <class Batch, class Visit>
void for_each_id(Batch& batch, Visit visit) {
  IdWalk<Batch, Visit>(batch, visit).run();
}

}  // namespace polytrace::transform
