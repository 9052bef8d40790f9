// SPDX-License-Identifier: Apache-2.0
#include "fleet/operate/shards.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/table/cells.hpp"
#include "base/codes.hpp"

namespace polytrace::fleet {
namespace {

using analysis::Cell;
using analysis::Table;
using analysis::Unit;
using base::result;

// Whether a server answers is known sooner than what it is asked to do is done.
constexpr std::chrono::milliseconds kAnswerAtOnce{60'000};

result<Store> open_replica(const std::vector<std::string>& addresses, warehouse::LinkOptions link) {
  const std::chrono::milliseconds patience = link.answer_within;
  std::optional<base::Error> why;
  for (const std::string& address : addresses) {
    link.address = address;
    link.answer_within = std::min(patience, kAnswerAtOnce);
    auto store = Store::open(link, Reach::own);
    if (store && patience > kAnswerAtOnce) {
      link.answer_within = patience;
      store = Store::open(link, Reach::own);
    }
    if (store || store.error().code != base::Code::store_unreachable) return store;
    if (!why) why = store.error();
  }
  if (addresses.size() > 1) why->detail += "; no other replica answers either";
  return base::Unexpected(*why);
}

struct ShardAnswer {
  result<Report> report = base::fail(base::Code::store_unreachable);
  Shards known{};  // of how many it is one
};

ShardAnswer operate(const std::vector<std::string>& addresses, const warehouse::LinkOptions& link,
                    const ShardOperation& operation) {
  ShardAnswer answer;
  auto store = open_replica(addresses, link);
  if (store) {
    answer.known = store->shards();
    answer.report = operation.act(*store);
  } else {
    answer.report = base::Unexpected(store.error());
  }
  return answer;
}

Report alone(Report report, const Shards& known) {
  if (known.all > 1)
    report.notes.push_back(
        fmt::format("This is one of {} shards, and its own rows alone: each has a --store of its "
                    "own.",
                    known.all));
  return report;
}

// The reports of all shards as one.
class Joiner {
 public:
  Joiner(const std::string& operation, const warehouse::ShardAddresses& shards,
         const std::vector<ShardAnswer>& answers)
      : shards_(shards), answers_(answers), report_{.operation = operation, .store = {}} {}

  Report join() {
    report_.shards = Shards{answers_.size(), 0};
    Table all = analysis::make_table("shards", "shards", "Shards",
                                     {{"shard", "shard", Unit::none},
                                      {"store", "store", Unit::none},
                                      {"outcome", "outcome", Unit::none}});
    for (std::size_t shard = 0; shard < answers_.size(); ++shard)
      if (const auto& one = answers_[shard].report) add(shard, *one);
      else leave_out(shard, one.error());
    tell_notes();
    report_.store = fmt::format("{}", fmt::join(names_, ", "));
    add_figures(all);
    report_.tables.insert(report_.tables.begin(), std::move(all));
    return std::move(report_);
  }

 private:
  void add(std::size_t shard, const Report& one) {
    ++report_.shards->answered;
    report_.is_right &= one.is_right;
    names_.push_back(one.store);
    outcomes_.emplace_back(one.is_right ? "right" : "differs");
    for (const Table& table : one.tables) add_rows(shard, table);
    for (const std::string& note : one.notes) notes_[note].push_back(shard);
    const std::uint64_t known = answers_[shard].known.all;
    if (known > 1 && known != answers_.size())
      notes_[fmt::format("It knows of {} shards, {} were named.", known, answers_.size())]
          .push_back(shard);
    if (known_figures_.empty()) known_figures_ = one.figures;
  }
  // What is there of it is not what should be: nobody knows.
  void leave_out(std::size_t shard, const base::Error& why) {
    const bool is_away = why.code == base::Code::store_unreachable;
    report_.is_right = false;
    names_.push_back(shards_[shard].front());
    outcomes_.emplace_back(is_away ? "not reached" : "refused");
    notes_[fmt::format("{}; {}", base::to_text(why), base::describe(why.code).next)].push_back(
        shard);
    report_.faults.push_back(why);
  }

  void add_rows(std::size_t shard, const Table& table) {
    auto found = std::ranges::find(report_.tables, table.key, &Table::key);
    if (found == report_.tables.end()) {
      found = report_.tables.insert(found, table);
      found->rows.clear();
      found->columns.insert(found->columns.begin(), {"shard", "shard", Unit::none});
    }
    for (std::vector<Cell> row : table.rows) {
      row.insert(row.begin(), Cell(std::uint64_t{shard}));
      found->rows.push_back(std::move(row));
    }
  }

  // What all of them say is said once.
  void tell_notes() {
    for (const auto& [note, shards] : notes_)
      report_.notes.push_back(shards.size() == answers_.size()
                                  ? note
                                  : fmt::format("Shard {}: {}", fmt::join(shards, ", "), note));
  }

  void add_figures(Table& all) {
    for (const Report::Figure& figure : known_figures_) {
      report_.figures.push_back({figure.key, figure.title, 0, {}});
      std::string words = figure.key;
      std::ranges::replace(words, '_', ' ');
      all.columns.push_back({figure.key, words, Unit::count});
    }
    for (std::size_t shard = 0; shard < answers_.size(); ++shard) {
      std::vector<Cell> row{std::uint64_t{shard}, names_[shard], outcomes_[shard]};
      for (std::size_t i = 0; i < known_figures_.size(); ++i)
        row.push_back(answers_[shard].report ? sum_up(i, answers_[shard].report->figures[i])
                                             : Cell());
      all.rows.push_back(std::move(row));
    }
  }
  Cell sum_up(std::size_t at, const Report::Figure& own) {
    Report::Figure& sum = report_.figures[at];
    sum.names.insert(own.names.begin(), own.names.end());
    sum.value = sum.names.empty() ? sum.value + own.value : sum.names.size();
    return own.value;
  }

  const warehouse::ShardAddresses& shards_;
  const std::vector<ShardAnswer>& answers_;
  Report report_;
  std::vector<std::string> names_, outcomes_;              // by shard
  std::vector<Report::Figure> known_figures_;              // of the first that answered
  std::map<std::string, std::vector<std::size_t>> notes_;  // who says so
};

}  // namespace

result<Report> on_shards(const warehouse::ShardAddresses& shards,
                         const warehouse::LinkOptions& link, const ShardOperation& operation) {
  std::vector<ShardAnswer> answers;
  for (const auto& replicas : shards) answers.push_back(operate(replicas, link, operation));
  if (answers.size() > 1) return Joiner(operation.name, shards, answers).join();
  ShardAnswer& only = answers.front();
  if (!only.report) return std::move(only.report);
  return alone(std::move(*only.report), only.known);
}

}  // namespace polytrace::fleet
