// SPDX-License-Identifier: Apache-2.0
// EVENTS blocks.
#include "base/io/digit_groups.hpp"
#include "format/monoblock/layout/records.hpp"
#include "format/monoblock/write/writer.hpp"

namespace polytrace::format::monoblock {
namespace {

using base::Id;
using event::Event;
using event::Kind;

constexpr std::uint8_t kExitOfInnermost = 3;
constexpr unsigned kMethodBits = 6;  // of the method, in the first byte

template <class E>
std::uint8_t number_of(E what) {
  return static_cast<std::uint8_t>(what);
}

}  // namespace

// Events without a time of their own belong to the moment of the one before:
// where that is another one, a new block says it.
void BlockFileWriter::open_events(const Event& event, bool timed) {
  const Id thread = batch_->thread(event);
  const std::uint64_t counter = counter_of(event);
  if (out_.in(BlockCode::events) && thread_ == thread && !out_.full() &&
      (timed ? event.time >= static_cast<event::Time>(time_) : counter == time_))
    return;
  close_block();
  put_pending_clock();
  out_.open(BlockCode::events, counter);
  out_.number(counter);
  out_.number(told(thread));
  out_.number(counter);
  thread_ = thread;
  time_ = counter;
  stack_.clear();
}

void BlockFileWriter::put_delta(const Event& event) {
  out_.number(counter_of(event) - time_);
  time_ = counter_of(event);
}

// `low` are the low bits of the first byte, the number has the others.
void BlockFileWriter::put_wide(unsigned low, unsigned bits, std::uint64_t number) {
  const unsigned shift = 8 - bits;
  out_.content().byte(static_cast<std::uint8_t>(low | number << shift));
  out_.number(number >> bits);
}

void BlockFileWriter::put_call(const Event& event, bool enters) {
  open_events(event, true);
  const std::size_t before = out_.content().size();
  std::byte* const begin = out_.content().extend(1 + 2 * kMostNumberBytes);
  std::byte* at = begin;
  const Id method = told(event.id);
  const bool is_last =
      !enters && !stack_.empty() && (event.id == base::kNoId || stack_.innermost() == method);
  if (is_last) {
    *at++ = std::byte{kExitOfInnermost};
    stack_.keep(stack_.depth() - 1);
  } else {
    if (event.id == base::kNoId) lose_field(event, "method");  // becomes 0
    *at++ = static_cast<std::byte>((enters ? 0U : 1U) | method << (8 - kMethodBits));
    at = put_number(at, method >> kMethodBits);
    if (enters) stack_.enter(method);
    else stack_.keep(stack_.find({method, 0}));
  }
  at = put_number(at, counter_of(event) - time_);
  time_ = counter_of(event);
  out_.content().shrink(before + static_cast<std::size_t>(at - begin));
}

// As put_call(). Each number is put together in a register and stored as eight
// bytes; whether an event enters or leaves decides no branch, as nothing could
// guess it.
template <class Way>
[[gnu::always_inline]] inline std::size_t BlockFileWriter::put_calls_by(
    std::span<const Event> events) {
  constexpr std::size_t kLeast = 2;  // bytes of a call
  constexpr std::size_t kMost = 1 + 2 * sizeof(std::uint64_t);
  const std::size_t before = out_.size();
  const std::size_t room = out_.room();
  const std::size_t most = std::min(events.size(), room / kLeast + 1);
  std::byte* const begin = out_.content().extend(room + kMost);
  const std::byte* const stop = begin + room;
  std::byte* at = begin;
  base::Id* top = stack_.top(most) - 1;  // the innermost call; below the outermost stands none
  std::uint64_t time = time_;
  const std::uint16_t thread = events.front().thread;
  const Event* event = events.data();
  const auto put = [&at](std::uint64_t number, unsigned bytes) __attribute__((always_inline)) {
    const unsigned last = (8 * bytes + 56) % 64;  // of no bytes: nothing of the word will stay
    const std::uint64_t word = Way::spread(number) | std::uint64_t{0x80} << last;
    std::memcpy(at, &word, sizeof word);
    at += bytes;
  };
  for (const Event* const end = event + most; event != end && at < stop; ++event) {
    const auto kind = static_cast<unsigned>(event->kind) - static_cast<unsigned>(Kind::Enter);
    if (kind > 1 || event->thread != thread || event->id == base::kNoId) break;
    const std::uint64_t leaves = kind;
    const base::Id method = event->id;
    const std::uint64_t upper = method >> kMethodBits;
    const std::uint64_t delta = counter_of(*event) - time;
    top[1] = method;
    // An exit that is not that of the innermost call is named.
    if (event->time < static_cast<event::Time>(time) || *(top + 1 - leaves) != method) break;
    if (((upper | delta) & ~base::kMostSpread) != 0) break;
    const std::uint64_t named = leaves - 1;  // all bits, or none
    *at++ =
        static_cast<std::byte>((method << (8 - kMethodBits) & named) | (kExitOfInnermost & ~named));
    put(upper, base::digit_bytes(upper) & static_cast<unsigned>(named));
    put(delta, base::digit_bytes(delta));
    top += 1 - 2 * static_cast<std::ptrdiff_t>(leaves);
    time += delta;
  }
  out_.content().shrink(before + static_cast<std::size_t>(at - begin));
  stack_.set_top(top + 1);
  time_ = time;
  return static_cast<std::size_t>(event - events.data());
}

std::size_t BlockFileWriter::put_calls(std::span<const Event> events) {
  if (!event::is_call(events.front().kind) || !out_.in(BlockCode::events) || out_.full() ||
      stack_.counts() != nullptr || batch_->thread(events.front()) != thread_)
    return 0;
  const std::size_t count = base::with_digits(
      base::fastest_digits(),
      [&](auto way) __attribute__((always_inline)) { return put_calls_by<decltype(way)>(events); });
  if (count == 0) return 0;
  ended_ = false;
  last_time_ = std::max(last_time_,
                        events[count - 1].time);  // none is earlier than the one before
  for (const Event& event : events.first(count)) lost_of_calls_.see(*batch_, event);
  return count;
}

void BlockFileWriter::put_details(const Event& event, const event::Enter&) {
  put_call(event, true);
}

void BlockFileWriter::put_details(const Event& event, const event::Leave&) {
  put_call(event, false);
}

void BlockFileWriter::put_details(const Event& event, const event::Unwind&) {
  lose_field(event, "kind");
  put_details(event, event::Leave{});
}

void BlockFileWriter::put_details(const Event& event, const event::Alloc& alloc) {
  const Id class_id = told(event.id);
  if (alloc.in_jit > 1) lose_field(event, "in_jit");
  if (alloc.in_jit != 0) {
    put_further(event, 0, class_id, alloc.size);
    return;
  }
  open_events(event, false);
  const auto known = fixed_sizes_.find(class_id);
  const bool fixed = alloc.size != 0 && known != fixed_sizes_.end() && known->second == alloc.size;
  put_wide(fixed ? 2 : 6, 5, class_id);
  if (!fixed) out_.number(alloc.size);
}

bool BlockFileWriter::put_further(const Event& event, std::uint8_t what, std::uint64_t main,
                                  std::uint64_t second) {
  const FurtherEvent* further = find_further_event(event.kind, what);
  if (further == nullptr) return lose(event), false;
  const auto code = static_cast<unsigned>(further->code);
  const EventLayout layout = layout_of(code);
  open_events(event, layout != EventLayout::main_second);
  out_.content().byte(static_cast<std::uint8_t>(code << 2 | 3));
  out_.number(main);
  if (layout == EventLayout::main_second) out_.number(second);
  else put_delta(event);
  if (layout == EventLayout::main_delta_extra) out_.number(second);
  return true;
}

void BlockFileWriter::put_details(const Event& event, const event::Jit& jit) {
  put_further(event, number_of(jit.stage), told(event.id), 0);
}

void BlockFileWriter::put_details(const Event& event, const event::ClassLoad& load) {
  put_further(event, number_of(load.stage), told(event.id), 0);
}

void BlockFileWriter::put_details(const Event& event, const event::Throw& details) {
  if (put_further(event, 0, told(details.class_id), 0)) lose_subject(event);
}

void BlockFileWriter::put_details(const Event& event, const event::Thread& thread) {
  put_further(event, number_of(thread.life), told(event.id), 0);
}

void BlockFileWriter::put_details(const Event& event, const event::Gc& gc) {
  constexpr unsigned kGenerationBits = 8;
  constexpr std::uint32_t kLastGeneration = 0xff;
  const std::uint64_t collection = told(event.id);
  if (collection >> (64 - kGenerationBits) != 0) return lose(event);
  const std::uint32_t generation = gc.generation == event::kAbsent ? 0 : gc.generation;
  if (!put_further(event, number_of(gc.phase),
                   collection << kGenerationBits | (generation & kLastGeneration), 0))
    return;
  if (generation > kLastGeneration) lose_field(event, "generation");
}

void BlockFileWriter::put_details(const Event& event, const event::HeapSize& heap) {
  if (!heap.generation.empty()) return lose(event);
  put_further(event, 0, heap.total, told(heap.collection));
}

void BlockFileWriter::put_details(const Event& event, const event::Monitor& monitor) {
  put_further(event, number_of(monitor.stage), told(monitor.class_id), told(event.id));
}

}  // namespace polytrace::format::monoblock
