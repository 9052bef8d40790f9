// SPDX-License-Identifier: Apache-2.0
#include "collector/pieces/far_piece.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "base/text/base64.hpp"
#include "collector/live/piece.hpp"
#include "collector/pieces/shelf.hpp"

namespace polytrace::collector {
namespace {

using base::JsonWriter;
using service::JsonMembers;

// Its blocks, and what they need of earlier ones: 16 MiB of definitions, with what changes of them.
constexpr std::uint64_t kMostPiece = kMostPieceBytes + (std::uint64_t{64} << 20);
constexpr std::size_t kLongestLine = 1000;
constexpr std::size_t kLongestGone = std::size_t{16} << 10;
constexpr std::chrono::seconds kPartWithin{20};
// Who reads more slowly holds up others.
constexpr std::chrono::minutes kWholeWithin{10};

bool makes_sense(const FarPiece& piece) {
  static const std::set<unsigned> kStatuses = {200, 400, 404, 413, 500, 503};
  return kStatuses.contains(piece.status) && piece.gone.size() <= kLongestGone &&
         piece.gone.find_first_not_of("0123456789, to") == std::string::npos &&
         (piece.status != 200 || (piece.bytes != 0 && piece.bytes <= kMostPiece));
}

std::optional<FarPiece> piece_in(JsonMembers& answer) {
  FarPiece piece;
  piece.status = static_cast<unsigned>(answer.count("status", 0));
  const std::string text = answer.text("text");
  piece.text = shown_text(text.substr(0, text.find('\n')), kLongestLine);
  std::ranges::replace_if(piece.text, [](unsigned char c) { return c < ' ' || c == '\x7f'; }, ' ');
  piece.gone = answer.text("gone");
  piece.blocks = answer.count("blocks", 0);
  piece.bytes = answer.count("bytes", 0, INT64_MAX);
  piece.shelf = answer.count("shelf", 0, INT64_MAX);
  return makes_sense(piece) ? std::optional(std::move(piece)) : std::nullopt;
}

class FarSource final : public http::BodySource, public std::enable_shared_from_this<FarSource> {
 public:
  FarSource(std::shared_ptr<FarPost> edge, const FarPiece& piece, std::shared_ptr<void> held)
      : edge_(std::move(edge)), shelf_(piece.shelf), size_(piece.bytes), held_(std::move(held)) {}
  ~FarSource() override {
    if (from_ < size_) edge_->say("drop", [&](JsonWriter& json) { json.member("shelf", shelf_); });
  }

  std::uint64_t size() const override { return size_; }
  void next(TakePart take) override {
    edge_->ask(
        "part", kPartWithin,
        [&](JsonWriter& json) {
          json.member("shelf", shelf_);
          json.member("from", from_);
        },
        [self = shared_from_this(), take = std::move(take)](JsonMembers* answer) {
          take(answer == nullptr ? std::nullopt : self->part_in(*answer));
        });
  }

 private:
  // As long as such a part is, and no other.
  std::optional<std::string> part_in(JsonMembers& answer) {
    std::string part = answer.text("part");
    const auto size = base::decode_base64(part, part.data());
    const bool is_one = size && *size == std::min<std::uint64_t>(Shelf::kMostPart, size_ - from_) &&
                        std::chrono::steady_clock::now() < until_;
    if (!is_one) return std::nullopt;
    part.resize(*size);
    from_ += *size;
    return part;
  }

  const std::shared_ptr<FarPost> edge_;
  const std::uint64_t shelf_;
  const std::uint64_t size_;
  const std::shared_ptr<void> held_;
  const std::chrono::steady_clock::time_point until_ =
      std::chrono::steady_clock::now() + kWholeWithin;
  std::uint64_t from_ = 0;
};

}  // namespace

void ask_for_piece(FarPost& edge, const std::string& order,
                   std::function<void(std::optional<FarPiece>)> take) {
  edge.ask(
      "piece", kPieceWithin, [&](JsonWriter& json) { json.member("piece", order); },
      [take = std::move(take)](JsonMembers* answer) {
        take(answer == nullptr ? std::nullopt : piece_in(*answer));
      });
}

std::shared_ptr<http::BodySource> source_of(std::shared_ptr<FarPost> edge, const FarPiece& piece,
                                            std::shared_ptr<void> held) {
  return std::make_shared<FarSource>(std::move(edge), piece, std::move(held));
}

}  // namespace polytrace::collector
