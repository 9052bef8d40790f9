// SPDX-License-Identifier: Apache-2.0
#include "collector/facts.hpp"

#include <cstring>

namespace polytrace::test {
namespace {

std::pair<std::uint64_t, std::uint64_t> halves(const warehouse::Id128& id) {
  std::pair<std::uint64_t, std::uint64_t> both;
  std::memcpy(&both.first, id.data(), 8);
  std::memcpy(&both.second, id.data() + 8, 8);
  return both;
}

}  // namespace

void Facts::add(const collector::Rows& more, std::string_view table) {
  const auto wanted = [&](std::string_view name) { return table.empty() || table == name; };
  for (const auto& row : more.of<warehouse::Profile10s>()) {
    if (!wanted(warehouse::Profile10s::kTable)) break;
    const auto [a, b] = halves(row.stack);
    rows[{"profile", {row.carrier, row.t, a, b, row.subject, row.series, row.gen}}] = {row.count,
                                                                                       row.weight};
  }
  for (const auto& row : more.of<warehouse::Methods1m>()) {
    if (!wanted(warehouse::Methods1m::kTable)) break;
    U ends = 0;
    for (const auto tally : row.tally) ends += tally;
    rows[{"methods", {row.t, row.method, row.series, row.gen}}] = {row.calls, row.self_ns,
                                                                   row.total_ns, ends};
  }
  for (const auto& row : more.of<warehouse::Health10s>()) {
    if (!wanted(warehouse::Health10s::kTable)) break;
    lost += row.lost;
    rows[{"health", {row.t, row.series, row.gen}}] = {row.events, row.calls, row.pause_ns,
                                                      row.gcs,    row.waits, row.wait_ns,
                                                      row.throws, row.lost,  row.alloc_bytes};
  }
}

std::pair<Facts::U, Facts::U> Facts::sum(const std::string& table) const {
  std::pair<U, U> all;
  for (const auto& [key, figures] : rows) {
    if (key.first != table) continue;
    all.first += figures[0];
    all.second += figures[1];
  }
  return all;
}

Facts Facts::without_gen() const {
  Facts all;
  for (const auto& [key, figures] : rows) {
    auto shorter = key;
    shorter.second.pop_back();
    auto& sums = all.rows[shorter];
    sums.resize(figures.size());
    for (std::size_t i = 0; i < figures.size(); ++i) sums[i] += figures[i];
  }
  return all;
}

}  // namespace polytrace::test
