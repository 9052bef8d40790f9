// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <deque>

#include "collector/pieces/far_piece.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMostNames = 5;

// "a, b and 3 more"
std::string names_text(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kMostNames);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

class PieceSearch final : public std::enable_shared_from_this<PieceSearch> {
 public:
  PieceSearch(const PieceOrder& order, std::vector<std::string> away,
              std::function<void(FoundPiece)> take)
      : order_(order), away_(std::move(away)), take_(std::move(take)) {}

  void begin(asio::io_context& context, const std::vector<std::shared_ptr<FarPost>>& edges) {
    awaited_ = edges.size() + 1;
    const std::string stream = fmt::format("{:016x}", order_.stream);
    for (const auto& edge : edges)
      edge->ask(
          "has", FarPost::kFindWithin,
          [&](base::JsonWriter& json) { json.member("stream", stream); },
          [self = shared_from_this(), edge](service::JsonMembers* answer) {
            self->hear(edge, answer);
          });
    asio::post(context, [self = shared_from_this()] { self->heard(); });
  }

 private:
  void hear(const std::shared_ptr<FarPost>& edge, service::JsonMembers* answer) {
    if (answer == nullptr) silent_.push_back(edge->name());
    else if (answer->flag("has")) holders_.push_back(edge);
    heard();
  }
  void heard() {
    --awaited_;
    go_on();
  }
  // The first that has it, while others are still silent.
  void go_on() {
    if (is_asking_ || !take_) return;
    if (holders_.empty()) {
      if (awaited_ == 0) end({.piece = last_ ? std::move(*last_) : nowhere()});
      return;
    }
    const auto edge = holders_.front();
    holders_.pop_front();
    is_asking_ = true;
    ask_for_piece(*edge, to_text(order_),
                  [self = shared_from_this(), edge](std::optional<FarPiece> piece) {
                    self->is_asking_ = false;
                    self->take_piece(edge, std::move(piece));
                  });
  }
  // An edge that had it before another one did may have lost it, or be about to go.
  void take_piece(const std::shared_ptr<FarPost>& edge, std::optional<FarPiece> piece) {
    if (piece && piece->status != 404) return end({edge, std::move(*piece)});
    if (!piece)
      last_ = {.status = 504, .text = fmt::format("the edge {} did not answer", edge->name())};
    else if (!last_) last_ = std::move(piece);
    go_on();
  }

  FarPiece nowhere() const {
    std::string text = fmt::format("no edge that answers has stream {:016x}", order_.stream);
    if (!silent_.empty()) text += "; no answer from " + names_text(silent_);
    if (!away_.empty()) text += "; away, and it may be there: " + names_text(away_);
    return {.status = silent_.empty() && away_.empty() ? 404U : 504U, .text = std::move(text)};
  }
  void end(FoundPiece found) { std::exchange(take_, nullptr)(std::move(found)); }

  const PieceOrder order_;
  const std::vector<std::string> away_;
  std::function<void(FoundPiece)> take_;
  std::vector<std::string> silent_{};
  std::deque<std::shared_ptr<FarPost>> holders_{};  // that were not asked for it yet
  std::optional<FarPiece> last_{};                  // why one of them has not given it
  std::size_t awaited_ = 0;                         // answers
  bool is_asking_ = false;
};

}  // namespace

void search_piece(asio::io_context& context, const PieceOrder& order,
                  std::vector<std::shared_ptr<FarPost>> edges, std::vector<std::string> away,
                  std::function<void(FoundPiece)> take) {
  std::make_shared<PieceSearch>(order, std::move(away), std::move(take))->begin(context, edges);
}

}  // namespace polytrace::collector
