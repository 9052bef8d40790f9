// SPDX-License-Identifier: Apache-2.0
// Parts of this edge's streams for its hubs, over the channels that it keeps open to them. One may
// be larger than a message: it lies on a shelf while the hub fetches it.
//   {"id": 7, "do": "has", "stream": "16 hex"}
//     {"id": 7, "has": true}
//   {"id": 8, "do": "piece", "piece": "16 hex/3-9?had=5-2"}      (piece_reader.hpp)
//     {"id": 8, "status": 200, "text": "", "gone": "4", "blocks": 5, "bytes": 70000, "shelf": 3}
//   {"id": 9, "do": "part", "shelf": 3, "from": 0}
//     {"id": 9, "part": "base64"}       kMostPart bytes at most; none: it is not there any more
//   {"id": 10, "do": "drop", "shelf": 3}      nobody wants it any more
//     {"id": 10}
// It goes with its last part, or kFetchedWithin after anybody asked. One thread, the loop's.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "collector/control/edge_post.hpp"
#include "collector/pieces/piece_reader.hpp"

namespace polytrace::collector {

class Shelf : public EdgeService {
 public:
  static constexpr std::size_t kMostPieces = 2;
  // In base64, with all around it, less than what is read of JSON at once.
  static constexpr std::size_t kMostPart = std::size_t{512} << 10;
  static constexpr std::chrono::seconds kFetchedWithin{60};

  // `has`: whether a stream is one of this edge's. All outlive it.
  static std::unique_ptr<Shelf> make(boost::asio::io_context& context, PieceReader& reader,
                                     std::function<bool(std::uint64_t)> has);

 protected:
  Shelf() = default;
};

}  // namespace polytrace::collector
