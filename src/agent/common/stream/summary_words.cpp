// SPDX-License-Identifier: Apache-2.0
#include "agent/common/stream/summary_words.hpp"

#include <algorithm>

namespace polytrace::agent {

namespace native = format::native;
using native::Escape;
using native::Word;

bool SummaryWords::next_event(Summary& summary) {
  while (taken_ < count_) {
    const std::uint64_t word = word_at(taken_);
    if (word == 0) return false;
    const auto kind = static_cast<Word>(word & 3);
    const auto method =
        static_cast<std::uint32_t>(word >> native::kMethodShift & native::kMaxMethod);
    const auto type = static_cast<Escape>(word >> native::kEscapeShift & 7);
    if (kind == Word::kEnter) {
      summary.enter(thread_, method, tick_of(word));
    } else if (kind == Word::kLeave) {
      summary.leave(thread_, method, tick_of(word));
    } else if (type == Escape::kThread || type == Escape::kUnwind) {
      if (taken_ + 1 == count_) return false;
      const std::uint64_t follows = word_at(++taken_) & ~native::kFollows;
      if (type == Escape::kThread) thread_ = follows;
      else summary.leave(thread_, static_cast<std::uint32_t>(follows), tick_of(word));
    } else {
      return true;
    }
    ++taken_;
  }
  return false;
}

// One event's words, as the format itself moves them.
bool SummaryWords::move_event(native::RecordEncoder& out) {
  const std::uint64_t word = word_at(taken_);
  const auto type = static_cast<Escape>(word >> native::kEscapeShift & 7);
  const std::uint64_t argument = word >> native::kArgumentShift & native::kMaxArgument;
  const std::uint64_t more = type == Escape::kEvent        ? argument
                             : type == Escape::kAllocArray ? 1
                                                           : 0;
  const std::uint64_t words = std::min<std::uint64_t>(1 + more, count_ - taken_);
  native::SegmentWords event(words_ + taken_, static_cast<std::uint32_t>(words), base_tick_,
                             thread_);
  if (!event.move_to(out) && !event.damaged()) return false;
  taken_ += static_cast<std::uint32_t>(words);
  return true;
}

}  // namespace polytrace::agent
