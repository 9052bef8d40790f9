// SPDX-License-Identifier: Apache-2.0
#include "server/answers/ask.hpp"

namespace polytrace::server {
namespace {

using service::ThreadFacts;
using service::Track;

void write_track(base::JsonWriter& json, const Track& track) {
  json.begin_object();
  json.member("number", track.number);
  json.member("id", track.id);
  json.member("kind", track.kind);
  write_optional(json, "thread", track.thread);
  json.member("name", track.name);
  json.member("rows", track.rows);
  json.member("items", track.items);
  write_optional(json, "first", track.first);
  write_optional(json, "last", track.last);
  json.member("group", track.thread ? track.name : std::string());
  if (track.series) json.member("unit", track.series->unit);
  json.end_object();
}

void write_thread(base::JsonWriter& json, const ThreadFacts& thread) {
  json.begin_object();
  json.member("index", thread.index);
  json.member("id", thread.id);
  json.member("name", thread.name);
  json.member("main", thread.is_main);
  json.member("busy", thread.busy);
  json.member("calls", thread.calls);
  write_optional(json, "first", thread.first);
  write_optional(json, "last", thread.last);
  json.end_object();
}

}  // namespace

Answered answer_tracks(Ask& ask) {
  AnswerJson answer("tracks", From::index);
  base::JsonWriter& json = answer.json();
  const service::Tracks& tracks = ask.tracks();
  json.key("tracks");
  json.begin_array();
  for (const std::uint32_t number : tracks.order) write_track(json, tracks.all[number]);
  json.end_array();
  json.key("threads");
  json.begin_array();
  for (const ThreadFacts& thread : tracks.threads) write_thread(json, thread);
  json.end_array();
  return answer.take(ask.trace().is_partial(), tracks.notes);
}

}  // namespace polytrace::server
