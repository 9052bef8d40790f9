// SPDX-License-Identifier: Apache-2.0
#include "cli/options/table_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <span>

#include "base/codes.hpp"
#include "base/io/sink.hpp"
#include "service/ask/report.hpp"

namespace polytrace::cli {
namespace {

using analysis::Table;

base::result<void> write_file(const std::string& path, std::string_view text) {
  auto sink = base::create_sink(path, false);
  if (!sink) return base::Unexpected(sink.error());
  if (auto done = (*sink)->write(std::as_bytes(std::span(text))); !done) return done;
  return (*sink)->commit();
}

}  // namespace

void TableOutput::add_to(OptionList& list) {
  const char* group = "Output";
  list.add("--sort", sort_, "Sort tables that have this column by it (its name as in CSV)")
      .takes("COLUMN")
      .in(group);
  list.add("--columns", columns_,
           "Only these columns, in this order (their names as in CSV); tables without any of them "
           "are left out")
      .takes("COLUMN[,COLUMN...]")
      .in(group);
  list.add("--limit", limit_, "Rows per table, 0 = all").takes("COUNT").shows_default().in(group);
  list.add("--format", format_,
           "The form of the result; --json means --format json, jsonl is one row a line")
      .one_of(table_form_words())
      .takes("FORM")
      .shows_default()
      .in(group);
  list.add("-o,--output", folder_,
           "With csv, tsv or jsonl: one file per table, in this folder, which must be new or empty")
      .takes("DIR")
      .in(group);
}

TableForm TableOutput::form(const Session& session) const {
  return session.common.json ? TableForm::json : table_form(format_);
}

base::result<void> TableOutput::check(const Session& session) const {
  if (!goes_to_folder()) return {};
  if (!is_of_rows(form(session)))
    return base::fail(base::Code::usage,
                      "--output takes one file per table: say --format csv, tsv or jsonl, too");
  std::error_code fault;
  if (std::filesystem::exists(folder_, fault) && !std::filesystem::is_empty(folder_, fault))
    return base::fail(base::Code::usage,
                      fmt::format("--output: {} is there and no empty folder", folder_));
  return {};
}

base::result<void> TableOutput::apply(std::vector<Table>& tables) const {
  return service::choose_columns(tables, sort_, columns_);
}

base::result<void> TableOutput::write(const Session& session,
                                      const std::vector<Table>& tables) const {
  std::error_code fault;
  std::filesystem::create_directories(folder_, fault);
  const TableForm chosen = form(session);
  std::size_t files = 0;
  for (const Table& table : tables) {
    if (table.rows.empty()) continue;
    std::string text;
    append_rows(text, std::span(&table, 1), chosen);
    const std::string path = fmt::format("{}/{}.{}", folder_, table.key, word_of(chosen));
    if (auto done = write_file(path, text); !done) return done;
    ++files;
  }
  session.remark(fmt::format("{}: {} files, one per table", folder_, files));
  return {};
}

}  // namespace polytrace::cli
