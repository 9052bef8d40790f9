// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/read/event_reader.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"

namespace polytrace::format::monoblock {

using base::Code;
using base::Id;
using event::Kind;

void EventReader::read_all() {
  while (in_.ok() && !ended_ && !in_.done()) {
    if (stack_.counts() == nullptr) read_calls();
    if (in_.done()) break;
    if (file_.shipped()) read_shipped_event();
    else read_event();
  }
  if (file_.shipped() && !ended_) in_.fault(Code::field_past_end);
}

void EventReader::read_calls() {
  constexpr std::size_t kRoom = 1024;
  CallRun run{in_.at(), in_.end(), time_, thread_, nullptr, {}};
  for (bool full = true; full;) {
    run.top = stack_.top(kRoom + 1);
    run.tally = {};
    event::Event* out = batch_.events.room(kRoom);
    const event::Event* end = decode_calls(run, out, out + kRoom, file_.shipped());
    stack_.set_top(run.top);
    full = out + kRoom - end < kCallsAtOnce;
    if (end == out) break;
    // Each time is told in seven bytes at most: all of them cannot go round and come out later.
    const auto counts = run.tally.counts();
    if (out->time <= end[-1].time) batch_.events.grew_by_calls(end, {counts[0], counts[1], 0});
    else batch_.events.grew_to(end);
    run.tally.add_to(batch_.tally);
  }
  in_.move_to(run.at);
  time_ = run.time;
  account_.take();
}

Id EventReader::wide(unsigned low, unsigned bits) {
  const std::uint64_t high = number(in_);
  if (high >> (64 - bits) != 0) in_.fault(Code::number_too_long);
  return low | high << bits;
}

void EventReader::read_event() {
  const std::uint8_t first = in_.byte();
  switch (first & 3U) {
    case 0: return read_enter(wide(first >> 2, 6));
    case 1: return read_leave(wide(first >> 2, 6));
    case 2: return read_alloc(wide(first >> 3, 5), (first & 4U) != 0);
    default: return read_further(first >> 2);
  }
}

void EventReader::read_enter(Id method) {
  pass_time();
  if (!in_.ok()) return;
  batch_.add_plain(now(), thread_, method, Kind::Enter);
  stack_.enter(method);
  account_.record(Record::enter);
}

void EventReader::read_leave(Id method) {
  pass_time();
  if (!in_.ok()) return;
  batch_.add_plain(now(), thread_, method, Kind::Leave);
  stack_.keep(stack_.find({method, 0}));
  account_.record(Record::leave);
}

void EventReader::read_alloc(Id class_id, bool variable) {
  event::Alloc alloc;
  alloc.size = variable ? number(in_) : sizes_.of(class_id, state_);
  if (!variable && alloc.size == 0) in_.fault(Code::value_unexpected);
  add(class_id, alloc);
  if (in_.ok()) account_.record(variable ? Record::alloc_variable : Record::alloc_fixed);
}

void EventReader::read_further(unsigned code) {
  const std::uint64_t start = in_.offset() - 1;
  const FurtherEvent& further = further_event(code);
  if (further.name.empty()) return skip(code, start);
  if (code == 0) return read_last_exit();
  const EventLayout layout = layout_of(code);
  const std::uint64_t main = number(in_);
  std::uint64_t second = 0;
  if (layout == EventLayout::main_second) second = number(in_);
  else pass_time();
  if (layout == EventLayout::main_delta_extra) second = number(in_);
  tell(further, main, second);
  finish(code);
}

void EventReader::read_last_exit() {
  pass_time();
  if (stack_.empty()) in_.fault(Code::value_unexpected);
  if (!in_.ok()) return;
  batch_.add_plain(now(), thread_, stack_.innermost(), Kind::Leave);
  stack_.keep(stack_.depth() - 1);
  finish(0);
}

void EventReader::skip(unsigned code, std::uint64_t start) {
  const EventLayout layout = layout_of(code);
  const std::uint64_t main = number(in_);
  if (layout == EventLayout::bytes) in_.bytes(main);
  else if (layout == EventLayout::main_second) number(in_);
  else pass_time();
  if (layout == EventLayout::main_delta_extra) number(in_);
  if (in_.ok())
    batch_.notices.add(Code::code_unknown, {.offset = start}, account_.take(),
                       fmt::format("event code {}", code));
}

void EventReader::tell(const FurtherEvent& further, std::uint64_t main, std::uint64_t second) {
  constexpr unsigned kGenerationBits = 8;
  switch (further.kind) {
    case Kind::Jit: return add(main, event::Jit{.stage = event::JitStage{further.what}});
    case Kind::ClassLoad:
      return add(main, event::ClassLoad{.stage = event::LoadStage{further.what}});
    case Kind::Throw: return add(base::kNoId, event::Throw{.class_id = main, .stack = {}});
    case Kind::Thread: {
      event::Thread thread;
      thread.life = event::Life{further.what};
      return add(main, thread);
    }
    case Kind::Gc: {
      event::Gc gc{.phase = event::GcPhase{further.what}};
      gc.generation = static_cast<std::uint8_t>(main);
      return add(main >> kGenerationBits, gc);
    }
    case Kind::HeapSize: {
      event::HeapSize heap;
      heap.total = main;
      heap.collection = second;
      return add(base::kNoId, heap);
    }
    case Kind::Monitor: {
      event::Monitor monitor{.stage = event::MonitorStage{further.what}};
      monitor.class_id = main;
      return add(second, monitor);
    }
    default: {
      event::Alloc alloc = shipped_alloc(second);
      alloc.in_jit = 1;
      return add(main, alloc);
    }
  }
}

// --- the shipped variants ---

void EventReader::read_shipped_event() {
  const std::uint8_t first = in_.byte();
  switch (first & 7U) {
    case 0:
      ended_ = first == 0;
      if (!ended_) in_.fault(Code::value_unexpected);
      else account_.framing();
      return;
    case 1: return read_enter(wide(first >> 3, 5));
    case 3: return read_leave(wide(first >> 3, 5));
    case 4: return read_shipped_alloc(wide(first >> 3, 5));
    case 5:
    case 6:
    case 7: return read_shipped_further(first);
    default: return in_.fault(Code::value_unexpected);
  }
}

void EventReader::read_shipped_further(std::uint8_t first) {
  constexpr unsigned kStackSection = 9;
  if ((first & 7U) == 7 && (first >> 3 & 0xfU) == kStackSection) return read_stack_section();
  const auto event = shipped_event(first);
  if (!event) return in_.fault(Code::value_unexpected);
  auto code = static_cast<unsigned>(*event);
  const std::uint64_t main = number(in_);
  std::uint64_t second = 0;
  const EventLayout layout = layout_of(code);
  if (layout == EventLayout::main_second) second = number(in_);
  else pass_time();
  if (layout == EventLayout::main_delta_extra) {
    const std::uint64_t stage = number(in_);
    if (stage < 1 || stage > 3) return in_.fault(Code::value_unexpected);
    code += static_cast<unsigned>(stage) - 1;
    second = number(in_);
  }
  tell(further_event(code), main, second);
  finish(code);
}

void EventReader::read_shipped_alloc(Id class_id) {
  const std::uint64_t size = number(in_);
  add(class_id, shipped_alloc(size));
  if (in_.ok()) account_.record(Record::alloc_variable);
}

// With what the directives put behind the size; nothing in the review's variant.
event::Alloc EventReader::shipped_alloc(std::uint64_t size) {
  event::Alloc alloc;
  alloc.size = size;
  if (!file_.shipped()) return alloc;
  alloc.stack = section_;
  if (state_.has(Directive::allocations_carry_caller)) {
    const Id caller = number(in_);
    if (caller != 0 && !section_.present()) {
      alloc.stack.first = static_cast<std::uint32_t>(batch_.frames.size());
      alloc.stack.count = 1;
      batch_.frames.push_back(caller);
    }
  }
  if (state_.has(Directive::allocations_carry_object)) alloc.object = number(in_);
  return alloc;
}

// The outermost frames that are still valid stay; the others stand here, innermost first.
void EventReader::read_stack_section() {
  const std::uint64_t valid = number(in_);
  const std::uint64_t count = number(in_);
  if (!in_.fits(count, 1)) return;
  if (valid > section_.count) return in_.fault(Code::value_unexpected);
  if (valid + count > frames_left_) return in_.fault(Code::limit_exceeded);
  frames_left_ -= valid + count;
  auto& frames = batch_.frames;
  const std::size_t first = frames.size();
  frames.resize(first + valid + count);
  if (valid > 0)
    std::copy_n(frames.begin() + section_.first, valid,
                frames.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::uint64_t i = count; i > 0; --i) frames[first + valid + i - 1] = number(in_) >> 1;
  if (!in_.ok()) return;
  section_.first = static_cast<std::uint32_t>(first);
  section_.count = static_cast<std::uint32_t>(valid + count);
  account_.record(Record::stack_section);
}

}  // namespace polytrace::format::monoblock
