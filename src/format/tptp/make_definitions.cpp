// SPDX-License-Identifier: Apache-2.0
// From events to messages: session and definitions. Which message, and which attribute for which
// field.
#include "event/visit.hpp"
#include "format/tptp/event_maker.hpp"
#include "format/tptp/message_maker.hpp"

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
  if (!is_wire_text(method.name, Meaning::plain, Spelling::tbf, unused)) return false;
  OnlyName visitor;
  visit_fields(visitor, method);
  return visitor.only;
}

}  // namespace

// --- session ---

void MessageMaker::make(const Event& event, const event::Process& process) {
  const bool agent =
      !process.agent.empty() || !process.agent_version.empty() || !process.options.empty();
  const bool itself =
      (event.id != kNoId && event.id != 0) || !process.name.empty() || !process.command.empty();
  const bool node =
      !process.host.empty() || !process.address.empty() || (!process.node.empty() && !itself);
  if (node) make_node(event, process);
  if (itself || !(node || agent)) make_process(event, process);
  if (agent) make_agent(event, process);
  // All three messages together hold these.
  for (const auto* field :
       {&process.name, &process.command, &process.node, &process.host, &process.address,
        &process.agent, &process.agent_version, &process.options})
    draft_.hold(*field);
  draft_.end(process);
}

void MessageMaker::make_node(const Event& event, const event::Process& process) {
  using F = field::Node;
  draft_.begin<F>(*batch_, event);
  draft_.text(F::node_id, process.node, "node");
  draft_.text(F::hostname, process.host, "host");
  draft_.text(F::ipaddress, process.address, "address");
  write();
}

void MessageMaker::make_process(const Event& event, const event::Process& process) {
  using F = field::ProcessCreate;
  draft_.begin<F>(*batch_, event);
  draft_.text(F::name, process.name, "name");
  draft_.text(F::node_id_ref, process.node, "node");
  draft_.text(F::application_executable, process.command, "command");
  const auto pid = static_cast<std::int64_t>(event.id);
  if (pid == static_cast<std::int32_t>(pid)) draft_.subject(F::pid);
  else draft_.lose("pid");
  write();
}

void MessageMaker::make_agent(const Event& event, const event::Process& process) {
  using F = field::AgentCreate;
  draft_.begin<F>(*batch_, event);
  draft_.text(F::agent_name, process.agent, "agent");
  draft_.text(F::agent_parameters, process.options, "options");
  draft_.text(F::version, process.agent_version, "agent_version");
  write();
}

void MessageMaker::make(const Event& event, const event::Clock& clock) {
  draft_.times().tell(event.time, clock);
}

void MessageMaker::make(const Event& event, const event::Setting& setting) {
  using F = field::Option;
  draft_.begin<F>(*batch_, event);
  draft_.text(F::key, setting.key, "key");
  draft_.text(F::value, setting.value, "value");
  write();
}

void MessageMaker::make(const Event& event, const event::FilterRule& filter) {
  using F = field::Filter;
  draft_.begin<F>(*batch_, event);
  draft_.text(F::pattern, filter.pattern, "pattern");
  draft_.text(F::generic_pattern, filter.generic, "generic");
  draft_.text(F::mode, filter.mode, "mode");
  draft_.text(F::method_pattern, filter.method, "method");
  draft_.text(F::method_generic_pattern, filter.method_generic, "method_generic");
  draft_.text(F::method_mode, filter.method_mode, "method_mode");
  write();
}

void MessageMaker::make(const Event& event, const event::Recording& recording) {
  using event::RecordingStage;
  switch (recording.stage) {
    case RecordingStage::start:
      draft_.begin<field::TraceStart>(*batch_, event);
      draft_.text(field::TraceStart::trace_id, recording.name, "name");
      break;
    case RecordingStage::end:
      draft_.begin<field::TraceEnd>(*batch_, event);
      draft_.text(field::TraceEnd::trace_id_ref, recording.name, "name");
      break;
    case RecordingStage::ready: draft_.begin<field::RuntimeInitDone>(*batch_, event); break;
    case RecordingStage::shutdown: draft_.begin<field::RuntimeShutdown>(*batch_, event); break;
    default: return lose(event);
  }
  draft_.hold(recording.stage);
  draft_.end(recording);
  write();
}

void MessageMaker::make(const Event& event, const event::Note& note) {
  draft_.begin<field::Custom>(*batch_, event);
  draft_.text(field::Custom::body, note.text, "text");
  write();
}

// --- definitions ---

void MessageMaker::make(const Event& event, const event::Thread& thread) {
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
  if (details.life != event::Life::begin) return lose(event);
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
