// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "base/codes.hpp"
#include "event/choice/name_choice.hpp"
#include "fleet/frames.hpp"
#include "fleet/moments/moment.hpp"
#include "fleet/questions.hpp"
#include "fleet/scope.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Unit;

constexpr std::uint64_t kMostMomentsShown = 1000;

// " AND kind = 1", or nothing for all.
base::result<std::string> of_kind(const std::string& kind) {
  if (kind.empty()) return std::string();
  const auto* const found = std::ranges::find(kMomentKinds, kind);
  if (found == kMomentKinds.end())
    return base::fail(base::Code::usage, fmt::format("--kind: \"{}\" is none of {}", kind,
                                                     fmt::join(kMomentKinds, ", ")));
  return fmt::format(" AND kind = {}", found - kMomentKinds.begin() + 1);
}

// " AND subject IN (...)": those whose name was chosen. Names are chosen here, not by the server.
base::result<std::string> of_subjects(Scope& scope, Frames& frames, const std::string& kind,
                                      const std::string& name) {
  const event::NameChoice choice(name);
  if (choice.is_any()) return std::string();
  const auto subjects = scope.store().rows<std::uint64_t>(
      fmt::format("SELECT DISTINCT subject {}{} AND subject != 0", scope.of("moments", 10), kind));
  if (!subjects) return base::Unexpected(subjects.error());
  std::vector<std::uint64_t> ids;
  for (const auto& [id] : *subjects) ids.push_back(id);
  if (auto loaded = frames.load_frames(ids); !loaded) return base::Unexpected(loaded.error());
  std::erase_if(ids, [&](std::uint64_t id) { return !choice.has(frames.name(id)); });
  ids.push_back(0);  // an empty list is no SQL
  return fmt::format(" AND subject != 0 AND subject IN ({})", fmt::join(ids, ", "));
}

}  // namespace

base::result<Answer> ask_moments(Store& store, const Question& question, const std::string& kind,
                                 const std::string& name) {
  const auto kinds = of_kind(kind);
  if (!kinds) return base::Unexpected(kinds.error());
  auto scope = Scope::open(store, question);
  if (!scope) return base::Unexpected(scope.error());
  Frames frames(store);
  const auto subjects = of_subjects(*scope, frames, *kinds, name);
  if (!subjects) return base::Unexpected(subjects.error());
  const std::string chosen = scope->of("moments", 10) + *kinds + *subjects;
  const auto all = store.row<std::uint64_t>("SELECT count() " + chosen);
  if (!all) return base::Unexpected(all.error());
  const auto rows = store.rows<std::uint8_t, std::int64_t, std::int64_t, std::uint64_t,
                               std::uint64_t, std::uint64_t, std::uint64_t, std::string,
                               std::string, std::string, std::string>(fmt::format(
      "SELECT kind, at, took, subject, stream, block, thread, service_name, version, host, "
      "instance FROM (SELECT series, kind, at, took, subject, stream, block, thread {} ORDER "
      "BY took DESC, at, thread LIMIT {}) AS m ANY LEFT JOIN (SELECT series, service_name, "
      "version, host, instance FROM {}) AS s USING series ORDER BY took DESC, at, thread",
      chosen, question.table.limit == 0 ? kMostMomentsShown : question.table.limit,
      scope->name_of("series")));
  if (!rows) return base::Unexpected(rows.error());
  std::vector<std::uint64_t> ids;
  for (const auto& row : *rows)
    if (std::get<3>(row) != 0) ids.push_back(std::get<3>(row));
  if (auto loaded = frames.load_frames(ids); !loaded) return base::Unexpected(loaded.error());
  analysis::Table table = analysis::make_table("moments", "moments", "Moments",
                                               {{"took", "took", Unit::nanoseconds},
                                                {"kind", "kind", Unit::none},
                                                {"moment", "moment", Unit::none},
                                                {"subject", "of", Unit::none},
                                                {"service", "service", Unit::none},
                                                {"version", "version", Unit::none},
                                                {"host", "host", Unit::none},
                                                {"instance", "instance", Unit::none},
                                                {"thread", "thread", Unit::address}});
  for (const auto& [number, at, took, subject, stream, block, thread, service, version, host,
                    instance] : *rows)
    table.rows.push_back({static_cast<std::uint64_t>(took), moment_kind(number),
                          to_text({stream, block, at}),
                          subject == 0 ? std::string() : frames.name(subject), service, version,
                          host, instance, thread});
  scope->account().rows += std::get<0>(*all);
  table.rows_left_out =
      std::get<0>(*all) - std::min(std::get<0>(*all), std::uint64_t{rows->size()});
  table.notes.emplace_back(
      "Of each process and 10 s at most 20: the slowest calls, one of a method, the longest "
      "pauses and waits, a burst of exceptions, a loss. polytrace fleet get MOMENT fetches one.");
  if (!question.table.sort.empty()) sort_and_limit(table, {question.table.sort, 0}, {});
  return Answer{std::move(scope->account()), {std::move(table)}};
}

}  // namespace polytrace::fleet
