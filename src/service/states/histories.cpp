// SPDX-License-Identifier: Apache-2.0
#include "service/states/histories.hpp"

#include <fmt/format.h>

#include "service/json/parts.hpp"
#include "service/states/query.hpp"

namespace polytrace::service {
namespace {

void write_paths(base::JsonWriter& json, const history::History& history) {
  json.key("paths");
  json.begin_array();
  for (const history::Key key : history.keys()) {
    json.begin_object();
    json.member("key", key);
    json.member("path", path_text(history, key));
    json.member("type", name(history.type(key)));
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string_view name_of(history::Layout layout) {
  return layout == history::Layout::stream ? "stream" : "segmented";
}

base::result<OpenHistory> open_history(const HistorySource& source) {
  history::OpenBundleOptions options;
  options.force = source.mixed;
  auto files = history::BundleFiles::find(source.path);
  if (!files) return base::Unexpected(files.error());
  auto opened = history::open_bundle(*files, options);
  if (!opened) return base::Unexpected(opened.error());
  return OpenHistory{source, std::move(*files), std::move(*opened)};
}

base::result<CheckedHistory> check_history(const HistorySource& source) {
  const auto opened = open_history(source);
  if (!opened) return base::Unexpected(opened.error());
  const history::History& history = opened->history;
  const auto verified = history.verify();
  CheckedHistory checked{.facts = history.facts(), .notices = history.notices()};
  if (!source.mixed) {
    const auto differences = history::compare_bundle(history, opened->files);
    if (!differences) return base::Unexpected(differences.error());
    checked.notices.merge(*differences);
  }
  if (!verified) checked.error = verified.error();
  checked.whole = verified.has_value() && checked.notices.exit_code() == 0;
  return checked;
}

std::string history_json(const std::string& file, const history::History& history, bool paths) {
  std::string out;
  const history::Facts& facts = history.facts();
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.history/1");
  json.member("file", file);
  json.member("id", history::to_text(facts.id));
  json.member("version", fmt::format("{}.{}", facts.version, facts.minor));
  json.member("layout", name_of(facts.layout));
  json.member("bytes", facts.bytes);
  json.member("complete", facts.complete);
  json.member("start", facts.start);
  json.member("end", facts.end);
  json.member("ticks_per_second", facts.ticks_per_second);
  json.key("clock_offset");
  facts.clock_offset ? json.value(*facts.clock_offset) : json.null();
  json.member("timelines", facts.keys);
  json.member("states", facts.intervals);
  json.member("changes", facts.changes);
  json.member("segments", facts.segments);
  json.member("texts", facts.strings);
  if (paths) write_paths(json, history);
  json.key("notices");
  write_notices(json, history.notices().sorted());
  json.end_object();
  return out + '\n';
}

std::string history_check_json(const std::string& file, const CheckedHistory& checked) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.history.check/1");
  json.member("file", file);
  json.member("whole", checked.whole);
  json.member("states", checked.facts.intervals);
  json.key("notices");
  write_notices(json, checked.notices.sorted());
  json.end_object();
  return out + '\n';
}

std::string states_json(const std::string& file, const analysis::Table& table) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.states/1");
  json.member("file", file);
  json.key("table");
  write_table(json, table);
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
