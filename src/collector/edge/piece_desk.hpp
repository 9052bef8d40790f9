// SPDX-License-Identifier: Apache-2.0
// Answers questions for parts of streams on the port of /metrics:
//   GET /v1/traces/<16 hexadecimal digits of the stream>/<first block>-<last block>
// Only to who has the token of the token file; where none is configured, to nobody.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "collector/config/config.hpp"
#include "collector/pieces/piece_reader.hpp"

namespace polytrace::collector {

class PieceDesk {
 public:
  // The reader outlives it. Errors: open_failed (the token file).
  static base::result<std::unique_ptr<PieceDesk>> open(const Config& config, PieceReader& reader);
  PieceDesk(const PieceDesk&) = delete;
  PieceDesk& operator=(const PieceDesk&) = delete;
  virtual ~PieceDesk() = default;

  // `authorization` is that header. Calls `take` once: at once, or later on the reader's thread.
  virtual void ask(std::string_view target, std::string_view authorization,
                   PieceReader::Take take) = 0;

 protected:
  PieceDesk() = default;
};

}  // namespace polytrace::collector
