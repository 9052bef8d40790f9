// SPDX-License-Identifier: Apache-2.0
// Reads parts of streams from a collector's folder, on a thread of its own: one at a time, a few
// wait; what one may ask for is bounded by read_piece(). No part of a question is a path.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "collector/flow/figures.hpp"
#include "collector/live/piece.hpp"

namespace polytrace::collector {

inline constexpr std::string_view kPiecesPath = "/v1/traces/";
inline constexpr std::string_view kPieceForm =
    "GET /v1/traces/<16 hex digits>/<first>-<last>[?had=<first>-<count>]\n";

// What stands behind kPiecesPath, "0123456789abcdef/3-9": a stream and its blocks; behind them,
// where who asks has <count> of those from <first> to the last already, which are left out of the
// answer then, "?had=<first>-<count>". The folder is not told. Nothing: not of that form.
std::optional<PieceOrder> parse_piece_order(std::string_view text);
// The same again.
std::string to_text(const PieceOrder& order);

struct PieceAnswer {
  unsigned status = 200;     // HTTP
  std::string text{};        // of 200 the trace, else a line for people
  std::string gone{};        // blocks that were asked for and are no longer in the spool
  std::uint64_t blocks = 0;  // that are in it of those asked for: its last
};

class PieceReader {
 public:
  static constexpr unsigned kMostQuestions = 4;  // at once, with those that wait
  using Take = std::function<void(PieceAnswer&&)>;

  // `folder`: spool.folder. The figures outlive it.
  PieceReader(std::string folder, Figures& figures, Tell tell)
      : folder_(std::move(folder)), figures_(figures), tell_(std::move(tell)) {}
  PieceReader(const PieceReader&) = delete;
  PieceReader& operator=(const PieceReader&) = delete;
  // Who waits is not answered any more.
  ~PieceReader();

  // Any thread. Calls `take` once: at once where too many wait (503), or later on the reader's
  // thread.
  void ask(PieceOrder order, Take take);

 private:
  PieceAnswer answer_to(const PieceOrder& order);

  const std::string folder_;
  Figures& figures_;
  Tell tell_;
  std::atomic<unsigned> questions_{0};
  boost::asio::thread_pool thread_{1};
};

}  // namespace polytrace::collector
