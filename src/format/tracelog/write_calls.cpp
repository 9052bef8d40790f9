// SPDX-License-Identifier: Apache-2.0
// Calls and single allocations, which a log tells as what it knows: a call as a change of the
// thread's stack, an object as one of those of its class.
#include <algorithm>

#include "format/tracelog/held.hpp"
#include "format/tracelog/lines/watch.hpp"
#include "format/tracelog/writer.hpp"

namespace polytrace::format::tracelog {
namespace {

using base::kNoId;
using event::Event;

// An exit ends the innermost open call of its method; further out none is looked for.
constexpr std::size_t kFarthest = 256;

constexpr std::size_t kMostShared = 32;  // that share a line

}  // namespace

// Puts the stack of the calls in force, of which `kept` frames were there before.
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

void TraceLogWriter::tell(const Event& event, const event::Enter& enter) {
  const base::Id thread = batch_->thread(event);
  if (thread == kNoId) return lose(event);
  std::vector<base::Id>& calls = calls_[thread];
  if (calls.size() >= kDeepest) return lose(event);
  count_lost_fields(loss_, event.kind, enter);
  lose(event, true, "kind");
  calls.push_back(event.id);
  show_calls(event, calls.size() - 1);
}

// Calls that have no exit of their own end with the call around them.
template <class T>
void TraceLogWriter::exit(const Event& event, const T& details) {
  const auto found = calls_.find(batch_->thread(event));
  if (found == calls_.end()) return lose(event);
  std::vector<base::Id>& calls = found.value();
  const auto last = calls.rbegin() + static_cast<std::ptrdiff_t>(std::min(calls.size(), kFarthest));
  const auto call = std::find(calls.rbegin(), last, event.id);
  if (call == last) return lose(event);
  count_lost_fields(loss_, event.kind, details);
  lose(event, true, "kind");
  calls.erase(call.base() - 1, calls.end());
  show_calls(event, calls.size());
}

void TraceLogWriter::tell(const Event& event, const event::Leave& leave) { exit(event, leave); }
void TraceLogWriter::tell(const Event& event, const event::Unwind& unwind) { exit(event, unwind); }

const Frames& TraceLogWriter::frames_of_calls(base::Id thread) {
  frames_.clear();
  if (const auto found = calls_.find(thread); found != calls_.end())
    for (const base::Id method : found->second) frames_.push(method, 0);
  return frames_;
}

// The stack is the allocation's own, or that of the calls. A sampled object counts for all that it
// stands for.
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
