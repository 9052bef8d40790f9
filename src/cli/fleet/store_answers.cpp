// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/store_answers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/wall_clock.hpp"
#include "fleet/operate/shards.hpp"
#include "server/door/fleet_reply.hpp"
#include "warehouse/shards.hpp"

namespace polytrace::cli {

namespace {

// Any server of a store answers for all of them. Where there are several, the first that can be
// connected to.
std::string address_of_store(const collector::Config& config, warehouse::LinkOptions options) {
  std::vector<std::string> all;
  for (const auto& replicas : config.store) all.insert(all.end(), replicas.begin(), replicas.end());
  if (all.size() == 1) return all.front();
  auto servers = warehouse::Replicas::open(all, std::move(options));
  if (!servers || !servers->ask("SELECT toUInt8(1)")) return all.front();
  return servers->link().address();
}

// What a link's address has no database of any more, and who asks no tenant's.
std::string database_of_store(const collector::Config& config, const std::string& tenants) {
  if (!tenants.empty()) return tenants;
  const auto own = warehouse::parse_address(config.store.front().front());
  return own ? own->database : std::string();
}

}  // namespace

collector::AnswerStore answers_from_store(const collector::Config& config) {
  if (config.store.empty()) return nullptr;
  return [&config](const collector::StoreQuestion& question, const std::atomic<bool>& stop) {
    const bool is_own = !config.read_user.empty();
    warehouse::LinkOptions link;
    link.user = is_own ? config.read_user : config.user;
    link.password_file = is_own ? config.read_password_file : config.password_file;
    link.database = database_of_store(config, question.database);
    link.stop = &stop;
    link.address = address_of_store(config, link);
    return server::fleet_reply({.store = std::move(link)}, question.target, question.body, stop);
  };
}

namespace {

// An hour of a large store takes a while to add up.
constexpr std::chrono::hours kRollWithin{1};

std::uint32_t now_seconds() { return static_cast<std::uint32_t>(base::wall_seconds()); }

void tell(base::result<fleet::Report> report, const std::string& database,
          collector::Rolled& rolled) {
  if (!report) {
    rolled.faults.push_back(base::to_text(report.error()));
    return;
  }
  for (const base::Error& fault : report->faults) rolled.faults.push_back(base::to_text(fault));
  const bool is_empty = std::ranges::all_of(report->tables, [](const analysis::Table& table) {
    return table.key == "shards" || table.rows.empty();
  });
  if (is_empty) return;
  std::string text = report->operation + (database.empty() ? "" : " of " + database);
  for (const fleet::Report::Figure& figure : report->figures)
    if (figure.value != 0) text += fmt::format(", {} {}", figure.value, figure.title);
  rolled.done.push_back(std::move(text));
  if (!report->faults.empty()) return;  // of which notes tell, too
  for (const std::string& note : report->notes)
    rolled.done.push_back(report->operation + ": " + note);
}

// As `fleet prune --keep` has them.
std::vector<std::string> kept_words(const collector::Config& config) {
  std::vector<std::string> words{fmt::format("traces={}s", config.keep_traces.count())};
  for (const auto& [table, time] : config.keep)
    words.push_back(fmt::format("{}={}s", table, time.count()));
  return words;
}

base::result<fleet::Report> prune_store(const collector::Config& config,
                                        const warehouse::LinkOptions& link) {
  auto keep = fleet::parse_keep(kept_words(config));
  if (!keep) return base::Unexpected(keep.error());
  std::unique_ptr<warehouse::Objects> objects;
  if (!config.objects.empty()) {
    auto opened = warehouse::Objects::open({.to = config.objects,
                                            .region = config.objects_region,
                                            .key_file = config.objects_key_file,
                                            .stop = link.stop});
    if (!opened) return base::Unexpected(opened.error());
    objects = std::move(*opened);
  }
  const fleet::PruneOrder order{
      .keep = std::move(*keep), .now = now_seconds(), .objects = objects.get()};
  return fleet::on_shards(config.store, link, {"prune", [&](fleet::Store& store) {
                                                 return fleet::prune(store, order);
                                               }});
}

}  // namespace

collector::RollStore roll_of_store(const collector::Config& config) {
  if (!config.rolls || config.store.empty()) return nullptr;
  return [&config](const std::string& database, const std::atomic<bool>& stop) {
    warehouse::LinkOptions link;
    link.user = config.user;
    link.password_file = config.password_file;
    link.database = database;
    link.answer_within = kRollWithin;
    link.stop = &stop;
    collector::Rolled rolled;
    const fleet::RollOrder order{.now = now_seconds()};
    const fleet::ShardOperation roll{
        "roll", [&](fleet::Store& store) { return fleet::roll(store, order); }};
    tell(fleet::on_shards(config.store, link, roll), database, rolled);
    if (config.prunes && !stop) tell(prune_store(config, link), database, rolled);
    return rolled;
  };
}

}  // namespace polytrace::cli
