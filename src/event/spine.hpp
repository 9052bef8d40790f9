// SPDX-License-Identifier: Apache-2.0
// The hot column of a batch: one 24-byte record per event, in stream order.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "event/details.hpp"

namespace polytrace::event {

struct Event {
  Time time;             // of the trace's clock; never kNoTime inside a batch
  Id id;                 // the subject: KindInfo::subject says of what kind it is
  u32 detail;            // index in the batch's column of this kind, kAbsent = all fields not told
  std::uint16_t thread;  // index in Batch::threads: the thread whose stream carries the event
  Kind kind;
  u8 reserved;  // 0
};

// Grows without initialising, so that a decoder can write events straight into it.
class Spine {
 public:
  // Room for `more` events behind the end; write them, then say so with grew_to().
  Event* room(std::size_t more) {
    if (capacity_ - size_ < more) grow(size_ + more);
    return events_.get() + size_;
  }
  void grew_to(const Event* end) { size_ = static_cast<std::size_t>(end - events_.get()); }
  void push(const Event& event) {
    *room(1) = event;
    ++size_;
  }
  void clear() { size_ = 0; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Event* begin() const { return events_.get(); }
  const Event* end() const { return events_.get() + size_; }
  Event* begin() { return events_.get(); }
  Event* end() { return events_.get() + size_; }
  const Event& operator[](std::size_t i) const { return events_[i]; }
  Event& operator[](std::size_t i) { return events_[i]; }

 private:
  void grow(std::size_t needed) {
    const std::size_t capacity = std::max(needed, capacity_ * 2);
    auto larger = std::make_unique_for_overwrite<Event[]>(capacity);
    std::copy_n(events_.get(), size_, larger.get());
    events_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<Event[]> events_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace polytrace::event
