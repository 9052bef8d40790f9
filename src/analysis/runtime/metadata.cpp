// SPDX-License-Identifier: Apache-2.0
// What was loaded and unloaded: domains, assemblies, images and contexts. Definitions: the selected
// time and thread do not apply.
// Tables: metadata (totals), domains, assemblies, images, contexts.
#include <fmt/format.h>

#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/words.hpp"
#include "base/text/figure_text.hpp"
#include "slice/lives.hpp"

namespace polytrace::analysis {
namespace {

using event::Event;
using event::Kind;

class Metadata final : public Analysis {
 public:
  explicit Metadata(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;

 private:
  void take(const Event& event, const event::Domain& details);
  void take(const Event& event, const event::Context& details);
  void take(const Event& event, const event::Assembly& details);
  void take(const Event& event, const event::Module& details);
  Table totals() const;
  Table domains(const TableOptions& options) const;
  Table assemblies(const TableOptions& options) const;
  Table images(const TableOptions& options) const;
  Table contexts(const TableOptions& options) const;

  Selection selection_;
  Lives domains_, assemblies_, images_, contexts_;
};

void Metadata::consume(const Slice& slice) {
  const event::Batch& batch = slice.batch;
  for (const std::uint32_t i : slice.others) {
    const Event& event = batch.events[i];
    switch (event.kind) {
      case Kind::Domain: take(event, batch.details_or<event::Domain>(event, {})); break;
      case Kind::Context: take(event, batch.details_or<event::Context>(event, {})); break;
      case Kind::Assembly: take(event, batch.details_or<event::Assembly>(event, {})); break;
      case Kind::Module: take(event, batch.details_or<event::Module>(event, {})); break;
      default: break;
    }
  }
}

void keep_name(LifeSpan& life, event::Text name) {
  if (!name.empty()) life.name = name;
}

void Metadata::take(const Event& event, const event::Domain& details) {
  keep_name(domains_.record({base::kNoId, event.id}, details.life, event.time), details.name);
}

void Metadata::take(const Event& event, const event::Context& details) {
  LifeSpan& life = contexts_.record({details.domain, event.id}, details.life, event.time);
  const LifeSpan* domain = domains_.find({base::kNoId, details.domain});
  if (domain != nullptr && life.owner_name.empty()) life.owner_name = domain->name;
}

void Metadata::take(const Event& event, const event::Assembly& details) {
  LifeSpan& life = assemblies_.record({base::kNoId, event.id}, details.life, event.time);
  keep_name(life, details.name);
  if (details.module != base::kNoId) life.part_of = details.module;
}

void Metadata::take(const Event& event, const event::Module& details) {
  LifeSpan& life = images_.record({base::kNoId, event.id}, details.life, event.time);
  keep_name(life, details.name);
  if (!details.mvid.empty()) life.detail = details.mvid;
}

Table Metadata::totals() const {
  Table table = make_table("metadata", "metadata", "Loaded",
                           {{"kind", "Kind", Unit::none},
                            {"loaded", "Loaded", Unit::count},
                            {"unloaded", "Unloaded", Unit::count}});
  const auto add = [&](const char* kind, const Lives& lives) {
    std::uint64_t ended = 0;
    for (const LifeSpan& life : lives.all()) ended += life.end != base::kNoTime;
    if (!lives.all().empty())
      table.rows.push_back({kind, std::uint64_t{lives.all().size()}, ended});
  };
  add("images", images_);
  add("assemblies", assemblies_);
  add("domains", domains_);
  add("contexts", contexts_);
  return table;
}

std::string name_of(const LifeSpan& life) {
  return life.name.empty() ? "(name not recorded)" : life.name;
}

Table Metadata::domains(const TableOptions& options) const {
  Table table = make_table("domains", "metadata", "Domains",
                           {{"name", "Name", Unit::none},
                            {"domain", "Domain", Unit::address},
                            {"loaded", "Loaded", Unit::time},
                            {"unloaded", "Unloaded", Unit::time}});
  for (const LifeSpan& life : domains_.all())
    if (keeps(selection_, life.name))
      table.rows.push_back(
          {name_of(life), life.key.id, time_cell(life.begin), time_cell(life.end)});
  sort_and_limit(table, options, "");
  return table;
}

Table Metadata::assemblies(const TableOptions& options) const {
  Table table = make_table("assemblies", "metadata", "Assemblies",
                           {{"name", "Name", Unit::none},
                            {"image", "Image", Unit::none},
                            {"loaded", "Loaded", Unit::time},
                            {"unloaded", "Unloaded", Unit::time}});
  for (const LifeSpan& life : assemblies_.all()) {
    if (!keeps(selection_, life.name)) continue;
    const LifeSpan* image = images_.find({base::kNoId, life.part_of});
    table.rows.push_back({name_of(life), image == nullptr ? Cell{} : Cell{image->name},
                          time_cell(life.begin), time_cell(life.end)});
  }
  sort_and_limit(table, options, "");
  return table;
}

Table Metadata::images(const TableOptions& options) const {
  Table table = make_table("images", "metadata", "Images",
                           {{"name", "File", Unit::none},
                            {"mvid", "Version id", Unit::none},
                            {"loaded", "Loaded", Unit::time},
                            {"unloaded", "Unloaded", Unit::time}});
  for (const LifeSpan& life : images_.all())
    if (keeps(selection_, life.name))
      table.rows.push_back({name_of(life), life.detail.empty() ? Cell{} : Cell{life.detail},
                            time_cell(life.begin), time_cell(life.end)});
  sort_and_limit(table, options, "");
  return table;
}

Table Metadata::contexts(const TableOptions& options) const {
  Table table = make_table("contexts", "metadata", "Contexts",
                           {{"context", "Context", Unit::address},
                            {"domain", "Domain", Unit::address},
                            {"domain_name", "Domain name", Unit::none},
                            {"loaded", "Loaded", Unit::time},
                            {"unloaded", "Unloaded", Unit::time}});
  for (const LifeSpan& life : contexts_.all()) {
    // A name told later than the context is the domain's last.
    const LifeSpan* domain = domains_.find({base::kNoId, life.key.owner});
    const std::string last = domain == nullptr ? "" : domain->name;
    const std::string name = life.owner_name.empty() ? last : life.owner_name;
    if (!keeps(selection_, name)) continue;
    table.rows.push_back(
        {life.key.id, life.key.owner, name, time_cell(life.begin), time_cell(life.end)});
  }
  sort_and_limit(table, options, "");
  return table;
}

std::vector<Table> Metadata::tables(const Names&, const TableOptions& options) const {
  return {totals(), domains(options), assemblies(options), images(options), contexts(options)};
}

std::vector<std::string> Metadata::headlines(const Names&) const {
  if (images_.all().empty() && assemblies_.all().empty()) return {};
  return {fmt::format("{} and {} were loaded into {}.",
                      base::count_text(images_.all().size(), "image", "images"),
                      base::count_text(assemblies_.all().size(), "assembly", "assemblies"),
                      base::count_text(domains_.all().size(), "domain", "domains"))};
}

}  // namespace

std::shared_ptr<Analysis> make_metadata(const Shared& shared) {
  return std::make_shared<Metadata>(shared.selection);
}

}  // namespace polytrace::analysis
