// SPDX-License-Identifier: Apache-2.0
#include "collector/pieces/shelf.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>

#include "base/text/base64.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;
using base::JsonWriter;
using service::JsonMembers;

// A piece on its way to a hub.
struct Shelved {
  explicit Shelved(asio::io_context& context) : patience(context) {}

  std::string bytes{};
  asio::steady_timer patience;
};

class OwnShelf final : public Shelf {
 public:
  OwnShelf(asio::io_context& context, PieceReader& reader, std::function<bool(std::uint64_t)> has)
      : context_(context), reader_(reader), has_(std::move(has)) {}

  bool serve(std::string_view what, std::uint64_t id, JsonMembers& more,
             AnswerHub answer) override {
    if (what == "has") return tell_whether(id, more, answer);
    if (what == "piece") return read(id, more, std::move(answer));
    const std::uint64_t shelf = more.count("shelf", 0, INT64_MAX);
    if (what == "part") return give(id, shelf, more.count("from", 0, INT64_MAX), answer);
    if (what != "drop") return false;
    pieces_.erase(shelf);
    answer(edge_message(id, {}, [](JsonWriter&) {}));
    return true;
  }

 private:
  bool tell_whether(std::uint64_t id, JsonMembers& more, const AnswerHub& answer) {
    const auto stream = service::parse_number<std::uint64_t>(more.text("stream"), 16);
    if (!stream) return false;
    const bool has = has_(*stream);
    answer(edge_message(id, {}, [&](JsonWriter& json) { json.member("has", has); }));
    return true;
  }

  bool read(std::uint64_t id, JsonMembers& more, AnswerHub answer) {
    auto order = parse_piece_order(more.text("piece"));
    if (!order) return false;
    if (!has_(order->stream)) {
      put(id, {404, "the edge has no such stream\n"}, answer);
    } else if (pieces_.size() + reading_ >= kMostPieces) {
      put(id, {503, "the edge is busy with other questions: ask again in a moment\n"}, answer);
    } else {
      ++reading_;
      reader_.ask(std::move(*order), [this, id, answer = std::move(answer)](PieceAnswer&& piece) {
        asio::post(context_, [this, id, answer, piece = std::move(piece)]() mutable {
          --reading_;
          put(id, std::move(piece), answer);
        });
      });
    }
    return true;
  }
  void put(std::uint64_t id, PieceAnswer piece, const AnswerHub& answer) {
    const bool is_one = piece.status == 200;
    const std::uint64_t bytes = is_one ? piece.text.size() : 0;
    if (is_one) keep(std::move(piece.text));
    answer(edge_message(id, {}, [&](JsonWriter& json) {
      json.member("status", std::uint64_t{piece.status});
      json.member("text", is_one ? std::string() : piece.text);
      json.member("gone", piece.gone);
      json.member("blocks", piece.blocks);
      json.member("bytes", bytes);
      json.member("shelf", is_one ? last_ : 0);
    }));
  }
  void keep(std::string bytes) {
    auto piece = std::make_unique<Shelved>(context_);
    piece->bytes = std::move(bytes);
    wait(++last_, *piece);
    pieces_[last_] = std::move(piece);
  }
  // Of a hub that is gone nobody hears.
  void wait(std::uint64_t shelf, Shelved& piece) {
    piece.patience.expires_after(kFetchedWithin);
    piece.patience.async_wait([this, shelf](boost::system::error_code fault) {
      if (!fault) pieces_.erase(shelf);
    });
  }

  bool give(std::uint64_t id, std::uint64_t shelf, std::uint64_t from, const AnswerHub& answer) {
    const auto found = pieces_.find(shelf);
    std::string part;
    if (found != pieces_.end() && from < found->second->bytes.size()) {
      const std::string_view bytes = found->second->bytes;
      base::append_base64(part, bytes.substr(from, kMostPart));
      wait(shelf, *found->second);
      if (bytes.size() - from <= kMostPart) pieces_.erase(found);
    }
    answer(edge_message(id, {}, [&](JsonWriter& json) { json.member("part", part); }));
    return true;
  }

  asio::io_context& context_;
  PieceReader& reader_;
  const std::function<bool(std::uint64_t)> has_;
  std::map<std::uint64_t, std::unique_ptr<Shelved>> pieces_{};
  std::size_t reading_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace

std::unique_ptr<Shelf> Shelf::make(asio::io_context& context, PieceReader& reader,
                                   std::function<bool(std::uint64_t)> has) {
  return std::make_unique<OwnShelf>(context, reader, std::move(has));
}

}  // namespace polytrace::collector
