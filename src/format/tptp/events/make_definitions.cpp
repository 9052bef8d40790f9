// SPDX-License-Identifier: Apache-2.0
// From events to messages: definitions. Which message, and which attribute for which field.
#include "event/visit.hpp"
#include "format/tptp/events/event_maker.hpp"
#include "format/tptp/events/message_maker.hpp"

namespace polytrace::format::tptp {

using base::Id;
using base::kNoId;

namespace {

struct OnlyName {
  bool only = true;
  template <event::Tag tag, class T>
  void field(std::string_view name, const T& value) {
    if (name != "name" && event::is_told<tag>(value)) only = false;
  }
};

// Whether a reader of messages made this method of a frame's name.
bool is_named_frame(Id id, const event::Method& method) {
  if (id >> 63 == 0 || frame_method_id(method.name) != id) return false;
  std::string unused;
  if (!is_wire_text(method.name, Meaning::plain, unused)) return false;
  OnlyName visitor;
  visit_fields(visitor, method);
  return visitor.only;
}

}  // namespace

// A name that is empty would take away the one before.
void MessageMaker::make(const Event& event, const event::Thread& thread) {
  if (thread.life == event::Life::name && thread.name.empty()) return lose(event);
  if (thread.life == event::Life::end) {
    draft_.begin<field::ThreadEnd>(*batch_, event);
    draft_.own_stream(*batch_, field::ThreadEnd::thread_id_ref);
    tickets_.end(event.id);
  } else {
    using F = field::ThreadStart;
    draft_.begin<F>(*batch_, event);
    draft_.own_stream(*batch_, F::thread_id);
    draft_.text(F::thread_name, thread.name, "name");
    draft_.text(F::group_name, thread.group, "group");
    draft_.text(F::parent_name, thread.parent_group, "parent_group");
    draft_.id(F::obj_id_ref, thread.object);
    if (thread.life == event::Life::name) draft_.lose("life");
  }
  draft_.hold(thread.life);
  draft_.end(thread);
  write();
}

void MessageMaker::make(const Event& event, const event::Class& details) {
  using F = field::ClassDef;
  names_.define_class(event.id, details.name);
  draft_.begin<F>(*batch_, event);
  draft_.subject(F::class_id);
  draft_.text(F::name, details.name, "name");
  draft_.text(F::superclass, details.super, "super");
  draft_.text(F::interface_names, details.interfaces, "interfaces");
  draft_.text(F::source_name, details.source, "source");
  draft_.text(F::class_loader, details.loader, "loader");
  draft_.end(details);
  write();
}

void MessageMaker::make(const Event& event, const event::Method& method) {
  names_.define_method(event.id, method);
  const bool held = batch_->thread(event) == kNoId && is_named_frame(event.id, method);
  if (!held || names_.is_full()) write_frames(names_.release());
  if (held) return names_.hold({event.id, event.time, std::string(method.name)});
  make_method(event, method);
}

void MessageMaker::make_method(const Event& event, const event::Method& method) {
  using F = field::MethodDef;
  draft_.begin<F>(*batch_, event);
  draft_.subject(F::method_id);
  draft_.text(F::name, method.name, "name");
  draft_.text(F::signature, method.signature, "signature");
  draft_.id(F::class_id_ref, method.class_id);
  const auto line = [&](unsigned attribute, const event::u32& number, std::string_view name) {
    draft_.hold(number);
    // The largest one is read as none.
    if (number == event::kAbsent) draft_.lose(name);
    else draft_.set(attribute, number);
  };
  line(F::start_line_number, method.first_line, "first_line");
  line(F::end_line_number, method.last_line, "last_line");
  event::u32 rest = method.flags;
  const auto flag = [&](unsigned attribute, MethodFlag bit) {
    if ((rest & static_cast<event::u32>(bit)) != 0) draft_.set(attribute, 1);
    rest &= ~static_cast<event::u32>(bit);
  };
  flag(F::is_native, MethodFlag::is_native);
  flag(F::is_abstract, MethodFlag::is_abstract);
  flag(F::is_static, MethodFlag::is_static);
  flag(F::is_synchronized, MethodFlag::is_synchronized);
  draft_.hold(method.flags);
  if (rest != 0) draft_.lose("flags");
  draft_.end(method);
  write();
}

}  // namespace polytrace::format::tptp
