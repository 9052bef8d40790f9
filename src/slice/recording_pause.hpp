// SPDX-License-Identifier: Apache-2.0
// Whether a recording is paused, by the order of its events. CoreProfiler's may begin so, which
// only its settings tell. One thread at a time.
#pragma once

#include "event/batch.hpp"

namespace polytrace::slice {

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

}  // namespace polytrace::slice
