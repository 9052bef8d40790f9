// SPDX-License-Identifier: Apache-2.0
// One thing that happened, as the first pass notes it and the second one replays it: what it was
// and the numbers the states need. Texts and names are kept elsewhere, by index.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/types.hpp"

namespace polytrace::analysis {

// What happened, and what the fields of the happening hold (unnamed ones nothing). `thread` is the
// thread it happened to, where it says nothing else. Methods, classes and threads are by index in
// Names, stacks by node, texts by index in TextPool.
enum class What : std::uint8_t {
  seen,  // the thread's first event
  thread_begin,
  thread_name,  // index: text
  thread_end,
  enter,       // index: method; a: ticket
  leave,       // the same; index: kNothing where the method is not told
  call_cpu,    // a: CPU time of the thread so far
  sample,      // index: stack
  wait_start,  // a: object
  wait_end,    // a: object
  contended,   // a: object; index: class; b: owner (a thread) or kNothing
  acquired,    // a: object; index: class
  failed,      // a: object; index: class
  thrown,
  alloc,        // a: object; b: size; index: class
  alloc_many,   // a: count; b: bytes
  free,         // a: object
  move,         // a: from; b: to
  census,       // a: objects; b: bytes; index: class; thread: number of the census
  dumped,       // the same, counted in a heap dump
  gc,           // detail: event::GcPhase; a: generation or kNothing; index: text of the reason
  world,        // a sync point; detail: 1 stopped, 0 started
  heap,         // detail: HeapField; a: value; index: text of the generation or kNothing
  jit,          // detail: event::JitStage
  code,         // a method with its code
  class_begin,  // index: class; detail: ClassSource
  class_end,    // the same
  counter,      // index: counter; detail: event::CounterType; a: bits or text
  thread_cpu,   // a: CPU time since the last such figure
  runs,         // detail: 1 from here on it is known to run, 0 no longer
  process_cpu,  // the same, of the process
  lost,         // a: records; b: bytes
  recording,    // detail: event::RecordingStage
};
inline constexpr std::size_t kWhats = static_cast<std::size_t>(What::recording) + 1;

enum class HeapField : std::uint8_t { total, used, objects };

// Two kinds of events tell of loaded classes; a trace that has both tells each twice.
enum class ClassSource : std::uint8_t { definition, load };

inline constexpr std::uint32_t kNothing = ~std::uint32_t{0};

struct Happening {
  base::Time time = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint32_t thread = kNothing;
  std::uint32_t index = kNothing;
  What what = What::seen;
  std::uint8_t detail = 0;

  friend bool operator==(const Happening&, const Happening&) = default;
};

}  // namespace polytrace::analysis
