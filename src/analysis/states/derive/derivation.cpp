// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/derive/derivation.hpp"

#include <array>

namespace polytrace::analysis {

using base::kNoId;

struct Derivation::Handlers {
  std::array<Handler, kWhats> by_what{};

  constexpr Handlers() {
    set(What::seen, &Derivation::seen);
    set(What::thread_begin, &Derivation::seen);
    set(What::thread_name, &Derivation::thread_name);
    set(What::thread_end, &Derivation::thread_end);
    set(What::enter, &Derivation::enter);
    set(What::leave, &Derivation::leave);
    set(What::call_cpu, &Derivation::call_cpu);
    set(What::sample, &Derivation::sample);
    set(What::wait_start, &Derivation::wait_start);
    set(What::wait_end, &Derivation::wait_end);
    set(What::contended, &Derivation::contended);
    set(What::acquired, &Derivation::contention_over);
    set(What::failed, &Derivation::contention_over);
    set(What::thrown, &Derivation::thrown);
    set(What::alloc, &Derivation::alloc);
    set(What::alloc_many, &Derivation::alloc_many);
    set(What::free, &Derivation::free);
    set(What::move, &Derivation::move);
    set(What::census, &Derivation::census);
    set(What::dumped, &Derivation::census);
    set(What::gc, &Derivation::gc);
    set(What::world, &Derivation::world_sync);
    set(What::heap, &Derivation::heap);
    set(What::jit, &Derivation::jit);
    set(What::code, &Derivation::code);
    set(What::class_begin, &Derivation::class_change);
    set(What::class_end, &Derivation::class_change);
    set(What::counter, &Derivation::counter);
    set(What::thread_cpu, &Derivation::thread_cpu);
    set(What::runs, &Derivation::runs);
    set(What::process_cpu, &Derivation::process_cpu);
    set(What::lost, &Derivation::lost);
    set(What::recording, &Derivation::recording);
  }
  constexpr void set(What what, Handler handler) {
    by_what[static_cast<std::size_t>(what)] = handler;
  }
};

Derivation::Derivation(Gathered& gathered, history::Builder& builder, base::Notices& notices)
    : gathered_(gathered),
      world_(gathered, builder, notices),
      runtime_(world_),
      collector_(world_),
      threads_(world_),
      locks_(world_),
      objects_(world_) {}

base::result<void> Derivation::run(history::Tick first) {
  world_.writer.move_to(first);
  runtime_.begin();
  auto delivered = gathered_.sorter.deliver([this](const Happening& h) { return replay(h); });
  if (!delivered) return delivered;
  objects_.finish();
  if (world_.writer.error()) return base::Unexpected(*world_.writer.error());
  return {};
}

bool Derivation::replay(Happening happening) {
  static constexpr Handlers kHandlers;
  objects_.settle(happening.time);
  world_.writer.move_to(happening.time);
  happening.thread = world_.thread(happening.thread);
  (this->*kHandlers.by_what[static_cast<std::size_t>(happening.what)])(happening);
  return !world_.writer.error();
}

void Derivation::seen(const Happening& h) { threads_.see(h.thread); }
void Derivation::thread_name(const Happening& h) { threads_.name(h.thread, h.index); }
void Derivation::enter(const Happening& h) { threads_.enter(h.thread, {h.index, h.a}); }
void Derivation::leave(const Happening& h) {
  threads_.leave(h.thread, {h.index == kNothing ? base::kNoId : h.index, h.a});
}
void Derivation::call_cpu(const Happening& h) { threads_.cpu_total(h.thread, h.a); }
void Derivation::sample(const Happening& h) { threads_.sample(h.thread, h.index); }
void Derivation::thrown(const Happening& h) { threads_.throws(h.thread); }
void Derivation::thread_cpu(const Happening& h) { threads_.cpu_more(h.thread, h.a); }
void Derivation::runs(const Happening& h) { threads_.run(h.thread, h.detail != 0); }
void Derivation::alloc_many(const Happening& h) { threads_.allocate(h.thread, h.a, h.b); }
void Derivation::census(const Happening& h) { objects_.count(h); }
void Derivation::free(const Happening& h) { objects_.free(h.a); }
void Derivation::heap(const Happening& h) { runtime_.heap(h); }
void Derivation::jit(const Happening& h) { runtime_.jit(h); }
void Derivation::code(const Happening&) { runtime_.code(); }
void Derivation::class_change(const Happening& h) { runtime_.class_change(h); }
void Derivation::counter(const Happening& h) { runtime_.counter(h); }
void Derivation::process_cpu(const Happening& h) { runtime_.process_cpu(h.a); }
void Derivation::lost(const Happening& h) { runtime_.lost(h.a, h.b); }

void Derivation::thread_end(const Happening& h) {
  threads_.end(h.thread);
  locks_.end(h.thread);
}

void Derivation::wait_start(const Happening& h) {
  threads_.wait(h.thread, h.a);
  if (h.a != kNoId) locks_.wait(h.thread, h.a);
}

void Derivation::wait_end(const Happening& h) {
  threads_.wait(h.thread, {});
  locks_.stop_waiting(h.thread);
}

void Derivation::contended(const Happening& h) {
  threads_.block(h.thread, h.a);
  if (h.a == kNoId) return;
  locks_.contend(h.thread, h.a, h.index);
  const std::uint32_t owner = world_.thread(static_cast<std::uint32_t>(h.b));
  if (owner != kNothing) locks_.own(owner, h.a, h.index);
}

void Derivation::contention_over(const Happening& h) {
  threads_.block(h.thread, {});
  locks_.stop_contending(h.thread);
  if (h.what == What::acquired && h.a != kNoId) locks_.own(h.thread, h.a, h.index);
}

void Derivation::alloc(const Happening& h) {
  threads_.allocate(h.thread, 1, h.b);
  objects_.alloc(h);
  if (gathered_.seen.locks && h.a != kNoId && h.index != kNothing) locks_.allocated(h.a, h.index);
}

void Derivation::move(const Happening& h) {
  objects_.move(h.a, h.b);
  if (gathered_.seen.locks) locks_.moved(h.a, h.b);
}

void Derivation::gc(const Happening& h) {
  collector_.gc(h);
  threads_.pause(collector_.pauses_threads());
}

void Derivation::world_sync(const Happening& h) {
  collector_.sync(h.detail != 0);
  threads_.pause(collector_.pauses_threads());
}

void Derivation::recording(const Happening& h) {
  runtime_.recording(static_cast<event::RecordingStage>(h.detail));
}

}  // namespace polytrace::analysis
