// SPDX-License-Identifier: Apache-2.0
// The hub's end of a shelf (shelf.hpp): which edge has a stream, and a part of it, fetched part by
// part as somebody reads it. What an edge says is not believed: it is bounded, and made printable.
// One thread, the loop's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/control/edge_post.hpp"
#include "collector/pieces/piece_reader.hpp"
#include "http/messages.hpp"

namespace polytrace::collector {

// What an edge says of one, before its bytes.
struct FarPiece {
  unsigned status = 0;  // 200, 400, 404, 413, 500 or 503
  std::string text{};   // unless it is 200: a line for people
  std::string gone{};   // numbers, "to" and commas
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t shelf = 0;
};

inline constexpr std::chrono::seconds kPieceWithin{30};

// `order`: as PieceOrder's to_text(). Nothing: there was no answer, or none that makes sense.
void ask_for_piece(FarPost& edge, const std::string& order,
                   std::function<void(std::optional<FarPiece>)> take);

// Its bytes. `held` is let go with it. What does not come in time, or is no part, ends it.
std::shared_ptr<http::BodySource> source_of(std::shared_ptr<FarPost> edge, const FarPiece& piece,
                                            std::shared_ptr<void> held);

struct FoundPiece {
  std::shared_ptr<FarPost> edge{};  // null: none that answers has it
  FarPiece piece{};                 // its status is told in any case, 504 besides
};
// Asks all of them which has the stream, then that one for its blocks. Answers once, never from
// within the call. `away`: names of edges that may have it and cannot be asked.
void search_piece(boost::asio::io_context& context, const PieceOrder& order,
                  std::vector<std::shared_ptr<FarPost>> edges, std::vector<std::string> away,
                  std::function<void(FoundPiece)> take);

}  // namespace polytrace::collector
