// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/events/event_maker.hpp"

#include <xxhash.h>

#include <algorithm>

namespace polytrace::format::tptp {

using base::Id;
using base::kNoId;
using base::Time;
using event::u32;
using event::u64;

namespace {

// Where no thread is told.
constexpr std::int64_t kNoThread = 0;

u32 to_line(std::int64_t line) {
  return line > 0 && line < event::kAbsent ? static_cast<u32>(line) : 0;
}

u64 to_count(std::int64_t count) { return count < 0 ? 0 : static_cast<u64>(count); }

base::Duration from_milliseconds(std::int64_t timeout) {
  constexpr base::Duration kMillisecond = 1'000'000;
  return std::clamp(timeout, INT64_MIN / kMillisecond, INT64_MAX / kMillisecond) * kMillisecond;
}

}  // namespace

Id frame_method_id(std::string_view name) {
  // Beyond the ids that profilers count up or take from addresses.
  return XXH3_64bits(name.data(), name.size()) | Id{1} << 63;
}

std::uint16_t EventMaker::slot(std::int64_t thread) { return batch_.thread_slot(id_of(thread)); }

void EventMaker::tell_clock(Time now, bool wall, std::int64_t ticks_per_second) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  event::Clock clock;
  if (wall) clock.wall = now;
  clock.ticks_per_second = to_count(ticks_per_second);
  if (ticks_per_second > 0)
    clock.resolution = std::max<base::Duration>(1, kSecond / ticks_per_second);
  batch_.add(now, slot(kNoThread), kNoId, clock);
}

void EventMaker::tell(const Message& message, Time now) {
  const std::uint16_t id = message.id();
  if (id <= field::Option::kId) return tell_session(message, now);
  if (id <= field::MethodDef::kId) return tell_definition(message, now);
  if (id == field::MethodEntry::kId || id == field::MethodExit::kId) return tell_call(message, now);
  if (id == field::AgMethodEntry::kId || id == field::AgMethodExit::kId)
    return tell_call(message, now);
  if (id <= field::GcFinish::kId) return tell_memory(message, now);
  if (id <= field::RuntimeShutdown::kId) return tell_session(message, now);
  if (id <= field::MonContendedEntered::kId) return tell_monitor(message, now);
  if (id <= field::ObjRef::kId) return tell_heap(message, now);
  tell_registered(message, now);
}

void EventMaker::tell_session(const Message& message, Time now) {
  using event::RecordingStage;
  const std::uint16_t none = slot(kNoThread);
  switch (message.id()) {
    case field::Node::kId:
    case field::ProcessCreate::kId:
    case field::AgentCreate::kId: return tell_process(message, now);
    // Messages under it have ended: the end of their trace told that.
    case field::AgentDestroy::kId: return;
    case field::TraceStart::kId:
      if (is_made_link(Link::whole, message.text(field::TraceStart::trace_id))) return;
      return batch_.add(
          now, none, kNoId,
          event::Recording{RecordingStage::start,
                           keep_told(Link::trace, message, field::TraceStart::trace_id)});
    case field::TraceEnd::kId:
      return batch_.add(
          now, none, kNoId,
          event::Recording{RecordingStage::end, keep(message, field::TraceEnd::trace_id_ref)});
    case field::Filter::kId:
      using F = field::Filter;
      return batch_.add(
          now, none, kNoId,
          event::FilterRule{keep(message, F::pattern), keep(message, F::generic_pattern),
                            keep(message, F::mode), keep(message, F::method_pattern),
                            keep(message, F::method_generic_pattern),
                            keep(message, F::method_mode)});
    case field::Option::kId:
      return batch_.add(
          now, none, kNoId,
          event::Setting{keep(message, field::Option::key), keep(message, field::Option::value)});
    case field::RuntimeInitDone::kId:
      return batch_.add(now, slot(message.number(field::RuntimeInitDone::thread_id_ref)), kNoId,
                        event::Recording{RecordingStage::ready, {}});
    default:
      return batch_.add(now, slot(message.number(field::RuntimeShutdown::thread_id_ref)), kNoId,
                        event::Recording{RecordingStage::shutdown, {}});
  }
}

// Messages that only link say nothing of a process.
void EventMaker::tell_process(const Message& message, Time now) {
  event::Process process;
  bool links = false;
  Id pid = kNoId;
  if (message.id() == field::Node::kId) {
    using F = field::Node;
    process.node = keep_told(Link::node, message, F::node_id);
    process.host = keep(message, F::hostname);
    process.address = keep(message, F::ipaddress);
    links = is_made_link(Link::node, message.text(F::node_id)) && process.host.empty() &&
            process.address.empty();
  } else if (message.id() == field::ProcessCreate::kId) {
    using F = field::ProcessCreate;
    process.name = keep(message, F::name);
    process.command = keep(message, F::application_executable);
    process.node = keep_told(Link::node, message, F::node_id_ref);
    pid = id_of(message.number(F::pid));
    links = is_made_link(Link::process, message.text(F::process_id)) && pid == kNoId &&
            process.name.empty() && process.command.empty();
  } else {
    using F = field::AgentCreate;
    process.agent = keep(message, F::agent_name);
    process.agent_version = keep(message, F::version);
    process.options = keep(message, F::agent_parameters);
    links = is_made_link(Link::agent, message.text(F::agent_id)) && process.agent.empty() &&
            process.agent_version.empty() && process.options.empty();
  }
  if (!links) batch_.add(now, slot(kNoThread), pid, process);
}

void EventMaker::tell_definition(const Message& message, Time now) {
  event::Thread thread;
  switch (message.id()) {
    case field::ThreadStart::kId: {
      using F = field::ThreadStart;
      thread.name = keep(message, F::thread_name);
      thread.group = keep(message, F::group_name);
      thread.parent_group = keep(message, F::parent_name);
      thread.object = id_of(message.number(F::obj_id_ref));
      const std::int64_t id = message.number(F::thread_id);
      return batch_.add(now, slot(id), static_cast<Id>(id), thread);
    }
    case field::ThreadEnd::kId: {
      thread.life = event::Life::end;
      const std::int64_t id = message.number(field::ThreadEnd::thread_id_ref);
      return batch_.add(now, slot(id), static_cast<Id>(id), thread);
    }
    case field::ClassDef::kId: return tell_class(message, now);
    default: return tell_method(message, now);
  }
}

void EventMaker::tell_class(const Message& message, Time now) {
  using F = field::ClassDef;
  event::Class details;
  details.name = keep(message, F::name);
  details.super = keep(message, F::superclass);
  details.interfaces = keep(message, F::interface_names);
  details.source = keep(message, F::source_name);
  details.loader = keep(message, F::class_loader);
  batch_.add(now, slot(message.number(F::thread_id_ref)),
             static_cast<Id>(message.number(F::class_id)), details);
}

void EventMaker::tell_method(const Message& message, Time now) {
  using F = field::MethodDef;
  event::Method details;
  details.name = keep(message, F::name);
  details.class_id = id_of(message.number(F::class_id_ref));
  details.signature = keep(message, F::signature);
  details.first_line = to_line(message.number(F::start_line_number));
  details.last_line = to_line(message.number(F::end_line_number));
  const auto flag = [&](unsigned attribute, MethodFlag bit) {
    if (message.number(attribute) != 0) details.flags |= static_cast<u32>(bit);
  };
  flag(F::is_native, MethodFlag::is_native);
  flag(F::is_abstract, MethodFlag::is_abstract);
  flag(F::is_static, MethodFlag::is_static);
  flag(F::is_synchronized, MethodFlag::is_synchronized);
  batch_.add(now, slot(kNoThread), static_cast<Id>(message.number(F::method_id)), details);
}

void EventMaker::tell_call(const Message& message, Time now) {
  switch (message.id()) {
    case field::MethodEntry::kId: {
      using F = field::MethodEntry;
      event::Enter call;
      call.ticket = static_cast<u64>(message.number(F::ticket));
      call.depth = static_cast<u64>(message.number(F::stack_depth));
      call.cpu = message.number(F::thread_cpu_time);
      call.object = id_of(message.number(F::transient_obj_id_ref));
      call.class_id = id_of(message.number(F::class_id_ref));
      return batch_.add(now, slot(message.number(F::thread_id_ref)),
                        static_cast<Id>(message.number(F::method_id_ref)), call);
    }
    case field::MethodExit::kId: {
      using F = field::MethodExit;
      event::Leave call;
      call.ticket = static_cast<u64>(message.number(F::ticket));
      call.cpu = message.number(F::thread_cpu_time);
      call.object = id_of(message.number(F::obj_id_ref));
      if (call.object == kNoId) call.object = id_of(message.number(F::transient_obj_id_ref));
      call.class_id = id_of(message.number(F::class_id_ref));
      if (call.class_id == kNoId) call.class_id = id_of(message.number(F::transient_class_id_ref));
      return batch_.add(now, slot(message.number(F::thread_id_ref)),
                        id_of(message.number(F::method_id_ref)), call);
    }
    case field::AgMethodEntry::kId: {
      using F = field::AgMethodEntry;
      const event::SummaryBegin summary{to_count(message.number(F::num_calls)),
                                        message.number(F::base_time),
                                        message.number(F::min_time),
                                        message.number(F::max_time),
                                        message.number(F::base_cpu_time),
                                        kNoId};
      return batch_.add(now, slot(message.number(F::thread_id_ref)),
                        static_cast<Id>(message.number(F::method_id_ref)), summary);
    }
    default:
      using F = field::AgMethodExit;
      return batch_.add_plain(now, slot(message.number(F::thread_id_ref)),
                              static_cast<Id>(message.number(F::method_id_ref)),
                              event::Kind::SummaryEnd);
  }
}

void EventMaker::tell_memory(const Message& message, Time now) {
  event::Gc gc;
  switch (message.id()) {
    case field::ObjAlloc::kId: return tell_alloc(message, now);
    case field::ObjFree::kId: {
      using F = field::ObjFree;
      std::int64_t object = message.number(F::obj_id_ref);
      if (object == 0) object = message.number(F::transient_obj_id_ref);
      return batch_.add(now, slot(message.number(F::thread_id_ref)), static_cast<Id>(object),
                        event::Free{to_count(message.number(F::obj_age))});
    }
    case field::GcStart::kId:
      return batch_.add(now, slot(message.number(field::GcStart::thread_id_ref)), kNoId, gc);
    default: break;
  }
  using F = field::GcFinish;
  const std::uint16_t thread = slot(message.number(F::thread_id_ref));
  gc.phase = event::GcPhase::end;
  batch_.add(now, thread, kNoId, gc);
  const event::HeapSize size{to_count(message.number(F::total_obj_space)),
                             to_count(message.number(F::used_obj_space)),
                             to_count(message.number(F::used_objects)),
                             {}};
  if (size.total != 0 || size.used != 0 || size.objects != 0) batch_.add(now, thread, kNoId, size);
}

void EventMaker::tell_alloc(const Message& message, Time now) {
  using F = field::ObjAlloc;
  event::Alloc alloc;
  alloc.object = id_of(message.number(F::obj_id));
  if (alloc.object == kNoId) alloc.object = id_of(message.number(F::transient_obj_id));
  alloc.size = to_count(message.number(F::size));
  alloc.array = static_cast<event::u8>(message.number(F::is_array));
  if (const std::int64_t method = message.number(F::method_id_ref); method != 0) {
    alloc.stack.first = static_cast<u32>(batch_.frames.size());
    alloc.stack.count = 1;
    batch_.frames.push_back(static_cast<Id>(method));
    if (const std::int64_t line = message.number(F::line_number); line > 0) {
      alloc.stack.places = static_cast<u32>(batch_.column<event::FramePlace>().size());
      batch_.column<event::FramePlace>().push_back({-1, line, 0});
    }
  }
  std::int64_t type = message.number(F::class_id_ref);
  if (type == 0) type = message.number(F::transient_class_id_ref);
  batch_.add(now, slot(message.number(F::thread_id_ref)), static_cast<Id>(type), alloc);
}

void EventMaker::tell_monitor(const Message& message, Time now) {
  // The first three attributes of all four are the same.
  using F = field::MonWait;
  const std::uint16_t thread = slot(message.number(F::thread_id_ref));
  const auto object = static_cast<Id>(message.number(F::obj_id_ref));
  if (message.id() == field::MonWait::kId || message.id() == field::MonWaited::kId) {
    event::Wait wait;
    wait.stage = message.id() == F::kId ? event::WaitStage::start : event::WaitStage::end;
    wait.timeout = from_milliseconds(message.number(F::timeout));
    wait.stack = stack_of(message, F::stack_methods, F::stack_lines, now);
    return batch_.add(now, thread, object, wait);
  }
  event::Monitor monitor;
  if (message.id() == field::MonContendedEnter::kId) {
    using E = field::MonContendedEnter;
    monitor.stage = event::MonitorStage::contended;
    monitor.owner = id_of(message.number(E::thread_owner_id_ref));
    monitor.stack = stack_of(message, E::stack_methods, E::stack_lines, now);
  } else {
    using E = field::MonContendedEntered;
    monitor.stage = event::MonitorStage::acquired;
    monitor.stack = stack_of(message, E::stack_methods, E::stack_lines, now);
  }
  batch_.add(now, thread, object, monitor);
}

// Messages have the innermost frame first, events have it last.
event::Stack EventMaker::stack_of(const Message& message, unsigned methods, unsigned lines,
                                  Time now) {
  event::Stack stack;
  const auto names = message.texts(methods);
  if (names.empty()) return stack;
  // Once per message and not per batch: what a batch holds depends on how the input came.
  frame_methods_.clear();
  for (const std::string_view name : names) method_of_frame(name, now);
  auto& places = batch_.column<event::FramePlace>();
  stack.first = static_cast<u32>(batch_.frames.size());
  stack.count = static_cast<u32>(names.size());
  stack.places = static_cast<u32>(places.size());
  const auto numbers = message.numbers(lines);
  for (std::size_t i = names.size(); i-- > 0;) {
    batch_.frames.push_back(frame_method_id(names[i]));
    const std::int64_t line = i < numbers.size() ? numbers[i] : 0;
    places.push_back({-1, line > 0 ? line : -1, 0});
  }
  return stack;
}

Id EventMaker::method_of_frame(std::string_view name, Time now) {
  const Id id = frame_method_id(name);
  if (!frame_methods_.insert(id).second) return id;
  event::Method method;
  method.name = batch_.keep(name);
  batch_.add(now, slot(kNoThread), id, method);
  return id;
}

void EventMaker::tell_heap(const Message& message, Time now) {
  const std::uint16_t none = slot(kNoThread);
  if (message.id() == field::HdStart::kId) {
    using F = field::HdStart;
    return batch_.add(now, none, static_cast<Id>(message.number(F::heap_dump_id)),
                      event::Dump{event::DumpStage::start, keep(message, F::name)});
  }
  if (message.id() == field::GcRoot::kId) {
    using F = field::GcRoot;
    event::Root root;
    root.type = keep(message, F::type);
    root.class_id = id_of(message.number(F::class_id_ref));
    return batch_.add(now, none, static_cast<Id>(message.number(F::obj_id_ref)), root);
  }
  using F = field::ObjRef;
  event::DumpObject object;
  object.refs.first = static_cast<u32>(batch_.column<event::Ref>().size());
  object.refs.count = 1;
  batch_.column<event::Ref>().push_back({static_cast<Id>(message.number(F::tar_id_ref)), 0});
  batch_.add(now, none, static_cast<Id>(message.number(F::src_id_ref)), object);
}

void EventMaker::tell_registered(const Message& message, Time now) {
  if (message.id() == field::Custom::kId)
    return batch_.add(now, slot(kNoThread), kNoId, event::Note{keep(message, field::Custom::body)});
  if (message.info().handler != nullptr) return (*message.info().handler)(message, now, batch_);
  batch_.add(now, slot(kNoThread), kNoId, event::Note{batch_.keep(to_text(message))});
}

}  // namespace polytrace::format::tptp
