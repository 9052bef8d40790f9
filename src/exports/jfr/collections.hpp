// SPDX-License-Identifier: Apache-2.0
// Collections together with the pauses that they made, as the JDK's recorder tells them: a pause
// often ends after its collection, which therefore waits for it. One thread at a time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "exports/timelines/spans.hpp"

namespace polytrace::exports::jfr {

struct Collection {
  std::uint32_t number = 0;  // 1 is the first
  std::uint32_t thread = 0;
  Span span{};
  std::string cause{};
  base::Time end = 0;
  bool ended = false;
  std::uint64_t pauses = 0;  // nanoseconds
  std::uint64_t longest_pause = 0;
};

class Collections {
 public:
  // The number of the one that began last, 0 before the first.
  std::uint32_t latest() const { return latest_; }

  std::uint32_t begin(std::uint32_t thread, const Span& span, std::string_view cause) {
    open_.push_back({++latest_, thread, span, std::string(cause)});
    return latest_;
  }
  void begin_pause() { ++standing_; }

  // Both return which collections are complete now.
  std::vector<Collection> end(std::uint32_t number, base::Time end) {
    for (Collection& one : open_)
      if (one.number == number) one.ended = true, one.end = end;
    return complete();
  }
  std::vector<Collection> end_pause(base::Time start, base::Time end) {
    if (standing_ != 0) --standing_;
    const std::uint64_t length =
        static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(std::min(start, end));
    for (Collection& one : open_) {
      if (one.ended && one.end < start) continue;
      one.pauses += length;
      one.longest_pause = std::max(one.longest_pause, length);
    }
    return complete();
  }

 private:
  std::vector<Collection> complete() {
    std::vector<Collection> done;
    if (standing_ != 0 && open_.size() < kMostOpen) return done;
    const auto waiting =
        std::ranges::stable_partition(open_, [](const Collection& one) { return !one.ended; });
    done.assign(std::make_move_iterator(waiting.begin()), std::make_move_iterator(waiting.end()));
    open_.erase(waiting.begin(), waiting.end());
    return done;
  }

  static constexpr std::size_t kMostOpen = 4096;  // more do not wait for a pause

  std::vector<Collection> open_;  // or waiting for the end of a pause
  std::uint32_t latest_ = 0;
  std::uint32_t standing_ = 0;  // pauses that have not ended
};

}  // namespace polytrace::exports::jfr
