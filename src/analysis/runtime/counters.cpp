// SPDX-License-Identifier: Apache-2.0
// The runtime's own counters: last, least and greatest value, and values over time.
// Table: counters. Its column `series` holds up to 60 values at equal distances in time, separated
// by commas, each the last one known then.
#include "analysis/runtime/counters.hpp"

#include <fmt/format.h>

#include <iterator>

#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/course.hpp"
#include "analysis/table/rows.hpp"
#include "analysis/table/words.hpp"
#include "base/slot.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {
namespace {

using event::CounterType;
using event::CounterUnit;
using event::Event;
using event::Kind;

// A number as recorded; which member counts depends on the counter's type.
struct Number {
  std::int64_t whole = 0;
  double real = 0;
};

struct Latest {
  bool known = false;
  Number number;
  void merge(const Latest& later) {
    if (later.known) *this = later;
  }
};

struct Counter {
  std::string section;
  std::string name;
  CounterUnit unit = CounterUnit::raw;
  CounterType type = CounterType::int32;
  std::uint64_t values = 0;
  Number last, least, most;
  std::string text;  // last value of a counter of strings
  Course<Latest> series;
};

class Counters final : public Analysis {
 public:
  explicit Counters(const Selection& selection) : selection_(selection) {}

  void consume(const Slice& slice) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;

 private:
  void define(Id id, const event::CounterDef& details);
  void value(const Event& event, const event::CounterValue& details);

  Selection selection_;
  base::IdTable ids_;
  std::vector<Counter> counters_;  // by index in ids_
};

bool less(CounterType type, const Number& a, const Number& b) {
  switch (type) {
    case CounterType::real: return a.real < b.real;
    case CounterType::uint32:
    case CounterType::uint64:
      return static_cast<std::uint64_t>(a.whole) < static_cast<std::uint64_t>(b.whole);
    default: return a.whole < b.whole;
  }
}

const char* unit_name(const Counter& counter) {
  if (counter.type == CounterType::interval) return "ms";
  switch (counter.unit) {
    case CounterUnit::bytes: return "bytes";
    case CounterUnit::time: return "ms";
    case CounterUnit::percentage: return "ratio";
    default: return "";
  }
}

// Recorded units to those of unit_name(): intervals are microseconds, times 100 ns.
// What is called a percentage is a ratio: load averages are above 1, too.
double scale(const Counter& counter) {
  if (counter.type == CounterType::interval) return 1e-3;
  return counter.unit == CounterUnit::time ? 1e-4 : 1;
}

Cell number_cell(const Counter& counter, const Number& number) {
  const bool is_unsigned =
      counter.type == CounterType::uint32 || counter.type == CounterType::uint64;
  const auto bits = static_cast<std::uint64_t>(number.whole);
  const double factor = scale(counter);
  if (counter.type == CounterType::real) return number.real * factor;
  if (factor != 1)
    return factor * (is_unsigned ? static_cast<double>(bits) : static_cast<double>(number.whole));
  return is_unsigned ? Cell{bits} : Cell{number.whole};
}

std::string number_text(const Cell& cell) {
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{:.6g}", *real);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  return fmt::format("{}", std::get<std::uint64_t>(cell));
}

// The first place always has a value: a course begins with one.
std::string series_text(const Counter& counter) {
  std::string out;
  Number now;
  for (std::size_t i = 0; i < counter.series.size(); ++i) {
    if (counter.series[i].known) now = counter.series[i].number;
    if (i > 0) out += ',';
    out += number_text(number_cell(counter, now));
  }
  return out;
}

std::vector<Cell> row_of(const Counter& counter) {
  if (counter.type == CounterType::string)
    return {counter.section, counter.name, "", counter.text, {}, {}, counter.values, {}};
  return {counter.section,
          counter.name,
          unit_name(counter),
          number_cell(counter, counter.last),
          number_cell(counter, counter.least),
          number_cell(counter, counter.most),
          counter.values,
          series_text(counter)};
}

void Counters::consume(const Slice& slice) {
  const event::Batch& batch = slice.batch;
  for (const std::uint32_t i : slice.others) {
    const Event& event = batch.events[i];
    if (event.kind == Kind::CounterDef)
      define(event.id, batch.details_or<event::CounterDef>(event, {}));
    else if (event.kind == Kind::CounterValue && selects(selection_, batch, event))
      value(event, batch.details_or<event::CounterValue>(event, {}));
  }
}

void Counters::define(Id id, const event::CounterDef& details) {
  Counter& counter = base::slot(counters_, ids_.index(id));
  counter.section = counter_section(details);
  counter.name = details.name;
  counter.unit = details.unit;
  if (counter.values == 0) counter.type = details.type;
}

void Counters::value(const Event& event, const event::CounterValue& details) {
  Counter& counter = base::slot(counters_, ids_.index(event.id));
  counter.type = details.type;
  if (details.type == CounterType::string) {
    counter.text = details.text;
    ++counter.values;
    return;
  }
  const Number number{details.number, details.real};
  if (counter.values++ == 0) counter.least = counter.most = number;
  if (less(counter.type, number, counter.least)) counter.least = number;
  if (less(counter.type, counter.most, number)) counter.most = number;
  counter.last = number;
  counter.series.at(event.time) = {true, number};
}

std::vector<Table> Counters::tables(const Names&, const TableOptions& options) const {
  Table table = make_table("counters", "counters", "Counters",
                           {{"section", "Section", Unit::none},
                            {"name", "Name", Unit::none},
                            {"unit", "Unit", Unit::none},
                            {"last", "Last", Unit::none},
                            {"least", "Least", Unit::none},
                            {"most", "Most", Unit::none},
                            {"values", "Values", Unit::count},
                            {"series", "Over time", Unit::none}});
  std::uint64_t silent = 0;
  for (std::uint32_t i = 0; i < counters_.size(); ++i) {
    Counter counter = counters_[i];
    silent += counter.values == 0;
    if (counter.name.empty()) counter.name = fmt::format("counter {}", ids_.id(i));
    if (counter.values > 0 && keeps(selection_, counter.name))
      table.rows.push_back(row_of(counter));
  }
  if (silent > 0)
    table.notes.push_back(base::count_text(silent, "more counter", "more counters") +
                          " defined that never had a value.");
  sort_and_limit(table, options, "");
  return {std::move(table)};
}

std::vector<std::string> Counters::headlines(const Names&) const {
  std::uint64_t with_values = 0;
  for (const Counter& counter : counters_) with_values += counter.values > 0;
  if (with_values == 0) return {};
  return {base::count_text(with_values, "runtime counter was", "runtime counters were") +
          " recorded."};
}

struct CounterSection {
  std::uint32_t number;
  const char* name;
};
constexpr CounterSection kCounterSections[] = {
    {0x100, "Mono JIT"},      {0x200, "Mono GC"},         {0x400, "Mono Metadata"},
    {0x800, "Mono Generics"}, {0x1000, "Mono Security"},  {0x2000, "Mono Runtime"},
    {0x4000, "Mono System"},  {0x10000, "Mono Profiler"}, {0x20000, "Mono Interpreter"}};

}  // namespace

std::string counter_section(const event::CounterDef& details) {
  if (!details.section_name.empty()) return std::string(details.section_name);
  for (const CounterSection& section : kCounterSections)
    if (section.number == details.section) return section.name;
  return fmt::format("section {:#x}", details.section);
}

std::shared_ptr<Analysis> make_counters(const Shared& shared) {
  return std::make_shared<Counters>(shared.selection);
}

}  // namespace polytrace::analysis
