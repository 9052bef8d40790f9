// SPDX-License-Identifier: Apache-2.0
#include "fleet/question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/figure_text.hpp"
#include "service/json/parts.hpp"

namespace polytrace::fleet {
namespace {

std::string loss_text(const Account& account) {
  if (account.lost == 0) return "none lost";
  return fmt::format("{} LOST", base::count_text(account.lost));
}

std::string rows_text(const Account& account) {
  return fmt::format("{} of {}, each of {} s{}", base::count_text(account.rows, "row", "rows"),
                     fmt::join(account.tiers, " and "), account.resolution,
                     account.is_exact ? ", each once" : "");
}

}  // namespace

std::vector<std::string> account_lines(const Account& account) {
  std::string who = "  " + base::count_text(account.series, "series", "series");
  if (!account.where.empty()) who += " with " + account.where;
  if (!account.tiers.empty()) who += "; " + rows_text(account);
  std::vector<std::string> lines{
      fmt::format("{}: {} to {}", account.store, time_text(account.range.from),
                  time_text(account.range.to)),
      std::move(who),
      fmt::format("  {} process-seconds; {}, {}", base::count_text(account.process_seconds),
                  base::count_text(account.events, "event", "events"), loss_text(account))};
  if (account.thinned != 0)
    lines.push_back(fmt::format("  {} stand for several processes each: rows were thinned",
                                base::count_text(account.thinned, "series", "series")));
  for (const std::string& note : account.notes) lines.push_back("  " + note);
  return lines;
}

void write_account(base::JsonWriter& json, const Account& account) {
  json.member("store", account.store);
  json.member("from", time_text(account.range.from));
  json.member("to", time_text(account.range.to));
  json.member("where", account.where);
  json.key("tiers");
  json.begin_array();
  for (const std::string& tier : account.tiers) json.value(tier);
  json.end_array();
  json.member("resolution_s", std::uint64_t{account.resolution});
  json.member("series", account.series);
  json.member("series_thinned", account.thinned);
  json.member("rows", account.rows);
  json.member("process_seconds", account.process_seconds);
  json.member("events", account.events);
  json.member("events_lost", account.lost);
  json.member("exact", account.is_exact);
  json.key("notes");
  json.begin_array();
  for (const std::string& note : account.notes) json.value(note);
  json.end_array();
}

std::string answer_json(const Answer& answer) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.fleet/1");
  write_account(json, answer.account);
  if (answer.before) {
    json.key("base");
    json.begin_object();
    write_account(json, *answer.before);
    json.end_object();
  }
  service::write_tables(json, answer.tables);
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace polytrace::fleet
