// SPDX-License-Identifier: Apache-2.0
#include "cli/sql/sql_dots.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "cli/show/text_room.hpp"
#include "cli/show/text_table.hpp"
#include "service/words/words.hpp"
#include "sql/cookbook.hpp"

namespace polytrace::cli {
namespace {

using sql::Column;
using sql::Described;

void append_described(std::string& out, const std::vector<Described>& all, const Look& look,
                      std::string_view title) {
  TextTable table{
      .columns = {{.title = std::string(title)}, {.title = "what it has", .fit = Fit::sentence}},
      .rows = {}};
  for (const Described& one : all)
    table.rows.push_back(
        {one.is_function ? sql::call_text(one) : one.name, std::string(one.meaning)});
  append_text_table(out, table, look.terminal);
}

std::string_view type_word(sql::Type type) {
  if (type == sql::Type::integer) return "integer";
  return type == sql::Type::real ? "real" : "text";
}

std::string_view use_word(const Column& column, bool is_function) {
  if (column.use == Column::Use::pushed) return "quick to search";
  if (column.use != Column::Use::parameter) return "";
  return is_function ? "parameter" : "hidden";
}

void append_columns(std::string& out, const Described& table, const Look& look) {
  out += fmt::format("{}: {}\n", table.is_function ? sql::call_text(table) : table.name,
                     table.meaning);
  if (table.columns.empty()) return;
  TextTable columns{.columns = {{.title = "column"},
                                {.title = "type"},
                                {.title = "unit"},
                                {.title = "meaning", .fit = Fit::sentence},
                                {.title = "note"}},
                    .rows = {}};
  for (const Column& column : table.columns)
    columns.rows.push_back({std::string(column.name), std::string(type_word(column.type)),
                            std::string(column.unit), std::string(column.meaning),
                            std::string(use_word(column, table.is_function))});
  append_text_table(out, columns, look.terminal);
}

int tell_schema(Session& session, const sql::Database& database, std::string_view name) {
  std::vector<Described> all = database.tables();
  const auto functions = database.functions();
  all.insert(all.end(), functions.begin(), functions.end());
  bool any = false;
  for (const Described& one : all) {
    if (one.name != name) continue;
    append_columns(session.out().text(), one, session.look());
    any = true;
  }
  if (any) return 0;
  std::vector<std::string> names;
  for (const Described& one : all) names.push_back(one.name);
  return session.fail_usage(
      fmt::format("no table or function \"{}\"{}", name, service::did_you_mean(name, names)));
}

void append_examples(std::string& out, std::string_view word) {
  for (const sql::Example& example : sql::cookbook())
    if (sql::is_about(example, word))
      out += fmt::format("-- {}\n{};\n\n", example.question, example.query);
}

}  // namespace

int run_dots(Session& session, const sql::Database& database, std::string_view line) {
  const std::size_t blank = line.find(' ');
  const std::string_view word = line.substr(0, blank);
  std::string_view rest = blank == line.npos ? std::string_view() : line.substr(blank + 1);
  while (rest.ends_with(' ') || rest.ends_with(';')) rest.remove_suffix(1);
  std::string& out = session.out().text();
  if (word == ".schema" && !rest.empty()) return tell_schema(session, database, rest);
  if (word == ".tables" || word == ".schema")
    return append_described(out, database.tables(), session.look(), "table"), 0;
  if (word == ".functions")
    return append_described(out, database.functions(), session.look(), "function"), 0;
  if (word == ".examples") return append_examples(out, rest), 0;
  return session.fail_usage(fmt::format(
      "no \"{}\": there are .tables, .schema [TABLE], .functions, .examples [WORD]", word));
}

}  // namespace polytrace::cli
