// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/info_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/figure_text.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/input/compression.hpp"
#include "cli/show/escape.hpp"
#include "cli/show/tables.hpp"

namespace polytrace::cli {
namespace {

using analysis::Table;
using analysis::Unit;
using base::kNoTime;
using event::Tally;

class Lines {
 public:
  Lines(std::string& out, const Look& look) : out_(out), look_(look) {}
  void add(std::string_view name, std::string_view value) {
    std::string label(name);
    label.resize(std::max<std::size_t>(label.size() + 1, 18), ' ');
    out_ += "  " + paint(look_.terminal, Style::faint, label) + printable(value) + '\n';
  }

 private:
  std::string& out_;
  const Look& look_;
};

std::string words(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

void add_process(Lines& lines, const Overview& overview) {
  if (overview.pid != base::kNoId) lines.add("process", fmt::format("{}", overview.pid));
  for (const Fact& fact : overview.process) {
    if (const auto* text = std::get_if<std::string>(&fact.value))
      lines.add(words(fact.name), *text);
    else lines.add(words(fact.name), fmt::format("{}", std::get<std::uint64_t>(fact.value)));
  }
}

void add_times(Lines& lines, const Overview& overview) {
  if (overview.wall != kNoTime) lines.add("recorded", base::wall_text(overview.wall));
  if (overview.first == kNoTime) return;
  lines.add("duration", base::duration_text(overview.span()));
  lines.add("clock", fmt::format("{} to {} ns", overview.first, overview.last));
  if (!overview.cut_off.empty()) lines.add("cut off", overview.cut_off);
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

Table kinds_table(const Overview& overview) {
  Table table{.key = "events",
              .section = "events",
              .title = "Events",
              .columns = {},
              .rows = {},
              .notes = {}};
  table.columns = {{"kind", "Kind", Unit::none},
                   {"count", "Count", Unit::count},
                   {"share", "Share", Unit::percent}};
  for (std::size_t i = 0; i < overview.events.size(); ++i) {
    if (overview.events[i] == 0) continue;
    const auto& info = event::describe(static_cast<event::Kind>(i));
    table.rows.push_back(
        {std::string(info.name), overview.events[i], share(overview.events[i], overview.total())});
  }
  std::sort(table.rows.begin(), table.rows.end(),
            [](const auto& a, const auto& b) { return a[1] == b[1] ? a[0] < b[0] : b[1] < a[1]; });
  return table;
}

Table records_table(const format::Opened& opened, const Tally& tally) {
  Table table{.key = "records",
              .section = "records",
              .title = fmt::format("Records of the format ({})", opened.format->name),
              .columns = {},
              .rows = {},
              .notes = {}};
  table.columns = {{"record", "Record", Unit::none},
                   {"count", "Count", Unit::count},
                   {"bytes", "Bytes", Unit::bytes}};
  for (std::size_t i = 0; i < tally.records.size(); ++i) {
    const Tally::Records& records = tally.records[i];
    if (records.count == 0) continue;
    table.rows.push_back(
        {opened.format->record_name(static_cast<std::uint8_t>(i)), records.count, records.bytes});
  }
  return table;
}

Table threads_table(const Overview& overview, std::uint64_t limit) {
  Table table{.key = "threads",
              .section = "threads",
              .title = "Threads",
              .columns = {},
              .rows = {},
              .notes = {}};
  table.columns = {{"thread", "Thread", Unit::address}, {"name", "Name", Unit::none},
                   {"events", "Events", Unit::count},   {"first", "First event", Unit::time},
                   {"last", "Last event", Unit::time},  {"ends", "Ends seen", Unit::count}};
  for (const ThreadSpan& thread : overview.threads) {
    if (limit != 0 && table.rows.size() == limit) {
      table.rows_left_out = overview.threads.size() - limit;
      break;
    }
    const std::string name = thread.id == base::kNoId ? "(events of no thread)" : thread.name;
    table.rows.push_back({thread.id, name, thread.events, thread.first, thread.last, thread.lives});
  }
  return table;
}

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
  if (time == kNoTime) json.null();
  else json.value(time);
}

void write_times(base::JsonWriter& json, const Overview& overview) {
  json.key("recorded");
  if (overview.wall == kNoTime) json.null();
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

void write_records(base::JsonWriter& json, const format::Opened& opened, const Tally& tally) {
  json.key("records");
  json.begin_object();
  json.member("total", tally.total());
  json.key("kinds");
  json.begin_array();
  for (std::size_t i = 0; i < tally.records.size(); ++i) {
    if (tally.records[i].count == 0) continue;
    json.begin_object();
    json.member("number", static_cast<std::uint64_t>(i));
    json.member("name", opened.format->record_name(static_cast<std::uint8_t>(i)));
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

}  // namespace

void append_info_text(std::string& out, const InfoResult& result, const Look& look) {
  const format::Format& format = *result.opened.format;
  const Overview& overview = result.overview;
  const Tally& tally = result.passed.outcome.tally;
  out += paint(look.terminal, Style::heading, printable(result.input.name())) + '\n';
  Lines lines(out, look);
  lines.add("format", fmt::format("{} ({}), version {}", format.title, format.name,
                                  result.opened.reader->version()));
  const auto compression = compression_name(result.input.name());
  if (compression == "gzip" || compression == "zstd") lines.add("compressed", compression);
  if (const auto size = result.opened.reader->source().stored_size())
    lines.add("size", base::bytes_text(*size));
  add_process(lines, overview);
  add_times(lines, overview);
  lines.add("threads", base::count_text(overview.thread_count()));
  lines.add("events", base::count_text(overview.total()));
  lines.add("frames", base::count_text(tally.frames));
  if (tally.time_wraps != 0) lines.add("time steps back", base::count_text(tally.time_wraps));
  Look since_start = look;
  since_start.start = overview.first;
  append_text(out, kinds_table(overview), look);
  append_text(out, records_table(result.opened, tally), look);
  append_text(out, threads_table(overview, result.thread_limit), since_start);
  append_notices_text(out, result.passed, look);
}

void append_info_json(std::string& out, const InfoResult& result) {
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.info/1");
  write_source(json, result.input, *result.opened.format, result.opened.reader->version());
  json.member("compression", compression_name(result.input.name()));
  json.key("size");
  if (const auto size = result.opened.reader->source().stored_size()) json.value(*size);
  else json.null();
  write_process(json, result.overview);
  write_times(json, result.overview);
  write_threads(json, result.overview);
  write_events(json, result.overview);
  write_records(json, result.opened, result.passed.outcome.tally);
  write_outcome(json, result.passed);
  json.end_object();
  out += '\n';
}

}  // namespace polytrace::cli
