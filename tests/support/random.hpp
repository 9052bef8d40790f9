// SPDX-License-Identifier: Apache-2.0
// Random events for tests, benchmarks and fuzzers: every kind, every field, with a liking for
// extreme values. The same seed gives the same events everywhere. One thread at a time.
#pragma once

#include <random>
#include <string>

#include "event/batch.hpp"

namespace polytrace::test {

struct RandomOptions {
  bool any_bytes = true;  // texts may hold zeros and bytes that are not UTF-8
  unsigned threads = 4;   // how many streams the events are spread over, 1 or more
  event::Time start = 1'000'000'000;
};

class RandomEvents {
 public:
  explicit RandomEvents(event::u64 seed, const RandomOptions& options = {})
      : engine_(seed), options_(options), time_(options.start) {}

  // Appends one event. Times never go back.
  void add(event::Batch& batch, event::Kind kind);
  void add_any(event::Batch& batch);
  // 0 to count - 1. REQUIRES: count > 0.
  event::u64 below(event::u64 count) { return engine_() % count; }

 private:
  class Filler;
  event::u64 number();  // small, extreme or anything
  std::string text();

  std::mt19937_64 engine_;
  RandomOptions options_;
  event::Time time_;
};

}  // namespace polytrace::test
