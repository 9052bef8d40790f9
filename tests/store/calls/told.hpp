// SPDX-License-Identifier: Apache-2.0
// Streams of calls as a source may tell them, and what is true of them, found event by event and
// without any of what is tested.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "event/batch.hpp"
#include "support/long.hpp"

namespace polytrace::store::calls {

// How many of so many random questions are asked: all of them take minutes with sanitizers.
inline int tried(int all) { return test::is_long() ? all : all / 5; }

// An event of one thread's stream.
struct Told {
  base::Time time;
  base::Id id;  // of waits: 0
  event::Kind kind;
  std::uint64_t ticket = 0;
  event::WaitStage wait{};
  event::MonitorStage monitor{};

  bool is_call() const { return event::is_call(kind); }
};
using Stream = std::vector<Told>;

inline void add(event::Batch& batch, std::uint16_t slot, const Told& told) {
  if (told.kind == event::Kind::Wait)
    batch.add(told.time, slot, told.id, event::Wait{.stage = told.wait});
  else if (told.kind == event::Kind::Monitor)
    batch.add(told.time, slot, told.id, event::Monitor{.stage = told.monitor});
  else if (told.ticket == 0) batch.add_plain(told.time, slot, told.id, told.kind);
  else if (told.kind == event::Kind::Enter)
    batch.add(told.time, slot, told.id, event::Enter{.ticket = told.ticket});
  else if (told.kind == event::Kind::Leave)
    batch.add(told.time, slot, told.id, event::Leave{.ticket = told.ticket});
  else batch.add(told.time, slot, told.id, event::Unwind{.ticket = told.ticket});
}

struct StreamShape {
  std::size_t events = 1000;
  unsigned methods = 20;
  unsigned depth = 30;      // that the stream does not like to exceed
  unsigned irregular = 0;   // of 1000 events: leaves that fit nothing, or not the innermost call
  unsigned late = 0;        // of 1000: times that go back
  unsigned tickets = 0;     // of 1000: calls with one
  unsigned waits = 0;       // of 1000
  unsigned unwinds = 0;     // of 1000
  unsigned long_steps = 0;  // of 1000: more than 2^32 ns
  unsigned step = 200;      // most ns between two events; 0 often
};

class StreamMaker {
 public:
  StreamMaker(const StreamShape& shape, unsigned seed) : shape_(shape), random_(seed) {}

  Stream make() {
    while (all_.size() < shape_.events) {
      pass();
      if (one_in_1000(shape_.waits)) {
        all_.push_back(wait());
        continue;
      }
      const base::Time time = one_in_1000(shape_.late) ? now_ - below(1000) : now_;
      const bool enters = open_.empty() || (open_.size() < shape_.depth && below(2) == 0);
      if (one_in_1000(shape_.irregular)) all_.push_back(odd_leave(time));
      else all_.push_back(enters ? enter(time) : leave(time));
    }
    return std::move(all_);
  }

 private:
  struct Open {
    base::Id id;
    std::uint64_t ticket;
  };
  base::Time below(std::uint64_t bound) { return static_cast<base::Time>(random_() % bound); }
  bool one_in_1000(unsigned of) { return random_() % 1000 < of; }
  void pass() {
    now_ += below(4) == 0 ? 0 : below(shape_.step + 1);
    if (one_in_1000(shape_.long_steps)) now_ += base::Time{1} << 32;
  }
  Told wait() {
    if (below(2) == 0) {
      waits_ = !waits_;
      return {
          now_, 0, event::Kind::Wait, 0, waits_ ? event::WaitStage::start : event::WaitStage::end,
          {}};
    }
    locked_ = !locked_;
    const auto ends = below(2) == 0 ? event::MonitorStage::acquired : event::MonitorStage::failed;
    return {now_, 0, event::Kind::Monitor, 0, {}, locked_ ? event::MonitorStage::contended : ends};
  }
  // Of a method that was never entered, of none, or not of the innermost call.
  Told odd_leave(base::Time time) {
    Told told{time, 500 + random_() % 3, event::Kind::Leave};
    const base::Time what = below(4);
    if (what == 1) told.id = base::kNoId;
    if (what >= 2 && !open_.empty()) {
      const Open some = open_[random_() % open_.size()];
      told.id = some.id;
      told.ticket = what == 3 ? some.ticket : 0;
      while (open_.back().id != told.id) open_.pop_back();
    }
    if (!open_.empty() && (what == 1 || open_.back().id == told.id)) open_.pop_back();
    return told;
  }
  Told enter(base::Time time) {
    // Few are called from one, so paths come again.
    const base::Id caller = open_.empty() ? 0 : open_.back().id;
    const base::Id id = 1 + (caller * 7 + random_() % 3) % shape_.methods;
    open_.push_back({id, one_in_1000(shape_.tickets) ? 1 + random_() % 100 : 0});
    return {time, id, event::Kind::Enter, open_.back().ticket};
  }
  Told leave(base::Time time) {
    const auto kind = one_in_1000(shape_.unwinds) ? event::Kind::Unwind : event::Kind::Leave;
    const Open call = open_.back();
    open_.pop_back();
    return {time, call.id, kind, below(2) == 0 ? call.ticket : 0};
  }

  StreamShape shape_;
  std::mt19937_64 random_;
  std::vector<Open> open_;  // as the maker means it
  Stream all_;
  base::Time now_ = 1'000'000;
  bool locked_ = false;
  bool waits_ = false;
};

inline Stream random_stream(const StreamShape& shape, unsigned seed) {
  return StreamMaker(shape, seed).make();
}

// A call as it was, by the rule for leaves that do not fit.
struct TrueCall {
  std::vector<base::Id> stack;  // outermost first, its own method last
  base::Time start;
  base::Time end;
  std::size_t begins;  // of the thread's changes of its stack
  std::size_t ends;
  bool recursive;  // a caller is of the same method
};

// Of one thread: its stack from change to change, by times that never go back.
struct TrueThread {
  struct Change {
    base::Time time;
    std::size_t call;  // innermost from here on; kNone: nothing
    bool enters;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<TrueCall> calls;  // by start
  std::vector<std::size_t> callers;
  std::vector<Change> changes;
  std::vector<std::pair<base::Time, base::Time>> locked, waiting;
  base::Time last = base::kNoTime;  // of any event
};

class TruthWalk {
 public:
  TrueThread walk(const Stream& stream) {
    for (const Told& told : stream) {
      thread_.last = std::max(thread_.last, told.time);
      if (told.kind == event::Kind::Wait) wait(told.time, waits_, thread_.waiting);
      else if (told.kind == event::Kind::Monitor) wait(told.time, locked_, thread_.locked);
      else if (told.is_call()) call(told);
    }
    thread_.last = std::max(thread_.last, now_);
    for (const Open& open : open_) {
      thread_.calls[open.call].end = thread_.last;
      thread_.calls[open.call].ends = thread_.changes.size();
    }
    if (locked_) thread_.locked.emplace_back(*locked_, thread_.last);
    if (waits_) thread_.waiting.emplace_back(*waits_, thread_.last);
    return std::move(thread_);
  }

 private:
  struct Open {
    base::Id id;
    std::uint64_t ticket;
    std::size_t call;
  };
  using Spans = std::vector<std::pair<base::Time, base::Time>>;

  static void wait(base::Time time, std::optional<base::Time>& since, Spans& spans) {
    if (since) spans.emplace_back(*since, time);
    if (since) since.reset();
    else since = time;
  }
  void call(const Told& told) {
    if (now_ == base::kNoTime) now_ = told.time;
    const base::Time time = std::max(now_, told.time);
    if (told.kind == event::Kind::Enter) enter(told, time);
    else leave(told, time);
  }
  void enter(const Told& told, base::Time time) {
    now_ = time;
    TrueCall call{{}, time, base::kNoTime, thread_.changes.size(), 0, false};
    if (!open_.empty()) call.stack = thread_.calls[open_.back().call].stack;
    call.recursive = std::ranges::find(call.stack, told.id) != call.stack.end();
    call.stack.push_back(told.id);
    thread_.callers.push_back(open_.empty() ? TrueThread::kNone : open_.back().call);
    open_.push_back({told.id, told.ticket, thread_.calls.size()});
    thread_.changes.push_back({time, thread_.calls.size(), true});
    thread_.calls.push_back(std::move(call));
  }
  void leave(const Told& told, base::Time time) {
    const auto ended = std::find_if(open_.rbegin(), open_.rend(), [&](const Open& call) {
      const bool tickets = told.ticket == 0 || call.ticket == 0 || told.ticket == call.ticket;
      return tickets && (told.id == base::kNoId || told.id == call.id);
    });
    if (ended == open_.rend()) return;
    now_ = time;
    const auto stay = static_cast<std::size_t>(open_.rend() - ended) - 1;
    while (open_.size() > stay) {
      TrueCall& call = thread_.calls[open_.back().call];
      call.end = time;
      call.ends = thread_.changes.size();
      open_.pop_back();
      const std::size_t innermost = open_.empty() ? TrueThread::kNone : open_.back().call;
      thread_.changes.push_back({time, innermost, false});
    }
  }

  TrueThread thread_;
  std::vector<Open> open_;
  base::Time now_ = base::kNoTime;
  std::optional<base::Time> locked_, waits_;
};

inline TrueThread truth_of(const Stream& stream) { return TruthWalk().walk(stream); }

}  // namespace polytrace::store::calls
