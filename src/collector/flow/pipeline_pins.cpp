// SPDX-License-Identifier: Apache-2.0
// What the pipeline does for rules: shows them what windows came to, and tells the store what they
// keep.
#include <algorithm>

#include "base/wall_clock.hpp"
#include "collector/flow/pipeline.hpp"

namespace polytrace::collector {
namespace {

// Of who has no tenant.
constexpr std::string_view kNoTenant = "default";

std::string tenant_of(const std::vector<Tenant>& tenants, const std::string& database) {
  const auto found = std::ranges::find(tenants, database, &Tenant::database);
  return found == tenants.end() ? std::string(kNoTenant) : found->name;
}

}  // namespace

base::result<void> Pipeline::open_pins(const std::string& name) {
  PinsOptions options{.sender = {.folder = config_.spool,
                                 .edge = name,
                                 .objects = {.to = config_.objects,
                                             .region = config_.objects_region,
                                             .key_file = config_.objects_key_file}},
                      .rules = config_.rules,
                      .bytes = config_.spool_pinned,
                      .min_free = config_.spool_min_free,
                      .keep = config_.keep_traces};
  PinSender::Hands hands{
      .rows = [this](Rows&& rows, const std::string& database) { return put_rows(rows, database); },
      .done = {},
      .tell =
          [this](bool is_warning, std::uint64_t stream, std::string text) {
            tell_(
                {is_warning ? Weight::warning : Weight::news, "rule", {}, stream, std::move(text)});
          }};
  auto pins = Pins::open(std::move(options), spool_, std::move(hands));
  if (!pins) return base::Unexpected(pins.error());
  pins_ = std::move(*pins);
  return {};
}

// On the stream's worker, while its window is closed.
void Pipeline::look_at_rows(Stream& stream, const std::string& database, const Rows& rows) {
  if (config_.rules.empty()) return;
  for (const warehouse::Health10s& row : rows.of<warehouse::Health10s>())
    pins_->look(stream.watch, stream.id, row, base::wall_now(), [&] {
      return Pins::Whose{stream.work->aggregator().labels().service,
                         tenant_of(config_.tenants, database), database};
    });
}

// They are on the disk when it returns.
base::result<void> Pipeline::put_rows(const Rows& rows, const std::string& database) {
  const auto turn = outbox_.turn();
  for (Block& block : blocks_of(rows, static_cast<std::uint32_t>(figures_.shards))) {
    block.database = database;
    if (const auto number = outbox_.append(block); !number) return base::Unexpected(number.error());
  }
  if (auto synced = outbox_.sync(); !synced) return synced;
  couriers_.wake();
  return {};
}

void Pipeline::count_pins() {
  const PinFigures& pins = pins_->figures();
  figures_.windows_kept_total = pins.kept.load();
  figures_.windows_refused_total = pins.refused.load();
  figures_.pinned_bytes = pins.bytes.load();
  figures_.objects_total = pins_->sender().written();
  figures_.objects_retried_total = pins_->sender().retried();
  figures_.objects_waiting = pins_->sender().waiting();
}

}  // namespace polytrace::collector
