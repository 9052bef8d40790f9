// SPDX-License-Identifier: Apache-2.0
// The second pass: replays the happenings in order of time. One thread at a time.
#pragma once

#include "analysis/states/derive/collector_states.hpp"
#include "analysis/states/derive/lock_states.hpp"
#include "analysis/states/derive/object_states.hpp"
#include "analysis/states/derive/runtime_states.hpp"
#include "analysis/states/derive/thread_states.hpp"

namespace polytrace::analysis {

class Derivation {
 public:
  Derivation(Gathered& gathered, history::Builder& builder, base::Notices& notices);

  // Errors: those of the sorter's file, of the builder's.
  base::result<void> run(history::Tick first);

 private:
  using Handler = void (Derivation::*)(const Happening&);
  struct Handlers;

  bool replay(Happening happening);

  void seen(const Happening& happening);
  void thread_name(const Happening& happening);
  void thread_end(const Happening& happening);
  void enter(const Happening& happening);
  void leave(const Happening& happening);
  void call_cpu(const Happening& happening);
  void sample(const Happening& happening);
  void wait_start(const Happening& happening);
  void wait_end(const Happening& happening);
  void contended(const Happening& happening);
  void contention_over(const Happening& happening);
  void thrown(const Happening& happening);
  void alloc(const Happening& happening);
  void alloc_many(const Happening& happening);
  void free(const Happening& happening);
  void move(const Happening& happening);
  void census(const Happening& happening);
  void gc(const Happening& happening);
  void world_sync(const Happening& happening);
  void heap(const Happening& happening);
  void jit(const Happening& happening);
  void code(const Happening& happening);
  void class_change(const Happening& happening);
  void counter(const Happening& happening);
  void thread_cpu(const Happening& happening);
  void runs(const Happening& happening);
  void process_cpu(const Happening& happening);
  void lost(const Happening& happening);
  void recording(const Happening& happening);

  Gathered& gathered_;
  World world_;
  RuntimeStates runtime_;
  CollectorStates collector_;
  ThreadStates threads_;
  LockStates locks_;
  ObjectStates objects_;
};

}  // namespace polytrace::analysis
