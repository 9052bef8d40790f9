// SPDX-License-Identifier: Apache-2.0
// Segments in the order they were put in, linked through an array that all queues of a session
// share: a segment stands in one of them at most. Whoever uses a queue guards it.
#pragma once

#include <cstdint>

#include "agent/common/memory/segments.hpp"

namespace polytrace::agent {

class SegmentQueue {
 public:
  bool empty() const { return first_ == kNoSegment; }
  std::uint32_t first() const { return first_; }

  void push(std::uint32_t* links, std::uint32_t segment) {
    links[segment] = kNoSegment;
    if (empty()) first_ = segment;
    else links[last_] = segment;
    last_ = segment;
  }
  // kNoSegment when empty.
  std::uint32_t pop(const std::uint32_t* links) {
    const std::uint32_t segment = first_;
    if (segment != kNoSegment) first_ = links[segment];
    return segment;
  }
  SegmentQueue take_all() {
    const SegmentQueue all = *this;
    *this = {};
    return all;
  }

 private:
  std::uint32_t first_ = kNoSegment;
  std::uint32_t last_ = kNoSegment;
};

}  // namespace polytrace::agent
