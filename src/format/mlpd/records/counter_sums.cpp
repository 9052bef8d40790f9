// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd/records/counter_sums.hpp"

#include "format/mlpd/records/first_byte.hpp"

namespace polytrace::format::mlpd {

using event::CounterType;

void CounterSums::define(base::Id counter, const event::CounterDef& definition) {
  counters_[counter].absolute = definition.section == kPerformanceSection;
}

bool CounterSums::is_difference(base::Id counter, const event::CounterValue& value) const {
  if (value.type == CounterType::real || value.type == CounterType::string) return false;
  const auto known = counters_.find(counter);
  return known == counters_.end() || !known->second.absolute;
}

// Sums wrap like the recorder's own arithmetic.
void CounterSums::add_up(base::Id counter, event::CounterValue& value) {
  if (!is_difference(counter, value)) return;
  Counter& state = counters_[counter];
  state.last += static_cast<std::uint64_t>(value.number);
  value.number = static_cast<std::int64_t>(state.last);
}

void CounterSums::take_apart(base::Id counter, event::CounterValue& value) {
  if (!is_difference(counter, value)) return;
  Counter& state = counters_[counter];
  const auto now = static_cast<std::uint64_t>(value.number);
  value.number = static_cast<std::int64_t>(now - state.last);
  state.last = now;
}

}  // namespace polytrace::format::mlpd
