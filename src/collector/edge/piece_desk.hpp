// SPDX-License-Identifier: Apache-2.0
// Answers questions for parts of streams, on a thread of its own:
//   GET /v1/traces/<16 hexadecimal digits of the stream>/<first block>-<last block>
// and, where who asks has <count> of those from <first> to the last asked for already, which are
// left out of the answer then, with ?had=<first>-<count> behind it. Only to who has the token of
// the token file; where none is configured, to nobody. One question at a time, a few wait; what one
// may ask for is bounded by read_piece(). No part of a question is a path.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "collector/config/config.hpp"
#include "collector/flow/figures.hpp"

namespace polytrace::collector {

class PieceDesk {
 public:
  struct Answer {
    unsigned status = 200;
    std::string text{};        // of 200 the trace, else a line for people
    std::string gone{};        // blocks that were asked for and are no longer in the spool
    std::uint64_t blocks = 0;  // that are in it of those asked for: its last
  };
  using Take = std::function<void(Answer&&)>;

  // Errors: open_failed (the token file).
  static base::result<std::unique_ptr<PieceDesk>> open(const Config& config, Tell tell);
  PieceDesk(const PieceDesk&) = delete;
  PieceDesk& operator=(const PieceDesk&) = delete;
  virtual ~PieceDesk() = default;

  // `authorization` is that header. Calls `take` once: at once, or later on the desk's thread.
  virtual void ask(std::string_view target, std::string_view authorization, Take take) = 0;

 protected:
  PieceDesk() = default;
};

}  // namespace polytrace::collector
