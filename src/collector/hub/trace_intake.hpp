// SPDX-License-Identifier: Apache-2.0
// Traces and profiles that come in pieces (push/upload.hpp): kept in a folder until they are whole,
// then read like a file that is pushed, into the outbox. A sender that was cut off goes on where it
// was, also after this process was killed. Two threads of its own: one keeps pieces, one reads
// files, so that a long file delays no piece and nothing else.
//
// 308, 200 as there. 400: no piece, or the file is none that is taken; 416 with Range: the piece
// does not follow; 413: too large; 429, 503 with Retry-After: come again, with the same.
#pragma once

#include <memory>

#include "collector/config/config.hpp"
#include "collector/door/door.hpp"
#include "collector/keep/outbox.hpp"

namespace polytrace::collector {

class TraceIntake {
 public:
  // Of pieces that wait for the disk, of files that wait to be read: as many.
  static constexpr std::uint64_t kMostWaitingPieces = std::uint64_t{64} << 20;
  static constexpr std::size_t kMostWaitingFiles = 16;

  // All outlive it; `more`: the outbox has more. Errors: open_failed.
  static base::result<std::unique_ptr<TraceIntake>> open(Outbox& outbox, const Config& config,
                                                         std::uint32_t shards,
                                                         std::function<void()> more,
                                                         Figures& figures, Tell tell);
  // Who waits is not answered any more, and goes on later.
  virtual ~TraceIntake() = default;
  TraceIntake(const TraceIntake&) = delete;
  TraceIntake& operator=(const TraceIntake&) = delete;

  // REQUIRES: a route of PUT /v1/traces is there, which takes what comes whole.
  virtual void add_to(Routes& routes) = 0;
  // Now and then: files whose sender does not come back go.
  virtual void look_around() = 0;

 protected:
  TraceIntake() = default;
};

}  // namespace polytrace::collector
