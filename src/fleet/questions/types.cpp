// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "base/codes.hpp"
#include "fleet/frames.hpp"
#include "fleet/questions.hpp"
#include "fleet/scope.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Carrier;
using analysis::ColumnInfo;
using analysis::Unit;

// How people speak of what a carrier counts.
struct Words {
  Carrier carrier;
  std::string_view section;
  ColumnInfo count, weight;  // without a weight of its own: no title
  std::string_view types, sites;
};

const Words& words_of(Carrier carrier) {
  static const Words kWords[]{{Carrier::allocations,
                               "allocations",
                               {"objects", "objects", Unit::count},
                               {"bytes", "bytes", Unit::bytes},
                               "Allocated types",
                               "Where they are allocated"},
                              {Carrier::contentions,
                               "locks",
                               {"contentions", "contentions", Unit::count},
                               {"wait", "waited", Unit::nanoseconds},
                               "Locks by class",
                               "Where they are waited for"},
                              {Carrier::exceptions,
                               "exceptions",
                               {"count", "thrown", Unit::count},
                               {},
                               "Exceptions by class",
                               "Where they are thrown"}};
  for (const Words& words : kWords)
    if (words.carrier == carrier) return words;
  return kWords[0];
}

analysis::Table empty_table(const Words& words, std::string_view what, bool by_type,
                            const std::string& label) {
  std::vector<ColumnInfo> columns;
  if (!words.weight.title.empty()) columns.push_back(words.weight);
  columns.push_back(words.count);
  const ColumnInfo& rate = words.weight.title.empty() ? words.count : words.weight;
  columns.push_back({rate.key + "_per_process_second", rate.title + "/process-s", rate.unit});
  columns.push_back(by_type ? ColumnInfo{"class", "class", Unit::none}
                            : ColumnInfo{"method", "method", Unit::none});
  if (!label.empty()) columns.push_back({label, label, Unit::none});
  return analysis::make_table(by_type ? "classes" : "sites", std::string(words.section),
                              std::string(what), std::move(columns));
}

void add_row(analysis::Table& table, const Words& words, std::uint64_t seconds,
             const analysis::Amount& amount, std::string name, const std::string* label) {
  const bool has_weight = !words.weight.title.empty();
  std::vector<analysis::Cell> row;
  if (has_weight) row.emplace_back(amount.weight);
  row.emplace_back(amount.count);
  row.push_back(analysis::average(has_weight ? amount.weight : amount.count, seconds));
  row.emplace_back(std::move(name));
  if (label != nullptr) row.emplace_back(*label);
  table.rows.push_back(std::move(row));
}

constexpr std::size_t kMostSites = 200'000;

// By the innermost frame.
base::result<analysis::Table> sites(Scope& scope, const Words& words, const std::string& from,
                                    Frames& frames, const std::string& label) {
  const auto rows = scope.store().rows<warehouse::Id128, std::string, std::uint64_t, std::uint64_t>(
      fmt::format("SELECT stack, label, sum(count) AS c, sum(weight) AS w {} GROUP BY stack, "
                  "label ORDER BY w DESC, c DESC LIMIT {}",
                  from, kMostSites));
  if (!rows) return base::Unexpected(rows.error());
  std::vector<warehouse::Id128> ids;
  for (const auto& row : *rows) ids.push_back(std::get<0>(row));
  if (auto loaded = frames.load_stacks(ids); !loaded) return base::Unexpected(loaded.error());
  std::map<std::pair<std::string, std::string>, analysis::Amount> by_method;
  for (const auto& [id, value, count, weight] : *rows) {
    const auto* const stack = frames.stack(id);
    const bool is_known = stack != nullptr && !stack->empty();
    by_method[{is_known ? frames.name(stack->front()) : "(unknown stack)", value}].add(count,
                                                                                       weight);
  }
  analysis::Table table = empty_table(words, words.sites, false, label);
  for (const auto& [key, amount] : by_method)
    add_row(table, words, scope.account().process_seconds, amount, key.first,
            label.empty() ? nullptr : &key.second);
  if (rows->size() == kMostSites)
    table.notes.push_back(fmt::format("Only the {} heaviest stacks.", kMostSites));
  return table;
}

// Rows with the label that is asked for, or an empty one.
base::result<std::string> rows_with(Scope& scope, Carrier carrier, const std::string& label) {
  const std::string where = fmt::format(" AND carrier = {}", static_cast<unsigned>(carrier));
  if (label.empty())
    return scope.rows_of(kProfileTiers, "stack, subject, count, weight, '' AS label",
                         {.where = where});
  return scope.rows_of(kProfileTiers, "stack, subject, count, weight",
                       {.where = where, .label = label, .needs_label = true});
}

}  // namespace

base::result<Answer> ask_types(Store& store, const Question& question, Carrier carrier,
                               const std::string& label) {
  if (!label.empty() && !is_key(label))
    return base::fail(base::Code::usage, fmt::format("--group-by: \"{}\" is no label", label));
  auto scope = Scope::open(store, question);
  if (!scope) return base::Unexpected(scope.error());
  const Words& words = words_of(carrier);
  const auto source = rows_with(*scope, carrier, label);
  if (!source) return base::Unexpected(source.error());
  const std::string& from = *source;
  const auto rows =
      store.rows<std::uint64_t, std::string, std::uint64_t, std::uint64_t, std::uint64_t>(
          fmt::format("SELECT subject, label, count(), sum(count), sum(weight) {} GROUP BY "
                      "subject, label",
                      from));
  if (!rows) return base::Unexpected(rows.error());
  std::vector<std::uint64_t> ids;
  for (const auto& row : *rows) ids.push_back(std::get<0>(row));
  Frames frames(store);
  if (auto loaded = frames.load_frames(ids); !loaded) return base::Unexpected(loaded.error());
  analysis::Table table = empty_table(words, words.types, true, label);
  for (const auto& [subject, value, count, times, much] : *rows) {
    scope->account().rows += count;
    add_row(table, words, scope->account().process_seconds, {times, much},
            subject == 0 ? "(not told)" : frames.name(subject), label.empty() ? nullptr : &value);
  }
  auto by_site = sites(*scope, words, from, frames, label);
  if (!by_site) return base::Unexpected(by_site.error());
  const std::string key = table.columns.front().key;
  sort_and_limit(table, question.table, key);
  sort_and_limit(*by_site, question.table, key);
  return Answer{std::move(scope->account()), {std::move(table), std::move(*by_site)}};
}

}  // namespace polytrace::fleet
