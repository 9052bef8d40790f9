// SPDX-License-Identifier: Apache-2.0
#include "fleet/moments/piece.hpp"

#include <fmt/format.h>

#include "base/io/appender.hpp"
#include "format/native/framing.hpp"
#include "service/words/numbers.hpp"
#include "warehouse/fetch.hpp"

namespace polytrace::fleet {
namespace {

using format::native::BlockHeader;
using format::native::StreamHeader;

// Where its blocks begin, the end among them; empty: it is no such trace.
std::vector<base::Bytes> blocks_in(base::Bytes trace) {
  std::vector<base::Bytes> blocks;
  for (std::size_t at = sizeof(StreamHeader); at + sizeof(BlockHeader) <= trace.size();) {
    const std::size_t length = format::native::load_header(trace.data() + at).length;
    if (length > trace.size() - at - sizeof(BlockHeader)) return {};
    blocks.push_back(trace.subspan(at, sizeof(BlockHeader) + length));
    at += blocks.back().size();
  }
  return blocks;
}

// The trace with the last of the other one's blocks behind its own; nothing: they do not fit.
std::optional<FetchedBlocks> joined(const FetchedBlocks& one, const FetchedBlocks& other) {
  const std::vector<base::Bytes> begin = blocks_in(one.trace);
  const std::vector<base::Bytes> behind = blocks_in(other.trace);
  const std::uint64_t had = other.blocks.value_or(0);
  if (begin.empty() || !one.blocks || had == 0 || had >= behind.size()) return std::nullopt;
  base::Appender out;
  std::uint64_t next = 0;
  out.bytes(base::Bytes(one.trace).first(sizeof(StreamHeader)));
  const auto put = [&](base::Bytes block) {
    BlockHeader header = format::native::load_header(block.data());
    header.index = next++;
    seal(header, block.subspan(sizeof header));
    out.fixed(header);
    out.bytes(block.subspan(sizeof header));
  };
  for (const base::Bytes block : std::span(begin).first(begin.size() - 1)) put(block);
  for (const base::Bytes block : std::span(behind).last(had + 1)) put(block);
  return FetchedBlocks{{out.view().begin(), out.view().end()}, *one.blocks + had};
}

// What is had of them is not fetched again, as far as that is possible.
base::result<FetchedBlocks> fetch_more(BlocksOrder order, const FetchedBlocks& had,
                                       const FetchBlocks& fetch) {
  if (had.blocks.value_or(0) != 0) {
    BlocksOrder rest = order;
    rest.had = *had.blocks;
    if (const auto more = fetch(rest))
      if (auto all = joined(*more, had)) return std::move(*all);
  }
  return fetch(order);
}

}  // namespace

FetchBlocks from_edge(Edge edge, const std::atomic<bool>* stop) {
  edge.url.resize(edge.url.find_last_not_of('/') + 1);
  return [edge = std::move(edge), stop](const BlocksOrder& order) -> base::result<FetchedBlocks> {
    std::string url =
        fmt::format("{}/v1/traces/{:016x}/{}-{}", edge.url, order.stream, order.first, order.last);
    if (order.had != 0) url += fmt::format("?had={}-{}", order.had_from, order.had);
    auto fetched = warehouse::fetch({.url = std::move(url),
                                     .token = edge.token,
                                     .ca = edge.ca,
                                     .within = edge.within,
                                     .field = "Polytrace-Blocks",
                                     .stop = stop});
    if (!fetched) return base::Unexpected(fetched.error());
    return FetchedBlocks{std::move(fetched->bytes),
                         service::parse_number<std::uint64_t>(fetched->field)};
  };
}

base::result<Piece> get_piece(const Moment& moment, const FetchBlocks& fetch) {
  const MomentName& name = moment.name;
  BlocksOrder order{.stream = name.stream, .last = name.block + kBlocksBehind};
  FetchedBlocks had;
  for (const std::uint64_t before : kBlocksBefore) {
    order.had_from = order.first;
    order.first = name.block - std::min(name.block, before);
    auto fetched = fetch_more(order, had, fetch);
    if (!fetched) return base::Unexpected(fetched.error());
    auto seen = look_for(moment, fetched->trace);
    if (!seen) return base::Unexpected(seen.error());
    if (seen->begins || order.first == 0 || before == kBlocksBefore.back())
      return Piece{std::move(fetched->trace), std::move(*seen), order.first, order.last};
    had = std::move(*fetched);
  }
  return Piece{};
}

void write_moment(base::JsonWriter& json, const Moment& moment, const Piece& piece) {
  json.member("bytes", std::uint64_t{piece.trace.size()});
  json.member("moment", to_text(moment.name));
  json.member("kind", moment_kind(moment.kind));
  json.member("subject", moment.subject);
  json.member("took_ns", moment.took);
  json.member("at", piece.seen.at);
  json.member("thread", moment.thread);
  json.member("service", moment.service);
  json.member("host", moment.host);
  json.member("instance", moment.instance);
  json.member("note", piece.seen.note);
  json.member("begins", piece.seen.begins);
}

std::vector<std::string> next_commands(const Moment& moment, const Sighting& seen,
                                       const std::string& file) {
  const auto from = static_cast<std::uint64_t>(seen.at);
  const auto time = [](std::uint64_t clock) { return static_cast<base::Time>(clock); };
  return {fmt::format("polytrace report {} --from {} --to {}", file, seen.at,
                      time(from + moment.took + 1)),
          fmt::format("polytrace state {} --at {}", file, time(from + moment.took / 2))};
}

}  // namespace polytrace::fleet
