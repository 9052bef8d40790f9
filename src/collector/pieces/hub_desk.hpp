// SPDX-License-Identifier: Apache-2.0
// Parts of streams at a hub's door, for who has the role `read`:
//   GET /v1/traces/<16 hexadecimal digits of the stream>/<first block>-<last block>
// This process's own, where it is an edge, too; else of the edge that has the stream, which is
// asked for over its channel. Of the caller's tenant alone: streams of others are not there. Passed
// on as it comes, so that of each piece a few parts are in memory.
//
// 200, 400, 404, 413, 500, 503 as at the edge's own port; 429 with Retry-After: kMostAtOnce are
// under way, kMostOfTenant of them the caller's; 504: who has the stream does not answer, or may be
// one of those that are away. One thread, the loop's.
#pragma once

#include <memory>

#include "collector/config/config.hpp"
#include "collector/control/edges.hpp"
#include "collector/pieces/piece_reader.hpp"

namespace polytrace::collector {

// This process's own streams.
struct OwnStreams {
  PieceReader* reader = nullptr;  // null: it has none
  // Where rows of one go; null: it is not here.
  std::function<const std::string*(std::uint64_t stream)> database_of{};
};

class HubPieceDesk {
 public:
  static constexpr std::size_t kMostAtOnce = 8, kMostOfTenant = 2;

  // All outlive it.
  static std::unique_ptr<HubPieceDesk> make(boost::asio::io_context& context, const Config& config,
                                            Edges& edges, OwnStreams own, Figures& figures,
                                            Tell tell);
  virtual ~HubPieceDesk() = default;
  HubPieceDesk(const HubPieceDesk&) = delete;
  HubPieceDesk& operator=(const HubPieceDesk&) = delete;

  virtual void add_to(Routes& routes) = 0;

 protected:
  HubPieceDesk() = default;
};

}  // namespace polytrace::collector
