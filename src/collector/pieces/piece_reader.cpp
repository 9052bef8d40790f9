// SPDX-License-Identifier: Apache-2.0
#include "collector/pieces/piece_reader.hpp"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <charconv>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::collector {
namespace {

constexpr std::size_t kStreamDigits = 16;
constexpr std::string_view kHad = "?had=";

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

unsigned status_of(base::Code code) {
  switch (code) {
    case base::Code::usage: return 400;
    case base::Code::open_failed: return 404;
    case base::Code::limit_exceeded: return 413;
    default: return 500;
  }
}

}  // namespace

std::optional<PieceOrder> parse_piece_order(std::string_view text) {
  const auto query = text.find(kHad);
  const auto had = query == text.npos ? std::string_view() : text.substr(query + kHad.size());
  text = text.substr(0, query);
  if (text.find('/') != kStreamDigits) return std::nullopt;
  PieceOrder order{};
  const bool is_right = read_whole(text.substr(0, kStreamDigits), order.stream, 16) &&
                        read_pair(text.substr(kStreamDigits + 1), order.first, order.last);
  if (query != text.npos) {
    order.had.emplace().last = order.last;
    if (!read_pair(had, order.had->first, order.had->count)) return std::nullopt;
  }
  return is_right ? std::optional(std::move(order)) : std::nullopt;
}

std::string to_text(const PieceOrder& order) {
  std::string text = fmt::format("{:016x}/{}-{}", order.stream, order.first, order.last);
  if (order.had) text += fmt::format("{}{}-{}", kHad, order.had->first, order.had->count);
  return text;
}

PieceReader::~PieceReader() {
  thread_.stop();
  thread_.join();
}

void PieceReader::ask(PieceOrder order, Take take) {
  order.folder = folder_;
  if (++questions_ > kMostQuestions) {
    --questions_;
    return take({503, "busy with other questions: ask again in a moment\n"});
  }
  boost::asio::post(thread_, [this, order = std::move(order), take = std::move(take)] {
    PieceAnswer answer = answer_to(order);
    --questions_;
    take(std::move(answer));
  });
}

PieceAnswer PieceReader::answer_to(const PieceOrder& order) {
  const auto piece = read_piece(order);
  if (!piece) return {status_of(piece.error().code), piece.error().detail + '\n'};
  ++figures_.pieces_total;
  tell_({Weight::news,
         "piece",
         {},
         order.stream,
         fmt::format("{} to {} were asked for: {}", order.first, order.last,
                     base::count_text(piece->blocks, "block", "blocks"))});
  const auto* const begin = reinterpret_cast<const char*>(piece->trace.data());
  return {200, std::string(begin, piece->trace.size()), piece->gone, piece->at_end};
}

}  // namespace polytrace::collector
