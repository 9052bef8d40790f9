// SPDX-License-Identifier: Apache-2.0
// From events to messages: the session, and what its messages hang under.
#include "event/copy.hpp"
#include "format/tptp/events/message_maker.hpp"

namespace polytrace::format::tptp {

using base::Id;
using base::kNoId;

namespace {

// What messages hold of a process's number; 0 is none.
std::int64_t pid_of(Id id) {
  const auto pid = static_cast<std::int64_t>(id);
  return pid == static_cast<std::int32_t>(pid) ? pid : 0;
}

}  // namespace

void MessageMaker::make(const Event& event, const event::Process& process) {
  const bool agent =
      !process.agent.empty() || !process.agent_version.empty() || !process.options.empty();
  const std::int64_t pid = event.id == kNoId ? 0 : pid_of(event.id);
  const bool itself = pid != 0 || !process.name.empty() || !process.command.empty();
  const bool node =
      !process.host.empty() || !process.address.empty() || (!process.node.empty() && !itself);
  if (!node && !itself && !agent) return lose(event);
  if (begins_anew(event)) return;
  if (node) make_node(event, process);
  if (itself) make_process(event, process, pid);
  if (agent) make_agent(event, process);
  if (pid == 0 && event.id != 0 && event.id != kNoId) draft_.lose("pid");
  // All three messages together hold these.
  for (const auto* field :
       {&process.name, &process.command, &process.node, &process.host, &process.address,
        &process.agent, &process.agent_version, &process.options})
    draft_.hold(*field);
  draft_.end(process);
}

void MessageMaker::make_node(const Event& event, const event::Process& process) {
  using F = field::Node;
  links_.node = process.node.empty() ? make_link(Link::node, process.address, process.host, 0)
                                     : std::string(process.node);
  draft_.begin<F>(*batch_, event);
  draft_.link(F::node_id, links_.node, process.node, "node");
  draft_.text(F::hostname, process.host, "host");
  draft_.text(F::ipaddress, process.address, "address");
  write();
}

void MessageMaker::make_process(const Event& event, const event::Process& process,
                                std::int64_t pid) {
  using F = field::ProcessCreate;
  draft_.begin<F>(*batch_, event);
  if (process.node.empty() ? links_.node.empty() : process.node != links_.node)
    link_node(process.node);
  links_.process = make_link(Link::process, links_.node, {}, pid);
  links_.agent.clear();  // that of another process
  draft_.link(F::process_id, links_.process);
  draft_.text(F::name, process.name, "name");
  draft_.link(F::node_id_ref, links_.node, process.node, "node");
  draft_.text(F::application_executable, process.command, "command");
  draft_.set(F::pid, pid);
  write();
}

void MessageMaker::make_agent(const Event& event, const event::Process& process) {
  using F = field::AgentCreate;
  draft_.begin<F>(*batch_, event);
  link_process();
  links_.agent = make_link(Link::agent, links_.process, process.agent, 0);
  draft_.link(F::agent_id, links_.agent);
  draft_.link(F::process_id_ref, links_.process);
  draft_.text(F::agent_name, process.agent, "agent");
  draft_.text(F::agent_parameters, process.options, "options");
  draft_.text(F::version, process.agent_version, "agent_version");
  write();
}

// --- what only links: no event tells of these ---

// The draft's message waits for this one, which has its time.
template <class F>
void MessageMaker::write_link(std::initializer_list<LinkText> ids) {
  link_.reset(*find_message(F::kId));
  link_.set_number(F::time, draft_.times().now());
  for (const auto& [attribute, id] : ids) draft_.link(link_, attribute, id);
  write(link_);
}

void MessageMaker::link_node(std::string_view told) {
  using F = field::Node;
  links_.node = told.empty() ? make_link(Link::node, {}, {}, 0) : std::string(told);
  write_link<F>({{F::node_id, links_.node}});
}

void MessageMaker::link_process() {
  using F = field::ProcessCreate;
  if (!links_.process.empty()) return;
  if (links_.node.empty()) link_node({});
  links_.process = make_link(Link::process, links_.node, {}, 0);
  write_link<F>({{F::process_id, links_.process}, {F::node_id_ref, links_.node}});
}

void MessageMaker::link_agent() {
  using F = field::AgentCreate;
  if (!links_.agent.empty()) return;
  link_process();
  links_.agent = make_link(Link::agent, links_.process, {}, 0);
  write_link<F>({{F::agent_id, links_.agent}, {F::process_id_ref, links_.process}});
}

void MessageMaker::link_trace() {
  using F = field::TraceStart;
  link_agent();
  links_.owner = links_.agent;
  links_.trace = make_link(Link::whole, links_.agent, {}, draft_.times().now());
  write_link<F>({{F::trace_id, links_.trace}, {F::agent_id_ref, links_.agent}});
}

// --- the rest of the session ---

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
  need_trace();
  draft_.link(F::trace_id_ref, links_.trace);
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
    case RecordingStage::start: return make_start(event, recording);
    case RecordingStage::end: return keep_end(event, recording);
    case RecordingStage::ready: draft_.begin<field::RuntimeInitDone>(*batch_, event); break;
    default: draft_.begin<field::RuntimeShutdown>(*batch_, event);
  }
  draft_.hold(recording.stage);
  draft_.end(recording);
  write();
}

void MessageMaker::make_start(const Event& event, const event::Recording& recording) {
  using F = field::TraceStart;
  if (begins_anew(event)) return;
  draft_.begin<F>(*batch_, event);
  link_agent();
  links_.owner = links_.agent;
  links_.trace = recording.name;
  if (links_.trace.empty())
    links_.trace = make_link(Link::trace, links_.agent, {}, draft_.message().number(F::time));
  draft_.link(F::trace_id, links_.trace, recording.name, "name");
  draft_.link(F::agent_id_ref, links_.agent);
  write();
}

// A trace ends behind all of its events, wherever its end is told: recordings tell it before what
// other threads still had to say.
void MessageMaker::keep_end(const Event& event, const event::Recording& recording) {
  if (ends_.events.size() == kMostHeld) return make_end(event, recording);
  event::copy_event(*batch_, event, ends_);
}

bool MessageMaker::release_ends() {
  const event::Batch* const before = std::exchange(batch_, &ends_);
  for (const Event& event : ends_.events) make_end(event, ends_.details<event::Recording>(event));
  batch_ = before;
  const bool any = !ends_.events.empty();
  ends_.clear();
  return any;
}

void MessageMaker::end_agent() {
  write_link<field::AgentDestroy>({{field::AgentDestroy::agent_id_ref, links_.owner}});
}

void MessageMaker::make_end(const Event& event, const event::Recording& recording) {
  using F = field::TraceEnd;
  draft_.begin<F>(*batch_, event);
  draft_.text(F::trace_id_ref, recording.name, "name");
  write();
}

void MessageMaker::make(const Event& event, const event::Note& note) {
  draft_.begin<field::Custom>(*batch_, event);
  draft_.text(field::Custom::body, note.text, "text");
  write();
}

}  // namespace polytrace::format::tptp
