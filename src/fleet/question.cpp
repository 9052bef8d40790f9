// SPDX-License-Identifier: Apache-2.0
#include "fleet/question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "fleet/tiers.hpp"
#include "service/json/parts.hpp"

namespace polytrace::fleet {
namespace {

base::result<std::uint32_t> resolution_of(const std::string& word) {
  if (word.empty()) return 0;
  if (word == "10s") return 10;
  if (word == "1m") return 60;
  if (word == "1h") return kHour;
  return base::fail(base::Code::usage,
                    fmt::format("resolution: \"{}\" is none of 10s, 1m, 1h", word));
}

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

base::result<Question> make_question(const QuestionWords& words, std::uint32_t now) {
  auto where = parse_where(words.where);
  if (!where) return base::Unexpected(where.error());
  const auto range = parse_range(words.range, now);
  if (!range) return base::Unexpected(range.error());
  const auto resolution = resolution_of(words.resolution);
  if (!resolution) return base::Unexpected(resolution.error());
  return Question{std::move(*where), *range, words.exact, *resolution, {}};
}

base::result<Question> question_before(const Question& question, const std::string& other,
                                       const std::string& offset) {
  if (other.empty() && offset.empty())
    return base::fail(base::Code::usage, "with what? Say --base CONDITION or --offset TIME");
  Question before = question;
  if (!other.empty()) {
    auto where = parse_where(other);
    if (!where) return base::Unexpected(where.error());
    before.where = std::move(*where);
  }
  if (offset.empty()) return before;
  const auto length = parse_span(offset);
  if (!length) return base::Unexpected(length.error());
  if (*length > before.range.from)
    return base::fail(base::Code::usage, fmt::format("--offset: \"{}\" is too long", offset));
  before.range.from -= *length;
  before.range.to -= *length;
  return before;
}

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
  if (account.shards.answered < account.shards.all)
    lines.front() +=
        fmt::format("; {} OF {} SHARDS ANSWERED", account.shards.answered, account.shards.all);
  else if (account.shards.all > 1) lines.front() += fmt::format("; {} shards", account.shards.all);
  if (account.thinned != 0)
    lines.push_back(
        fmt::format("  rows of {} were thinned: those of methods are missing, and some "
                    "stand for several processes",
                    base::count_text(account.thinned, "group", "groups")));
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
  json.member("shards", account.shards.all);
  json.member("shards_answered", account.shards.answered);
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
