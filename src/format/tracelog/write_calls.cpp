// SPDX-License-Identifier: Apache-2.0
// Calls and single allocations, which a log tells as what it knows: a call as a
// change of the thread's stack, an object as one of those of its class.
#include <algorithm>
#include <array>
#include <bit>

#include "format/tracelog/held.hpp"
#include "format/tracelog/lines/watch.hpp"
#include "format/tracelog/writer.hpp"

namespace polytrace::format::tracelog {
namespace {

using base::kNoId;
using event::Event;

// An exit ends the innermost open call of its method; further out none is
// looked for.
constexpr std::size_t kFarthest = 256;

constexpr std::size_t kMostShared = 32;  // that share a line

// Gives where the number ends. In place: most numbers have one digit or two, or
// as many as addresses have, and a library's call for each took half of the
// time.
template <unsigned base>
char* put_digits(char* at, std::uint64_t value) {
  char* end = at + 1;
  if constexpr (base == 16) end = at + (static_cast<unsigned>(std::bit_width(value | 1)) + 3) / 4;
  else
    for (std::uint64_t rest = value / base; rest != 0; rest /= base) ++end;
  for (char* to = end; to != at; value /= base) *--to = "0123456789abcdef"[value % base];
  return end;
}

// Puts together the lines of calls of one thread: what they begin with is
// spelled once, and a time once for all calls of its millisecond.
class CallLines {
 public:
  CallLines(base::Id thread, Dialect dialect) {
    std::string head;
    Line line;
    line.numbers[0] = thread;
    LinePrinter printer(head, dialect);
    printer.key(Key::sam_str);
    printer.text(" ");
    printer.field(Item::iid, line, 0);
    printer.text(" ");
    at_time_ = std::ranges::copy(head, line_.data()).out;
  }

  void set_time(std::uint64_t timestamp) {
    if (behind_time_ != nullptr && timestamp == timestamp_) return;
    timestamp_ = timestamp;
    behind_time_ = put_digits<10>(at_time_, timestamp);
    for (const char c : std::string_view(" 0 ")) *behind_time_++ = c;
  }
  // Of `before` frames `kept` stay; `pushed`, where it is not null, comes upon
  // them. Until the next one.
  std::string_view line(std::size_t kept, std::size_t before, const base::Id* pushed) {
    char* at = put_digits<10>(behind_time_, kept);
    *at++ = ':';
    at = put_digits<10>(at, before);
    if (pushed != nullptr) {
      for (const char c : std::string_view(" 0x")) *at++ = c;
      at = put_digits<16>(at, *pushed);
    }
    *at++ = '\n';
    return {line_.data(), static_cast<std::size_t>(at - line_.data())};
  }

 private:
  std::array<char, 160> line_;  // more than all numbers take at their longest
  char* at_time_ = nullptr;     // in there
  char* behind_time_ = nullptr;
  std::uint64_t timestamp_ = 0;
};

}  // namespace

// Puts the stack of the calls in force, of which `kept` frames were there
// before.
void TraceLogWriter::show_calls(const Event& event, std::size_t kept) {
  const base::Id thread = batch_->thread(event);
  const std::vector<base::Id>& calls = calls_[thread];
  Told& told = stacks_[thread];
  const std::uint64_t at = timestamp(event);
  if (!told.by_calls) {
    put_stack(thread, at, 0, frames_of_calls(thread));
    told.by_calls = true;
    return;
  }
  start_stack(thread, at, 0);
  LinePrinter& out = out_.printer();
  out.text(" "), out.dec(kept);
  out.text(":"), out.dec(told.frames.size());
  told.frames.resize(kept);
  for (std::size_t i = kept; i < calls.size(); ++i) {
    out.text(" "), out.small_iid(calls[i]);
    told.frames.push(calls[i], 0);
  }
  out.end();
}

void TraceLogWriter::tell(const Event& event, const event::Enter&) {
  const base::Id thread = batch_->thread(event);
  if (thread == kNoId) return lose(event);
  std::vector<base::Id>& calls = calls_[thread];
  if (calls.size() >= kDeepest) return lose(event);
  lost_of_calls_.see(*batch_, event);
  lose(event, true, "kind");
  calls.push_back(event.id);
  show_calls(event, calls.size() - 1);
}

// Calls that have no exit of their own end with the call around them.
void TraceLogWriter::exit(const Event& event) {
  const auto found = calls_.find(batch_->thread(event));
  if (found == calls_.end()) return lose(event);
  std::vector<base::Id>& calls = found.value();
  const auto last = calls.rbegin() + static_cast<std::ptrdiff_t>(std::min(calls.size(), kFarthest));
  const auto call = std::find(calls.rbegin(), last, event.id);
  if (call == last) return lose(event);
  lost_of_calls_.see(*batch_, event);
  lose(event, true, "kind");
  calls.erase(call.base() - 1, calls.end());
  show_calls(event, calls.size());
}

void TraceLogWriter::tell(const Event& event, const event::Leave&) { exit(event); }
void TraceLogWriter::tell(const Event& event, const event::Unwind&) { exit(event); }

// What put() does for one after the other. Nothing may be open that a call
// closes, and the log's stack is that of the calls already.
std::size_t TraceLogWriter::put_calls(std::span<const Event> events) {
  const base::Id thread = batch_->thread(events.front());
  const auto found = calls_.find(thread);
  if (!event::is_call(events.front().kind) || thread == kNoId || found == calls_.end() ||
      list_open_ || function_.open || table_.collection != kNoId || !endings_.empty())
    return 0;
  std::vector<base::Id>& calls = found.value();
  Told& told = stacks_[thread];
  if (!told.by_calls || told.frames.has_ips || told.frames.size() != calls.size()) return 0;
  CallLines lines(thread, dialect_);
  std::array<event::u64, 2> late{};  // calls whose time is not told as it is, by kind
  std::array<event::u64, 2> put{};
  const Event* event = events.data();
  for (const Event* const end = event + events.size(); event != end; ++event) {
    const auto kind =
        static_cast<unsigned>(event->kind) - static_cast<unsigned>(event::Kind::Enter);
    if (kind > 1 || event->thread != events.front().thread || event->id == kNoId) break;
    const base::Time time = shifted(*event);
    const bool enters = kind == 0;
    if (time < 0 ||
        (enters ? calls.size() >= kDeepest : calls.empty() || calls.back() != event->id))
      break;
    const base::Time timestamp = time / kMillisecond;
    now_ = timestamp * kMillisecond;
    lines.set_time(static_cast<std::uint64_t>(timestamp));
    const std::size_t before = calls.size();
    if (enters) calls.push_back(event->id), told.frames.push(event->id, 0);
    else calls.pop_back(), told.frames.resize(calls.size());
    out_.printer().text(
        lines.line(std::min(before, calls.size()), before, enters ? &event->id : nullptr));
    lost_of_calls_.see(*batch_, *event);
    late[kind] += time != now_ ? 1 : 0;
    ++put[kind];
  }
  for (unsigned kind = 0; kind < put.size(); ++kind) {
    const event::Kind of = kind == 0 ? event::Kind::Enter : event::Kind::Leave;
    if (put[kind] != 0) loss_.field(of, "kind", put[kind]);
    if (late[kind] != 0) loss_.field(of, "time", late[kind]);
  }
  return static_cast<std::size_t>(event - events.data());
}

const Frames& TraceLogWriter::frames_of_calls(base::Id thread) {
  frames_.clear();
  if (const auto found = calls_.find(thread); found != calls_.end())
    for (const base::Id method : found->second) frames_.push(method, 0);
  return frames_;
}

// The stack is the allocation's own, or that of the calls. A sampled object
// counts for all that it stands for.
void TraceLogWriter::tell(const Event& event, const event::Alloc& alloc) {
  if (alloc.stack.present() && alloc.stack.count > kDeepest) return lose(event);
  const base::Id thread = batch_->thread(event);
  count_lost_fields(loss_, event.kind, alloc);
  lose(event, true, "kind");
  const std::uint64_t at = timestamp(event);
  const bool by_calls = !alloc.stack.present();
  if (!by_calls || !stacks_[thread].by_calls)
    charge(thread, at, by_calls ? frames_of_calls(thread) : frames_of(alloc.stack));
  if (by_calls) stacks_[thread].by_calls = true;
  if (!continues_list(Key::sam_mem, event)) {
    line_ = {};
    line_.record = &record(Key::sam_mem);
    line_.numbers = {thread, at};
    print_line(out_.printer(), line_);
  }
  const std::uint64_t count = std::max<std::uint64_t>(alloc.weight, 1);
  const auto places = batch_->places(alloc.stack);
  const std::uint64_t ip = places.empty() ? 0 : places.back().ip;
  const auto same = std::ranges::find_if(
      allocated_, [&](const Allocated& one) { return one.type == event.id && one.ip == ip; });
  if (same == allocated_.end()) allocated_.push_back({event.id, ip, count, count * alloc.size});
  else same->count += count, same->bytes += count * alloc.size;
  if (allocated_.size() >= kMostShared) put_allocated();
}

void TraceLogWriter::put_allocated() {
  LinePrinter& out = out_.printer();
  for (const Allocated& one : allocated_) {
    out.text(" "), out.small_iid(one.type);
    out.text(":"), out.dec(one.count);
    out.text(":"), out.dec(one.bytes);
    if (one.ip != 0) out.text(":"), out.ip(one.ip);
  }
  allocated_.clear();
}

}  // namespace polytrace::format::tracelog
