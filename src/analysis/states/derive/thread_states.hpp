// SPDX-License-Identifier: Apache-2.0
// Threads/<id>/...: status, calls, samples and sums of each thread, and the stacks in them. One
// thread at a time.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "analysis/states/derive/state_writer.hpp"
#include "analysis/states/derive/world.hpp"
#include "analysis/states/gather/happening.hpp"
#include "event/open_calls.hpp"

namespace polytrace::analysis {

// A stack of methods: an attribute with the depth (null for 0), below it "1", "2" ... with the
// methods, outermost first.
class StackStates {
 public:
  // What lies deeper has no attribute of its own.
  static constexpr std::size_t kDeepest = 100000;

  explicit StackStates(history::Key key = history::kNoKey) : key_(key) {}

  bool has_key() const { return key_ != history::kNoKey; }
  std::size_t depth() const { return methods_.size(); }
  std::uint32_t top() const { return methods_.empty() ? kNothing : methods_.back(); }

  void push(World& world, std::uint32_t method);
  // The first `depth` levels stay.
  void cut(World& world, std::size_t depth);
  // Becomes that stack: only what differs is written.
  void become(World& world, std::span<const std::uint32_t> methods);

 private:
  history::Key level(World& world, std::size_t depth);
  void show_depth(World& world);

  history::Key key_;
  std::vector<std::uint32_t> methods_;
  std::vector<history::Key> levels_;
};

enum class ThreadAttribute : std::uint8_t {
  name,
  status,
  method,
  stack,
  sampled,
  waits_for,
  allocations,
  allocated,
  exceptions,
  cpu,
};
inline constexpr std::size_t kThreadAttributes = 10;

class ThreadStates {
 public:
  explicit ThreadStates(World& world) : world_(world), threads_(world.threads().size()) {}

  // Each REQUIRES a thread of world.threads().
  void see(std::uint32_t thread) { live(thread); }
  void name(std::uint32_t thread, std::uint32_t text);
  void end(std::uint32_t thread);
  // Methods are by index.
  void enter(std::uint32_t thread, const event::OpenCall& call);
  void leave(std::uint32_t thread, const event::OpenCall& call);
  void sample(std::uint32_t thread, std::uint32_t stack);
  void allocate(std::uint32_t thread, std::uint64_t count, std::uint64_t bytes);
  void throws(std::uint32_t thread);
  void cpu_total(std::uint32_t thread, std::uint64_t total);
  void cpu_more(std::uint32_t thread, std::uint64_t used);
  // The object it waits in, or whose monitor it waits for, kNoId where that is not told; none when
  // it no longer does.
  void wait(std::uint32_t thread, std::optional<base::Id> object);
  void block(std::uint32_t thread, std::optional<base::Id> object);
  // Whether it is known to run, as long as nothing else is.
  void run(std::uint32_t thread, bool runs);
  // Of all threads that live.
  void pause(bool paused);

 private:
  struct Thread {
    Attributes<ThreadAttribute, kThreadAttributes> attributes;
    bool begun = false;
    bool ended = false;
    bool runs = false;
    std::optional<base::Id> waits_for{};
    std::optional<base::Id> blocked_by{};
    event::OpenCalls<event::OpenCall> open;
    StackStates calls;  // the same as states
    StackStates sampled;
    std::uint64_t allocations = 0;
    std::uint64_t allocated = 0;
    std::uint64_t exceptions = 0;
    std::uint64_t cpu = 0;
  };
  // A pause changes every thread that lives: that many changes are made for pauses, so that a small
  // trace of many threads and many collections does not become a huge history.
  static constexpr std::uint64_t kMostPauseChanges = std::uint64_t{1} << 27;

  Thread& live(std::uint32_t thread);
  history::Key key(Thread& thread, ThreadAttribute attribute);
  void show_status(Thread& thread);
  void show_wait(Thread& thread);
  void show_method(Thread& thread);

  World& world_;
  history::Key parent_ = history::kNoKey;
  std::deque<Thread> threads_;
  std::vector<std::uint32_t> living_;
  event::CallAccount account_;
  std::vector<std::uint32_t> frames_;
  bool paused_ = false;
  std::uint64_t pause_changes_ = 0;
};

}  // namespace polytrace::analysis
