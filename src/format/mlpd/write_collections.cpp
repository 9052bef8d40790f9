// SPDX-License-Identifier: Apache-2.0
// Readers of mlpd take a collection's end for that of its generation's last start on the same
// thread. So where collections have numbers, the two of a number stand together, on the thread of
// the start.
#include <utility>

#include "format/mlpd/writer.hpp"

namespace polytrace::format::mlpd {
namespace {

constexpr std::size_t kMostHeld = 4096;

bool begins_or_ends(const event::Gc& gc) {
  return gc.phase == event::GcPhase::start || gc.phase == event::GcPhase::end;
}

}  // namespace

// False: it is not one of two.
bool MlpdWriter::hold(const event::Event& event, const event::Gc& gc) {
  if (!begins_or_ends(gc) || event.id == 0 || event.id == base::kNoId) return false;
  HeldCollection mine{event.time, batch_->thread(event), event.id, gc, std::string(gc.reason)};
  const auto other = held_.find(event.id);
  if (other == held_.end()) {
    held_.emplace(event.id, std::move(mine));
    if (held_.size() > kMostHeld) release(held_.begin());
    return true;
  }
  // Of two processes, perhaps: they stay what they are.
  if (other->second.details.phase == gc.phase) {
    release(other);
    return hold(event, gc);
  }
  HeldCollection theirs = std::move(other->second);
  held_.erase(other);
  HeldCollection& end = gc.phase == event::GcPhase::end ? mine : theirs;
  const HeldCollection& start = &end == &mine ? theirs : mine;
  end.thread = start.thread;
  put_held(start);
  put_held(end);
  return true;
}

void MlpdWriter::release(std::map<base::Id, HeldCollection>::iterator which) {
  put_held(which->second);
  held_.erase(which);
}

void MlpdWriter::put_held(const HeldCollection& held) {
  event::Batch alone;
  event::Gc details = held.details;
  details.reason = held.reason;
  alone.add(held.time, alone.thread_slot(held.thread), held.id, details);
  const event::Batch* const before = std::exchange(batch_, &alone);
  put_collection(alone.events[0], details);
  batch_ = before;
}

void MlpdWriter::release_all() {
  while (!held_.empty()) release(held_.begin());
}

}  // namespace polytrace::format::mlpd
