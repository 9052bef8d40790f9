// SPDX-License-Identifier: Apache-2.0
// Pauses of a recording, and calls that are told as changes of stacks, which no pause may have
// inside. One thread at a time.
#pragma once

#include <vector>

#include "base/seeded_hash.hpp"
#include "event/batch.hpp"

namespace polytrace::slice {

// Whether a recording is paused, by the order of its events. CoreProfiler's may begin so, which
// only its settings tell.
class RecordingPause {
 public:
  // True where the event began or ended a pause.
  bool follow(const event::Batch& batch, const event::Event& event) {
    const bool before = paused_;
    if (event.kind == event::Kind::Recording) {
      const auto stage = batch.details_or<event::Recording>(event, {}).stage;
      if (stage == event::RecordingStage::pause) paused_ = true;
      if (stage == event::RecordingStage::resume) paused_ = false;
    } else if (event.kind == event::Kind::Setting) {
      const auto setting = batch.details_or<event::Setting>(event, {});
      if (setting.key == "TracingSuspendedOnStart" && setting.value == "T") paused_ = true;
    }
    return paused_ != before;
  }
  bool is_paused() const { return paused_; }

 private:
  bool paused_ = false;
};

// CoreProfiler's instrumented mode tells each thread's stack whenever it changed: the calls of the
// program, seen from their stacks. Here they become calls, which end at a pause of the recording
// and begin again behind it: what is in between nobody saw.
class StackChanges {
 public:
  // The batch itself, or, in that mode, one with calls in place of changed stacks, which lives
  // until the next. Batches in input order.
  const event::Batch& as_calls(const event::Batch& batch);

  // Whether the trace is of that mode, as far as it was seen.
  bool tell_calls() const { return told_; }

 private:
  using Stack = std::vector<base::Id>;

  void take(const event::Batch& batch, const event::Event& event);
  void turn(base::Id thread, base::Time time, std::span<const base::Id> from,
            std::span<const base::Id> to);
  void turn_all(base::Time time);

  bool told_ = false;
  RecordingPause pause_;
  base::IdMap<Stack> stacks_;  // by thread
  event::Batch out_;
};

}  // namespace polytrace::slice
