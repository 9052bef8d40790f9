// SPDX-License-Identifier: Apache-2.0
#include "warehouse/schema.hpp"

#include <fmt/format.h>

#include <ctime>

#include "base/codes.hpp"
#include "warehouse/row_binary.hpp"

asm(".pushsection .rodata\n"
    "polytrace_schema_base: .incbin \"" POLYTRACE_SCHEMA_FOLDER
    "/0001_base.sql\"\n"
    ".incbin \"" POLYTRACE_SCHEMA_FOLDER
    "/0002_tiers.sql\"\n"
    "polytrace_schema_base_end:\n"
    ".globl polytrace_schema_base, polytrace_schema_base_end\n"
    ".hidden polytrace_schema_base, polytrace_schema_base_end\n"
    ".popsection\n");
extern "C" {
[[gnu::visibility("hidden")]] extern const char polytrace_schema_base[],
    polytrace_schema_base_end[];
}

namespace polytrace::warehouse {
namespace {

using base::Code;

constexpr std::uint32_t kMajor = 100;
constexpr int kNoTable = 60, kNoDatabase = 81;  // ClickHouse's codes

// All files, in their order.
std::string_view schema_text() {
  return {polytrace_schema_base,
          static_cast<std::size_t>(polytrace_schema_base_end - polytrace_schema_base)};
}

// The table that a statement makes.
std::string table_of(std::string_view statement) {
  constexpr std::string_view kBefore = "{db}.";
  const std::size_t begin = statement.find(kBefore) + kBefore.size();
  return std::string(statement.substr(begin, statement.find(' ', begin) - begin));
}

// "{RMT:last}" -> "ReplacingMergeTree(last)".
std::string engine_text(std::string_view mark, const std::string& table,
                        const std::string& database, Engines engines) {
  const bool replacing = mark.starts_with("RMT");
  const auto colon = mark.find(':');
  std::string parts(colon == std::string_view::npos ? "" : mark.substr(colon + 1));
  const std::string_view name = replacing ? "ReplacingMergeTree" : "MergeTree";
  if (engines == Engines::single) return fmt::format("{}({})", name, parts);
  if (!parts.empty()) parts = ", " + parts;
  return fmt::format("Replicated{}('/polytrace/{}/{{shard}}/{}', '{{replica}}'{})", name, database,
                     table, parts);
}

std::string filled(std::string_view statement, const std::string& database, Engines engines) {
  const std::string table = table_of(statement);
  std::string text;
  while (true) {
    const auto open = statement.find('{');
    text += statement.substr(0, open);
    if (open == std::string_view::npos) return text;
    const auto close = statement.find('}', open);
    const std::string_view mark = statement.substr(open + 1, close - open - 1);
    text += mark == "db" ? database : engine_text(mark, table, database, engines);
    statement.remove_prefix(close + 1);
  }
}

std::string without_remarks(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (!text.starts_with("--")) kept += text.substr(0, end);
    text.remove_prefix(end);
  }
  return kept;
}

base::Unexpected newer(std::uint32_t version) {
  return base::fail(Code::schema_newer, fmt::format("it has version {}, this program knows {}",
                                                    version, kSchemaVersion));
}

}  // namespace

std::vector<std::string> schema_statements(const std::string& database, Engines engines) {
  std::vector<std::string> all{"CREATE DATABASE IF NOT EXISTS " + database};
  const std::string text = without_remarks(schema_text());
  constexpr std::string_view kCreate = "CREATE TABLE ";
  std::size_t at = 0;
  for (std::size_t end; (end = text.find(";\n", at)) != std::string::npos; at = end + 2) {
    std::string statement = filled(std::string_view(text).substr(at, end - at), database, engines);
    statement.insert(kCreate.size(), "IF NOT EXISTS ");
    all.push_back(std::move(statement));
  }
  return all;
}

std::vector<std::string> cluster_statements(const std::string& database,
                                            const std::string& cluster) {
  std::vector<std::string> all;
  visit_tables([&]<class Row>(const Row&) {
    all.push_back(fmt::format(
        "CREATE TABLE IF NOT EXISTS {0}.{1}_all AS {0}.{1} ENGINE = Distributed({2}, {0}, {1})",
        database, Row::kTable, cluster));
  });
  return all;
}

std::string table_statement(const std::string& database, std::string_view table,
                            std::string_view name) {
  const std::string begin = fmt::format("CREATE TABLE IF NOT EXISTS {}.{} ", database, table);
  for (const std::string& statement : schema_statements(database, Engines::single))
    if (statement.starts_with(begin))
      return fmt::format("CREATE TABLE {}.{} {}", database, name, statement.substr(begin.size()));
  return {};
}

base::result<std::optional<std::uint32_t>> schema_version(Link& link) {
  const auto answer =
      link.ask(fmt::format("SELECT max(version) FROM {}.schema_version", link.database()));
  if (!answer) {
    const int code = link.refusal().code;
    if (code == kNoTable || code == kNoDatabase) return std::optional<std::uint32_t>();
    return base::Unexpected(answer.error());
  }
  base::Cursor in(*answer, 0);
  const auto version = in.fixed<std::uint32_t>();
  return version == 0 ? std::nullopt : std::optional(version);
}

namespace {

// What a table that was there before lacks of the statement that makes it. Of replicas the first
// one does it for all.
base::result<std::size_t> add_columns(Link& link) {
  const auto found = link.ask(
      fmt::format("SELECT toUInt8(count()) FROM system.columns WHERE database = '{}' AND table = "
                  "'streams' AND name = 'state'",
                  link.database()));
  if (!found) return base::Unexpected(found.error());
  if (found->size() == 1 && found->front() != std::byte{0}) return std::size_t{0};
  auto done =
      link.run(fmt::format("ALTER TABLE {}.streams ADD COLUMN state String", link.database()));
  if (!done) return base::Unexpected(done.error());
  return std::size_t{1};
}

}  // namespace

base::result<std::size_t> apply_schema(Link& link, Engines engines, const std::string& program) {
  const auto version = schema_version(link);
  if (!version) return base::Unexpected(version.error());
  if (*version && **version / kMajor > kSchemaVersion / kMajor) return newer(**version);
  if (*version && **version >= kSchemaVersion) return std::size_t{0};
  const auto statements = schema_statements(link.database(), engines);
  for (const std::string& statement : statements)
    if (auto done = link.run(statement); !done) return base::Unexpected(done.error());
  const auto added = add_columns(link);
  if (!added) return base::Unexpected(added.error());
  // Each replica's own: what is equal, of the same second, would count as sent before, and this
  // one might not have the other's yet.
  base::Appender row;
  append_row(SchemaVersion{kSchemaVersion, static_cast<std::uint32_t>(std::time(nullptr)),
                           program + " at " + link.address()},
             row);
  const auto noted = link.insert(SchemaVersion::kTable, column_names<SchemaVersion>(), row.view());
  if (!noted) return base::Unexpected(noted.error());
  return statements.size() + *added;
}

base::result<bool> has_replicas(Link& link) {
  const auto answer = link.ask(
      fmt::format("SELECT toUInt8(count()) FROM system.tables WHERE database = '{}' AND name "
                  "= 'profile_10s' AND engine LIKE 'Replicated%'",
                  link.database()));
  if (!answer) return base::Unexpected(answer.error());
  return answer->size() == 1 && answer->front() != std::byte{0};
}

base::result<std::uint32_t> require_schema(Link& link) {
  const auto version = schema_version(link);
  if (!version) return base::Unexpected(version.error());
  if (!*version) return base::fail(Code::schema_missing, link.address() + "/" + link.database());
  if (**version / kMajor > kSchemaVersion / kMajor) return newer(**version);
  return **version;
}

}  // namespace polytrace::warehouse
