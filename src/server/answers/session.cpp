// SPDX-License-Identifier: Apache-2.0
#include "server/answers/ask.hpp"
#include "server/assets.hpp"
#include "service/trace/tiles.hpp"

namespace polytrace::server {
namespace {

void write_limits(base::JsonWriter& json) {
  json.key("limits");
  json.begin_object();
  json.member("body_bytes", std::uint64_t{1} << 20);
  json.member("tile_items", service::kMostTileItems);
  json.member("limit", kMostLimit);
  json.end_object();
}

void write_fleet(base::JsonWriter& json, const std::optional<FleetOffer>& fleet) {
  json.key("fleet");
  if (!fleet) return json.null();
  json.begin_object();
  json.member("store", fleet->store.address);
  json.member("edge", fleet->has_events());
  json.end_object();
}

}  // namespace

Answered answer_session(Ask& ask) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Form::one_line);
  json.begin_object();
  json.member("schema", "polytrace.ui.session/1");
  json.member("version", POLYTRACE_VERSION);
  json.member("api", 1);
  json.member("page", page_hash());
  json.key("traces");
  json.begin_array();
  for (const TraceView& view : ask.offers.traces.all()) {
    json.begin_object();
    write_summary(json, view);
    json.end_object();
  }
  json.end_array();
  json.member("files", !ask.offers.options.root.empty());
  json.member("control", false);
  write_fleet(json, ask.offers.options.fleet);
  write_limits(json);
  json.end_object();
  return Reply{.body = std::move(text)};
}

}  // namespace polytrace::server
