// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "collector/push/push.hpp"
#include "service/json/parts.hpp"

namespace polytrace::collector {
namespace {

void write_time(base::JsonWriter& json, std::string_view name, base::Time wall) {
  json.key(name);
  if (wall == base::kNoTime) json.null();
  else json.value(wall);
}

void write_labels(base::JsonWriter& json, const warehouse::Labels& labels) {
  json.key("labels");
  json.begin_object();
  json.member("service", labels.service);
  json.member("version", labels.version);
  json.member("host", labels.host);
  json.member("instance", labels.instance);
  json.member("runtime", labels.runtime);
  json.member("agent", labels.agent);
  for (const auto& [name, value] : labels.free) json.member(name, value);
  json.end_object();
}

}  // namespace

std::string push_json(std::span<const Pushed> all, std::uint64_t left_out) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.push/1");
  json.key("traces");
  json.begin_array();
  for (const Pushed& one : all) {
    json.begin_object();
    service::write_origin(json, one.reading.origin);
    json.member("series", fmt::format("{:#x}", one.ids.series));
    json.member("stream", fmt::format("{:#x}", one.ids.stream));
    write_labels(json, one.labels);
    write_time(json, "first", one.first);
    write_time(json, "last", one.last);
    json.member("events", one.events);
    json.member("events_refused", one.refused);
    json.member("time_refused", one.refused_time);
    json.member("rows", one.rows);
    json.member("retries", one.retries);
    if (one.messages != 0) json.member("messages", one.messages);
    json.member("sent_before", one.before != 0);
    service::write_outcome(json, one.reading.passed);
    json.end_object();
  }
  json.end_array();
  if (left_out != 0) json.member("traces_left_out", left_out);
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::collector
