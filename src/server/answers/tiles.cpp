// SPDX-License-Identifier: Apache-2.0
#include "service/trace/tiles.hpp"
#include "server/answers/ask.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::server {
namespace {

constexpr std::uint64_t kMostWidth = 100'000;

service::TilesQuestion read_tiles_asked(Members members) {
  service::TilesQuestion question;
  for (Members& track : members.objects("tracks"))
    question.tracks.push_back(
        {static_cast<std::uint32_t>(track.count("track", 0)), track.indexes("bands")});
  const auto from = members.integer("from"), to = members.integer("to");
  if (!from || !to || *to <= *from) members.complain("to", "is not behind \"from\"");
  question.from = from.value_or(0);
  question.to = to.value_or(1);
  question.width = static_cast<std::uint32_t>(members.count("width", 1000, kMostWidth));
  question.budget =
      static_cast<std::uint32_t>(members.count("budget", 40'000, service::kMostTileItems));
  return question;
}

Reply binary(std::string bytes) {
  return {.type = "application/octet-stream", .body = std::move(bytes)};
}

}  // namespace

Answered answer_tiles(Ask& ask) {
  service::TilesQuestion question = read_tiles_asked(ask.body.members());
  question.stop = &ask.stop;
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  auto made = service::tiles(ask.trace(), ask.tracks(), question);
  if (!made) return tl::unexpected(fault_reply(made.error()));
  return binary(std::move(*made));
}

// A trace that is ready does not change: nor do its tiles.
Answered answer_tile(Ask& ask) {
  const auto track = service::parse_number<std::uint32_t>(ask.words[0]);
  const auto level = service::parse_number<unsigned>(ask.words[1]);
  const auto index = service::parse_number<std::int64_t>(ask.words[2]);
  const auto band = service::parse_number<std::uint32_t>(ask.words[3]);
  if (!track || !level || !index || !band) return tl::unexpected(fault_reply(Fault::unknown_path));
  auto made = service::tile(ask.trace(), ask.tracks(), {*track, *level, *index, *band}, &ask.stop);
  if (!made) return tl::unexpected(fault_reply(made.error()));
  const std::string tag = '"' + base::to_hex(ask.trace().store().facts().id) + '"';
  Reply reply = binary(std::move(*made));
  if (ask.request.only("If-None-Match") == tag) reply = {.status = 304, .type = {}};
  reply.fields = {{"Cache-Control", "private, max-age=31536000, immutable"}, {"ETag", tag}};
  return reply;
}

}  // namespace polytrace::server
