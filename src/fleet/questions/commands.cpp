// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "fleet/questions.hpp"
#include "fleet/scope.hpp"
#include "warehouse/outcomes.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Unit;

// Rows that were sent twice are the same: the text names the order. Without a condition also those
// that are about no process: the order itself, or one that nobody was meant by.
std::string commands_sql(Scope& scope) {
  const Question& question = scope.question();
  const bool is_any = question.where.kind == Where::Kind::everything;
  return fmt::format(
      "SELECT at, who, what, outcome, text, service_name, host, instance FROM (SELECT DISTINCT at, "
      "who, what, series, outcome, text FROM {} WHERE at >= {} AND at < {}) AS c ANY {} JOIN "
      "(SELECT series, service_name, host, instance FROM {} WHERE {}) AS s USING series",
      scope.name_of("commands"), question.range.from, question.range.to, is_any ? "LEFT" : "INNER",
      scope.name_of("series"), to_sql(question.where));
}

}  // namespace

base::result<Answer> ask_commands(Store& store, const Question& question) {
  auto scope = Scope::open(store, question);
  if (!scope) return base::Unexpected(scope.error());
  const auto rows = store.rows<std::uint32_t, std::string, std::string, std::uint8_t, std::string,
                               std::string, std::string, std::string>(commands_sql(*scope));
  if (!rows) return base::Unexpected(rows.error());
  analysis::Table table = analysis::make_table("commands", "commands", "Commands",
                                               {{"at", "at", Unit::none},
                                                {"who", "who", Unit::none},
                                                {"command", "command", Unit::none},
                                                {"outcome", "outcome", Unit::none},
                                                {"service", "service", Unit::none},
                                                {"host", "host", Unit::none},
                                                {"instance", "instance", Unit::none},
                                                {"text", "text", Unit::none}});
  for (const auto& [at, who, what, outcome, text, service, host, instance] : *rows)
    table.rows.push_back(
        {time_text(at), who, what,
         std::string(warehouse::name_of(static_cast<warehouse::CommandOutcome>(outcome))), service,
         host, instance, text});
  scope->account().rows += rows->size();
  sort_and_limit(table, question.table, "at");
  return Answer{std::move(scope->account()), {std::move(table)}};
}

}  // namespace polytrace::fleet
