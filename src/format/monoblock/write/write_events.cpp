// SPDX-License-Identifier: Apache-2.0
// EVENTS blocks.
#include "format/monoblock/layout/records.hpp"
#include "format/monoblock/write/writer.hpp"

namespace polytrace::format::monoblock {
namespace {

using base::Id;
using event::Event;

template <class E>
std::uint8_t number_of(E what) {
  return static_cast<std::uint8_t>(what);
}

}  // namespace

// Events without a time of their own belong to the moment of the one before: where that is another
// one, a new block says it.
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
  constexpr unsigned kBits = 6;  // of the method, in the first byte
  constexpr std::byte kLastExit{3};
  open_events(event, true);
  const std::size_t before = out_.content().size();
  std::byte* const begin = out_.content().extend(1 + 2 * kMostNumberBytes);
  std::byte* at = begin;
  const Id method = told(event.id);
  const bool is_last =
      !enters && !stack_.empty() && (event.id == base::kNoId || stack_.innermost() == method);
  if (is_last) {
    *at++ = kLastExit;
    stack_.keep(stack_.depth() - 1);
  } else {
    if (event.id == base::kNoId) lose_field(event, "method");  // becomes 0
    *at++ = static_cast<std::byte>((enters ? 0U : 1U) | method << (8 - kBits));
    at = put_number(at, method >> kBits);
    if (enters) stack_.enter(method);
    else stack_.keep(stack_.find({method, 0}));
  }
  at = put_number(at, counter_of(event) - time_);
  time_ = counter_of(event);
  out_.content().shrink(before + static_cast<std::size_t>(at - begin));
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
