// SPDX-License-Identifier: Apache-2.0
#include "service/sql/sql_traces.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "service/json/parts.hpp"
#include "service/sql/trace_states.hpp"

namespace polytrace::service {
namespace {

void take(SqlTraces& all, const Input& input, ReadyIndex ready) {
  if (ready.replaced) all.remarks.push_back(*ready.replaced);
  if (ready.kept_out)
    all.remarks.push_back(
        {.code = ready.kept_out->code, .count = 1, .detail = ready.kept_out->detail});
  all.interrupted = all.interrupted || ready.store == nullptr;
  if (ready.store != nullptr)
    all.traces.push_back(std::make_shared<const sql::Trace>(
        std::move(ready.store),
        sql::TraceFacts{.file = input.name(),
                        .is_partial = ready.reading.passed.is_partial(),
                        .derived = std::make_shared<const TraceStates>(input.options())}));
  all.readings.push_back(std::move(ready.reading));
}

void write_value(base::JsonWriter& json, const sql::Value& value) {
  switch (value.type) {
    case sql::Type::null: return json.null();
    case sql::Type::integer: return json.value(value.integer);
    case sql::Type::real: return json.value(value.real);
    case sql::Type::text: return json.value(value.text);
  }
}

}  // namespace

bool SqlTraces::is_partial() const {
  return interrupted || std::ranges::any_of(readings, [](const Reading& reading) {
           return reading.passed.is_partial();
         });
}

Asked<SqlTraces> open_for_sql(std::span<const InputOptions> inputs, const Asking& asking) {
  SqlTraces all;
  for (const InputOptions& options : inputs) {
    const Input input(options, asking);
    auto ready = ready_index(input);
    if (!ready) return tl::unexpected(ready.error());
    take(all, input, std::move(*ready));
    if (all.interrupted) break;
  }
  return all;
}

void SqlJson::begin(const SqlTraces& traces, std::span<const sql::AnswerColumn> columns) {
  json_.begin_object();
  json_.member("schema", "polytrace.sql/1");
  json_.key("files");
  json_.begin_array();
  for (const Reading& reading : traces.readings) json_.value(reading.origin.file);
  json_.end_array();
  json_.key("columns");
  json_.begin_array();
  for (const sql::AnswerColumn& column : columns) {
    json_.begin_object();
    json_.member("name", column.name);
    json_.key("type");
    column.type.empty() ? json_.null() : json_.value(column.type);
    json_.key("unit");
    column.unit.empty() ? json_.null() : json_.value(column.unit);
    json_.end_object();
  }
  json_.end_array();
  json_.key("rows");
  json_.begin_array();
}

void SqlJson::row(std::span<const sql::Value> cells) {
  json_.begin_array();
  for (const sql::Value& cell : cells) write_value(json_, cell);
  json_.end_array();
}

void SqlJson::end(const SqlTraces& traces, std::optional<std::uint64_t> rows_left_out,
                  bool interrupted) {
  json_.end_array();
  json_.key("rows_left_out");
  rows_left_out ? json_.value(*rows_left_out) : json_.null();
  json_.member("partial", interrupted || traces.is_partial());
  json_.member("interrupted", interrupted);
  std::vector<base::Notice> notices;
  for (const Reading& reading : traces.readings)
    notices.insert(notices.end(), reading.passed.notices.begin(), reading.passed.notices.end());
  json_.key("notices");
  write_notices(json_, notices);
  json_.end_object();
}

void append_json_line(std::string& out, std::span<const sql::AnswerColumn> columns,
                      std::span<const sql::Value> cells) {
  base::JsonWriter json(out, base::JsonWriter::Form::one_line);
  json.begin_object();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    json.key(columns[i].name);
    write_value(json, cells[i]);
  }
  json.end_object();
  out += '\n';
}

}  // namespace polytrace::service
