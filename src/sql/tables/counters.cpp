// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "analysis/runtime/counters.hpp"
#include "sql/tables/tables.hpp"
#include "sql/trace/rows.hpp"

namespace polytrace::sql {
namespace {

using event::Kind;
using store::EntitySort;

constexpr std::int64_t kFirstTrack = std::int64_t{1} << 31;

struct CounterFacts {
  std::vector<std::uint64_t> unit, type, variance;
  std::vector<std::string> sections;
};

CounterFacts facts_of(const store::Store& store) {
  const std::size_t count = store.entities().count(EntitySort::counter);
  const auto told = [&](std::string_view field) {
    return told_by_index(store, Kind::CounterDef, field, count);
  };
  CounterFacts facts{told("unit"), told("type"), told("variance"), {}};
  const auto section = told("section");
  const auto name = told("section_name");
  for (std::size_t i = 0; i < count; ++i) {
    event::CounterDef def;
    if (section[i] != ~std::uint64_t{0}) def.section = static_cast<std::uint32_t>(section[i]);
    if (name[i] != ~std::uint64_t{0}) def.section_name = store.texts().text(name[i]);
    facts.sections.push_back(analysis::counter_section(def));
  }
  return facts;
}

// What no row tells is the enumeration's first value, which is the commonest.
template <class E>
Value word(std::uint64_t number) {
  const auto words = event::names(E{});
  return Value::of(words[number < words.size() ? number : 0]);
}

Value cell_of_counter(const Trace& trace, const CounterFacts& facts, std::uint64_t row,
                      int column) {
  const store::Entity& counter = trace.store().entities().of(EntitySort::counter, row);
  switch (column) {
    case CounterTrackColumns::counter_id: return Value::of(row);
    case CounterTrackColumns::id: return Value::of(kFirstTrack + static_cast<std::int64_t>(row));
    case CounterTrackColumns::name:
      return counter.name == store::Entity::kNone
                 ? Value()
                 : Value::told(trace.store().texts().text(counter.name));
    case CounterTrackColumns::section: return Value::told(facts.sections[row]);
    case CounterTrackColumns::unit: return word<event::CounterUnit>(facts.unit[row]);
    case CounterTrackColumns::type: return word<event::CounterType>(facts.type[row]);
    default: return word<event::CounterVariance>(facts.variance[row]);
  }
}

}  // namespace

TablePointer counter_track_table(const TracePointer& trace) {
  const auto facts = std::make_shared<const CounterFacts>(facts_of(trace->store()));
  return std::make_unique<ListedTable>(
      TableId::CounterTrack, CounterTrackColumns::counter_id,
      [=] { return std::uint64_t{facts->sections.size()}; },
      [=](std::uint64_t row, int column) { return cell_of_counter(*trace, *facts, row, column); });
}

}  // namespace polytrace::sql
