// SPDX-License-Identifier: Apache-2.0
#include "service/ask/contents.hpp"

#include <fmt/format.h>

#include "base/text/figure_text.hpp"
#include "service/input/store_of.hpp"
#include "service/input/told.hpp"
#include "service/json/parts.hpp"

namespace polytrace::service {
namespace {

void write_process(base::JsonWriter& json, const Overview& overview) {
  json.key("process");
  json.begin_object();
  json.key("pid");
  if (overview.pid == base::kNoId) json.null();
  else json.value(overview.pid);
  for (const Fact& fact : overview.process) {
    json.key(fact.name);
    std::visit([&](const auto& value) { json.value(value); }, fact.value);
  }
  json.end_object();
}

void write_time(base::JsonWriter& json, std::string_view key, base::Time time) {
  json.key(key);
  if (time == base::kNoTime) json.null();
  else json.value(time);
}

void write_times(base::JsonWriter& json, const Overview& overview) {
  json.key("recorded");
  if (overview.wall == base::kNoTime) json.null();
  else json.value(base::wall_text(overview.wall));
  json.key("span");
  json.begin_object();
  write_time(json, "first", overview.first);
  write_time(json, "last", overview.last);
  json.member("duration", overview.span());
  json.end_object();
  json.key("cut_off");
  if (overview.cut_off.empty()) json.null();
  else json.value(overview.cut_off);
}

// What is missing because methods could not be instrumented.
void write_uninstrumented(base::JsonWriter& json, const Overview& overview) {
  json.key("uninstrumented");
  json.begin_array();
  for (const auto& group : overview.uninstrumented.groups()) {
    json.begin_object();
    json.member("missing", group.calls ? "calls" : "allocations");
    json.member("reason", group.reason);
    json.key("methods");
    json.begin_array();
    for (const std::string& method : group.methods) json.value(method);
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_threads(base::JsonWriter& json, const Overview& overview) {
  json.key("threads");
  json.begin_array();
  for (const ThreadSpan& thread : overview.threads) {
    json.begin_object();
    json.member("id", fmt::format("{:#x}", thread.id));
    json.member("name", thread.name);
    json.member("events", thread.events);
    write_time(json, "first", thread.first);
    write_time(json, "last", thread.last);
    json.member("ends", thread.lives);
    json.end_object();
  }
  json.end_array();
}

void write_events(base::JsonWriter& json, const Overview& overview) {
  json.key("events");
  json.begin_object();
  json.member("total", overview.total());
  json.key("kinds");
  json.begin_object();
  for (std::size_t i = 0; i < overview.events.size(); ++i) {
    if (overview.events[i] == 0) continue;
    json.member(event::describe(static_cast<event::Kind>(i)).name, overview.events[i]);
  }
  json.end_object();
  json.end_object();
}

void write_records(base::JsonWriter& json, const Contents& contents) {
  const event::Tally& tally = contents.reading.passed.outcome.tally;
  json.key("records");
  json.begin_object();
  json.member("total", tally.total());
  json.key("kinds");
  json.begin_array();
  for (std::size_t i = 0; i < tally.records.size(); ++i) {
    if (tally.records[i].count == 0) continue;
    json.begin_object();
    json.member("number", static_cast<std::uint64_t>(i));
    json.member("name", contents.reading.origin.format->record_name(static_cast<std::uint8_t>(i)));
    json.member("count", tally.records[i].count);
    json.member("bytes", tally.records[i].bytes);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.key("frames");
  json.begin_object();
  json.member("count", tally.frames);
  json.member("header_bytes", tally.frame_bytes);
  json.end_object();
  json.member("time_wraps", tally.time_wraps);
}

// Where the index that is read tells it.
bool tell_contents(const Input& input, const format::Opened& opened, Contents& contents) {
  const auto store = store_of(opened);
  // A strict pass ends at the first problem.
  if (store == nullptr || store->notes().error || input.options().strict) return false;
  auto overview = told_overview(*store);
  if (!overview || !*overview) return false;
  contents.overview = std::move(**overview);
  contents.reading.passed = told_pass(*store);
  return true;
}

void read_contents(const Input& input, event::Reader& reader, Contents& contents) {
  OverviewConsumer consumer;
  contents.reading.passed = pass(input, reader, consumer);
  contents.overview = consumer.take();
}

}  // namespace

Asked<Contents> ask_contents(const Input& input) {
  auto opened = input.open();
  if (!opened) return refuse(opened.error(), input.name());
  Contents contents;
  contents.reading.origin = origin_of(input, *opened);
  if (!tell_contents(input, *opened, contents)) read_contents(input, *opened->reader, contents);
  contents.size = opened->reader->source().stored_size();
  return contents;
}

bool has_warnings(const Contents& contents) {
  return !contents.reading.passed.notices.empty() || !contents.overview.cut_off.empty();
}

bool is_whole(const Contents& contents, Strictness strictness) {
  const bool fails = strictness == Strictness::strict && has_warnings(contents);
  return !contents.reading.passed.is_partial() && !fails;
}

std::string_view verdict(const Contents& contents) {
  const Passed& passed = contents.reading.passed;
  if (passed.interrupted) return "interrupted";
  if (passed.outcome.error) return "cannot be read to its end";
  if (passed.is_partial()) return "damaged";
  if (!contents.overview.cut_off.empty()) return "cut off";
  return has_warnings(contents) ? "whole, with warnings" : "ok";
}

std::string info_json(const Contents& contents) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.info/1");
  write_origin(json, contents.reading.origin);
  json.member("compression", compression_name(contents.reading.origin.file));
  json.key("size");
  if (contents.size) json.value(*contents.size);
  else json.null();
  write_process(json, contents.overview);
  write_times(json, contents.overview);
  write_threads(json, contents.overview);
  write_events(json, contents.overview);
  write_records(json, contents);
  write_outcome(json, contents.reading.passed);
  json.end_object();
  return out + '\n';
}

std::string check_json(const Contents& contents, Strictness strictness) {
  const Passed& passed = contents.reading.passed;
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.check/1");
  write_origin(json, contents.reading.origin);
  json.member("ok", is_whole(contents, strictness));
  json.member("events", contents.overview.total());
  json.member("frames", passed.outcome.tally.frames);
  json.key("cut_off");
  if (contents.overview.cut_off.empty()) json.null();
  else json.value(contents.overview.cut_off);
  write_uninstrumented(json, contents.overview);
  write_outcome(json, passed);
  json.key("places");
  write_places(json, passed.notices);
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
