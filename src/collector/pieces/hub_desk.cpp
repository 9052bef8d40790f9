// SPDX-License-Identifier: Apache-2.0
#include "collector/pieces/hub_desk.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <map>

#include "collector/hub/block_intake.hpp"
#include "collector/pieces/far_piece.hpp"

namespace polytrace::collector {
namespace {

namespace asio = boost::asio;

constexpr unsigned kComeAgainForPiece = 2;  // seconds
constexpr std::size_t kOwnPart = std::size_t{1} << 20;

// How many are under way, of each database.
using Turns = std::map<std::string, std::size_t>;

// One of them, until its last byte was read. May outlive the desk.
std::shared_ptr<void> turn_of(const std::shared_ptr<Turns>& turns, const std::string& database) {
  ++(*turns)[database];
  return {turns.get(), [turns, database](void*) {
            if (--(*turns)[database] == 0) turns->erase(database);
          }};
}

class OwnSource final : public http::BodySource {
 public:
  OwnSource(std::string bytes, std::shared_ptr<void> held)
      : bytes_(std::move(bytes)), held_(std::move(held)) {}

  std::uint64_t size() const override { return bytes_.size(); }
  void next(TakePart take) override {
    std::string part = bytes_.substr(from_, kOwnPart);
    from_ += part.size();
    take(std::move(part));
  }

 private:
  const std::string bytes_;
  const std::shared_ptr<void> held_;
  std::size_t from_ = 0;
};

http::Reply reply_of(unsigned status, std::string text) {
  return status == 503 ? come_again(status, std::move(text), kComeAgainForPiece)
                       : plain(status, std::move(text));
}

http::Reply reply_with(std::shared_ptr<http::BodySource> source, std::uint64_t blocks,
                       const std::string& gone) {
  http::Reply reply{.status = 200, .type = "application/octet-stream"};
  reply.fields.push_back({"Polytrace-Blocks", fmt::to_string(blocks)});
  if (!gone.empty()) reply.fields.push_back({"Polytrace-Gone", gone});
  reply.source = std::move(source);
  return reply;
}

class OwnHubPieceDesk final : public HubPieceDesk {
 public:
  OwnHubPieceDesk(asio::io_context& context, const Config& config, Edges& edges, OwnStreams own,
                  Figures& figures, Tell tell)
      : context_(context),
        config_(config),
        edges_(edges),
        own_(std::move(own)),
        figures_(figures),
        tell_(std::move(tell)) {}

  void add_to(Routes& routes) override {
    routes.push_back({.method = "GET",
                      .path = std::string(kPiecesPath),
                      .role = Role::read,
                      .answer = [this](Call call) { take(std::move(call)); }});
  }

 private:
  struct Asked {
    PieceOrder order{};
    std::string who{};
    http::Answerer::Done done{};
    std::shared_ptr<void> turn{};
  };
  using AskedPtr = std::shared_ptr<Asked>;

  void take(Call call) {
    const std::string* const database = database_of(call.caller, config_.tenants);
    if (database == nullptr)
      return call.done(
          refuse_call(figures_, tell_, Refused::tenant, 403, call, "there is no such tenant"));
    const auto order =
        parse_piece_order(std::string_view(call.request.target).substr(kPiecesPath.size()));
    if (!order) return call.done(plain(400, std::string(kPieceForm)));
    if (const auto fit = check_order(*order); !fit)
      return call.done(plain(400, fit.error().detail + '\n'));
    if (is_busy(*database))
      return call.done(come_again(429, "too many pieces are under way: ask again in a moment\n",
                                  kComeAgainForPiece));
    const auto asked = std::make_shared<Asked>(
        Asked{*order, call.caller.name, std::move(call.done), turn_of(turns_, *database)});
    const std::string* const own = own_.reader ? own_.database_of(order->stream) : nullptr;
    if (own != nullptr && *own == *database) return ask_own(asked);
    search_piece(context_, *order, edges_.of(*database), edges_.away(*database),
                 [this, asked](FoundPiece found) { answer(asked, std::move(found)); });
  }
  bool is_busy(const std::string& database) const {
    std::size_t all = 0;
    for (const auto& [name, count] : *turns_) all += count;
    const auto own = turns_->find(database);
    return all >= kMostAtOnce || (own != turns_->end() && own->second >= kMostOfTenant);
  }

  void ask_own(const AskedPtr& asked) {
    own_.reader->ask(asked->order, [this, asked](PieceAnswer&& piece) {
      asio::post(context_, [this, asked, piece = std::move(piece)]() mutable {
        note(*asked, piece.status, "here");
        if (piece.status != 200) return asked->done(reply_of(piece.status, std::move(piece.text)));
        asked->done(
            reply_with(std::make_shared<OwnSource>(std::move(piece.text), std::move(asked->turn)),
                       piece.blocks, piece.gone));
      });
    });
  }
  void answer(const AskedPtr& asked, FoundPiece found) {
    const FarPiece& piece = found.piece;
    note(*asked, piece.status, found.edge ? found.edge->name() : "no edge");
    if (piece.status != 200) return asked->done(reply_of(piece.status, piece.text + '\n'));
    asked->done(
        reply_with(source_of(found.edge, piece, std::move(asked->turn)), piece.blocks, piece.gone));
  }
  void note(const Asked& asked, unsigned status, const std::string& where) {
    tell_({Weight::news, "piece", asked.who, asked.order.stream,
           fmt::format("{} to {} were asked for: {}, from {}", asked.order.first, asked.order.last,
                       status, where)});
  }

  asio::io_context& context_;
  const Config& config_;
  Edges& edges_;
  const OwnStreams own_;
  Figures& figures_;
  Tell tell_;
  const std::shared_ptr<Turns> turns_ = std::make_shared<Turns>();
};

}  // namespace

std::unique_ptr<HubPieceDesk> HubPieceDesk::make(asio::io_context& context, const Config& config,
                                                 Edges& edges, OwnStreams own, Figures& figures,
                                                 Tell tell) {
  return std::make_unique<OwnHubPieceDesk>(context, config, edges, std::move(own), figures,
                                           std::move(tell));
}

}  // namespace polytrace::collector
