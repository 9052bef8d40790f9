// SPDX-License-Identifier: Apache-2.0
#include "service/trace/series.hpp"

#include "server/answers/ask.hpp"

namespace polytrace::server {
namespace {

service::SeriesQuestion read_series_asked(Members members) {
  service::SeriesQuestion question;
  question.tracks = members.indexes("tracks");
  const auto from = members.integer("from"), to = members.integer("to");
  if (!from || !to || *to <= *from) members.complain("to", "is not behind \"from\"");
  question.from = from.value_or(0);
  question.to = to.value_or(1);
  question.points = static_cast<std::uint32_t>(members.count("points", 1000, service::kMostPoints));
  return question;
}

}  // namespace

Answered answer_series(Ask& ask) {
  service::SeriesQuestion question = read_series_asked(ask.body.members());
  question.stop = &ask.stop;
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  auto made = service::series(ask.trace(), ask.tracks(), question);
  if (!made) return tl::unexpected(fault_reply(made.error()));
  return Reply{.type = "application/octet-stream", .body = std::move(*made)};
}

}  // namespace polytrace::server
