// SPDX-License-Identifier: Apache-2.0
#include "collector/foreign/value_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/terminal_text.hpp"

namespace polytrace::collector {
namespace {

struct KnownUnit {
  std::string_view name;
  std::string_view of;
  std::uint64_t scale;
};
constexpr std::array kUnits{
    KnownUnit{"nanoseconds", "time", 1},
    KnownUnit{"ns", "time", 1},
    KnownUnit{"microseconds", "time", 1'000},
    KnownUnit{"milliseconds", "time", 1'000'000},
    KnownUnit{"seconds", "time", 1'000'000'000},
    KnownUnit{"s", "time", 1'000'000'000},
    KnownUnit{"bytes", "bytes", 1},
    KnownUnit{"By", "bytes", 1},
    KnownUnit{"count", "count", 1},
    KnownUnit{"1", "count", 1},
};

// A name with a "*" at its end begins so.
struct KnownType {
  std::string_view name;
  std::string_view unit;
  Carrier carrier;
  bool is_count;
};
constexpr std::array kTypes{
    KnownType{"cpu", "time", Carrier::cpu, false},
    KnownType{"wall", "time", Carrier::calls, false},
    KnownType{"samples", "count", Carrier::samples, false},
    KnownType{"sample", "count", Carrier::samples, false},
    KnownType{"events", "count", Carrier::samples, false},
    KnownType{"alloc_space", "bytes", Carrier::allocations, false},
    KnownType{"alloc_objects", "count", Carrier::allocations, true},
    KnownType{"delay", "time", Carrier::contentions, false},
    KnownType{"contentions", "count", Carrier::contentions, true},
    KnownType{"lock*", "time", Carrier::contentions, false},
    KnownType{"lock*", "count", Carrier::contentions, true},
    KnownType{"exceptions", "count", Carrier::exceptions, false},
};

bool has_one_figure(Carrier carrier) {
  return carrier == Carrier::samples || carrier == Carrier::exceptions;
}

bool is_named(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

std::optional<ForeignFigure> known_figure(const ValueType& type) {
  const auto unit = std::ranges::find(kUnits, type.unit, &KnownUnit::name);
  if (unit == kUnits.end()) return {};
  for (const KnownType& known : kTypes)
    if (unit->of == known.unit && is_named(type.type, known.name))
      return ForeignFigure{known.carrier, known.is_count, has_one_figure(known.carrier),
                           unit->scale};
  return {};
}

// Ours alone count calls, beside the time of calls or of a processor.
void plan_calls(const std::vector<ValueType>& types,
                std::vector<std::optional<ForeignFigure>>& plan) {
  const auto find = [&](std::string_view type, std::string_view unit) {
    return std::ranges::find_if(
        types, [&](const ValueType& one) { return one.type == type && one.unit == unit; });
  };
  const auto calls = find("calls", "count");
  if (calls == types.end()) return;
  const auto time = find("time", "nanoseconds");
  const bool of_cpu = time == types.end() && find("cpu", "nanoseconds") != types.end();
  const Carrier carrier = of_cpu ? Carrier::cpu : Carrier::calls;
  plan[static_cast<std::size_t>(calls - types.begin())] = ForeignFigure{carrier, true};
  if (time != types.end())
    plan[static_cast<std::size_t>(time - types.begin())] = ForeignFigure{Carrier::calls, false};
}

}  // namespace

Amount ForeignFigure::amount(std::int64_t value) const {
  std::uint64_t much = static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
  if (__builtin_mul_overflow(much, scale, &much)) much = ~std::uint64_t{0};
  return {is_count || is_both ? much : 0, is_count && !is_both ? 0 : much};
}

std::vector<std::optional<ForeignFigure>> plan_of(const std::vector<ValueType>& types,
                                                  std::size_t preferred) {
  std::vector<std::optional<ForeignFigure>> plan;
  for (const ValueType& type : types) plan.push_back(known_figure(type));
  plan_calls(types, plan);
  const bool knows_none =
      std::ranges::none_of(plan, [](const auto& one) { return one.has_value(); });
  if (knows_none && preferred < plan.size()) {
    plan[preferred] = ForeignFigure{Carrier::samples, false, true};
    plan[preferred]->is_known = false;
  }
  return plan;
}

std::optional<ForeignFigure> figure_of_weight(std::string_view key) {
  const analysis::Weight* const weight = analysis::find_weight(key);
  if (weight == nullptr) return {};
  return ForeignFigure{weight->carrier, weight->is_count, has_one_figure(weight->carrier)};
}

std::string type_text(const ValueType& type) {
  return base::printable(fmt::format("{}/{}", type.type, type.unit));
}

}  // namespace polytrace::collector
