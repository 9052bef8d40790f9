// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/piece_desk.hpp"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <charconv>
#include <optional>

#include "agent/control/protocol/endpoint.hpp"
#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "collector/live/piece.hpp"

namespace polytrace::collector {
namespace {

constexpr unsigned kMostQuestions = 4;  // at once, with those that wait
constexpr std::size_t kStreamDigits = 16;
constexpr std::string_view kPieceForm =
    "GET /v1/traces/<16 hex digits>/<first>-<last>[?had=<first>-<count>]\n";

bool read_whole(std::string_view text, std::uint64_t& number, int base) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number, base);
  return !text.empty() && read.ec == std::errc() && read.ptr == end;
}

// "12-40": two numbers.
bool read_pair(std::string_view text, std::uint64_t& one, std::uint64_t& other) {
  const auto dash = text.find('-');
  return dash != text.npos && read_whole(text.substr(0, dash), one, 10) &&
         read_whole(text.substr(dash + 1), other, 10);
}

std::optional<PieceOrder> order_of(std::string_view target, const std::string& folder) {
  constexpr std::string_view kHad = "?had=";
  target.remove_prefix(std::string_view("/v1/traces/").size());
  const auto query = target.find(kHad);
  const auto had = query == target.npos ? std::string_view() : target.substr(query + kHad.size());
  target = target.substr(0, query);
  const auto slash = target.find('/');
  if (slash != kStreamDigits) return std::nullopt;
  PieceOrder order{.folder = folder};
  const bool is_right = read_whole(target.substr(0, slash), order.stream, 16) &&
                        read_pair(target.substr(slash + 1), order.first, order.last);
  if (query != target.npos) {
    order.had.emplace().last = order.last;
    if (!read_pair(had, order.had->first, order.had->count)) return std::nullopt;
  }
  return is_right ? std::optional(std::move(order)) : std::nullopt;
}

unsigned status_of(base::Code code) {
  switch (code) {
    case base::Code::usage: return 400;
    case base::Code::open_failed: return 404;
    case base::Code::limit_exceeded: return 413;
    default: return 500;
  }
}

class OwnDesk final : public PieceDesk {
 public:
  OwnDesk(std::string folder, std::string token, Tell tell)
      : folder_(std::move(folder)), token_(std::move(token)), tell_(std::move(tell)) {}
  ~OwnDesk() override {
    thread_.stop();
    thread_.join();
  }

  void ask(std::string_view target, std::string_view authorization, Take take) override {
    constexpr std::string_view kBearer = "Bearer ";
    if (token_.empty())
      return take({403, "no token is configured here: metrics.token_file says one\n"});
    if (!authorization.starts_with(kBearer) ||
        !agent::control::same_secret(authorization.substr(kBearer.size()), token_))
      return take({401, "the token of metrics.token_file is needed\n"});
    auto order = order_of(target, folder_);
    if (!order) return take({400, std::string(kPieceForm)});
    if (++questions_ > kMostQuestions) {
      --questions_;
      return take({503, "busy with other questions: ask again in a moment\n"});
    }
    boost::asio::post(thread_, [this, order = std::move(*order), take = std::move(take)] {
      Answer answer = answer_to_order(order);
      --questions_;
      take(std::move(answer));
    });
  }

 private:
  Answer answer_to_order(const PieceOrder& order) {
    const auto piece = read_piece(order);
    if (!piece) return {status_of(piece.error().code), piece.error().detail + '\n'};
    tell_({Weight::news,
           "piece",
           {},
           order.stream,
           fmt::format("{} to {} were asked for: {}", order.first, order.last,
                       base::count_text(piece->blocks, "block", "blocks"))});
    const auto* const begin = reinterpret_cast<const char*>(piece->trace.data());
    return {200, std::string(begin, piece->trace.size()), piece->gone, piece->at_end};
  }

  std::string folder_;
  std::string token_;  // empty: nobody may ask
  Tell tell_;
  std::atomic<unsigned> questions_{0};
  boost::asio::thread_pool thread_{1};
};

}  // namespace

base::result<std::unique_ptr<PieceDesk>> PieceDesk::open(const Config& config, Tell tell) {
  std::string token;
  if (!config.token_file.empty()) {
    auto read = agent::control::read_private_token(config.token_file);
    if (!read) return base::fail(base::Code::open_failed, read.error().detail);
    token = std::move(*read);
  }
  return std::make_unique<OwnDesk>(config.spool, std::move(token), std::move(tell));
}

}  // namespace polytrace::collector
