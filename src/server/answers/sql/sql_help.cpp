// SPDX-License-Identifier: Apache-2.0
#include "server/answers/sql/sql_session.hpp"
#include "sql/cookbook.hpp"

namespace polytrace::server {
namespace {

void write_described(base::JsonWriter& json, std::string_view name,
                     const std::vector<sql::Described>& all) {
  json.key(name);
  json.begin_array();
  for (const sql::Described& one : all) {
    json.begin_object();
    json.member("name", one.is_function ? sql::call_text(one) : one.name);
    json.member("meaning", one.meaning);
    json.key("columns");
    json.begin_array();
    for (const sql::Column& column : one.columns) {
      if (column.use == sql::Column::Use::parameter) continue;
      json.begin_object();
      json.member("name", column.name);
      json.member("unit", column.unit);
      json.member("meaning", column.meaning);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Answered answer_sql_help(Ask& ask) {
  const service::SqlTraces traces = sql_traces(ask);
  const auto session = SqlSession::begin(traces, std::chrono::seconds(1));
  if (session == nullptr) return tl::unexpected(fault_reply(Fault::busy));
  auto database = session->database();
  if (!database) return tl::unexpected(fault_reply(database.error()));
  AnswerJson answer("sql_help", From::index);
  base::JsonWriter& json = answer.json();
  write_described(json, "tables", (*database)->tables());
  write_described(json, "functions", (*database)->functions());
  json.key("examples");
  json.begin_array();
  for (const sql::Example& example : sql::cookbook()) {
    json.begin_object();
    json.member("question", example.question);
    json.member("query", example.query);
    json.end_object();
  }
  json.end_array();
  return answer.take(false);
}

}  // namespace polytrace::server
