// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/sections.hpp"
#include "server/answers/ask.hpp"
#include "service/ask/contents.hpp"
#include "service/trace/profile.hpp"

namespace polytrace::server {
namespace {

void write_weights(base::JsonWriter& json, const service::IndexedTrace& trace) {
  json.key("weights");
  json.begin_array();
  for (const analysis::Weight* weight : service::weights_of(trace)) {
    json.begin_object();
    json.member("key", weight->key);
    json.member("title", weight->title);
    json.end_object();
  }
  json.end_array();
}

// Those that the trace has the events for.
void write_sections(base::JsonWriter& json, const service::IndexedTrace& trace) {
  const auto has = [&](event::Kind kind) {
    const bool is_call = kind == event::Kind::Enter || kind == event::Kind::Leave;
    return is_call ? trace.store().facts().totals.blocks != 0 : trace.rows(kind) != 0;
  };
  json.key("sections");
  json.begin_array();
  for (const analysis::Section& section : analysis::sections()) {
    json.begin_object();
    json.member("key", section.key);
    json.member("title", section.title);
    json.member("has_events", section.kinds.empty() || std::ranges::any_of(section.kinds, has));
    json.end_object();
  }
  json.end_array();
}

void write_index(base::JsonWriter& json, const service::IndexedTrace& trace) {
  json.key("index");
  json.begin_object();
  json.member("bytes", trace.index_bytes());
  json.member("events", trace.store().facts().totals.events);
  json.end_object();
}

}  // namespace

Answered answer_trace(Ask& ask) {
  const service::IndexedTrace& trace = ask.trace();
  const auto input = trace.input(&ask.stop);
  auto contents = service::ask_contents(*input);
  if (!contents) return tl::unexpected(fault_reply(contents.error()));
  // What was read is the index.
  contents->size = trace.store().facts().source.size;
  contents->reading.origin.file = ask.view.file;
  std::string text = service::info_json(*contents);
  // Its members, and then ours.
  text.resize(text.find_last_of('}'));
  while (text.ends_with('\n') || text.ends_with(' ')) text.pop_back();
  std::string more;
  base::JsonWriter json(more, base::JsonWriter::Form::one_line);
  json.begin_object();
  json.member("id", ask.view.id);
  json.member("state", word_of(ask.view.state));
  json.member("first_offset", std::to_string(trace.origin()));
  json.member("end", trace.offset(contents->overview.last) + 1);
  write_weights(json, trace);
  write_sections(json, trace);
  write_index(json, trace);
  json.end_object();
  return Reply{.body = text + ',' + more.substr(1)};
}

}  // namespace polytrace::server
