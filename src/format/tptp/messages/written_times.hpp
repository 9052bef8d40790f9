// SPDX-License-Identifier: Apache-2.0
// Times of events as the times of messages, and what readers will make of them: a clock that tells
// wall time turns times into nanoseconds since 1970; a message without a time, or with 0, is read
// with that of the message before it. One thread at a time.
#pragma once

#include <optional>

#include "event/writer.hpp"
#include "format/tptp/messages/spelling.hpp"

namespace polytrace::format::tptp {

class WrittenTimes {
 public:
  WrittenTimes(Spelling spelling, event::Loss& loss) : spelling_(spelling), loss_(loss) {}

  // The trace's clock: the first one counts, and only as long as no time was written.
  void tell(base::Time now, const event::Clock& clock);
  // As long as no time was written, the clock's may be the first. False when it is not.
  bool start() {
    if (now_ != 0) return false;
    now_ = clock_;
    return now_ != 0;
  }
  // Nothing more comes.
  void finish();

  // The time of a message. False when it is not read again as the event's.
  bool stamp(base::Time time, std::int64_t& written);
  // Whether a message without a time, written now, is read with this one.
  bool implies(base::Time time) const { return shifted(time) == now_; }
  // The time of the last message that had one, 0 when none had.
  std::int64_t now() const { return now_; }

 private:
  std::int64_t shifted(base::Time time) const;
  void lose(std::string_view name) { loss_.field(event::Kind::Clock, name); }

  Spelling spelling_;
  event::Loss& loss_;
  std::int64_t shift_ = 0;
  std::int64_t clock_ = 0;  // when the clock was told, if that is a wall time
  std::int64_t now_ = 0;    // of the last message that had one
  bool told_ = false;       // there was a clock
  bool wall_ = false;       // and it told wall time
};

}  // namespace polytrace::format::tptp
