// SPDX-License-Identifier: Apache-2.0
// Which of our figures the values of a profile are, by the names and units that others have for
// them. What is none of ours counts as samples where a profile has nothing else, and is left out
// where it has: it would be added to what it is not. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/aggregate/windows.hpp"

namespace polytrace::collector {

struct ValueType {
  std::string_view type;
  std::string_view unit;
};

struct ForeignFigure {
  Carrier carrier{};
  bool is_count = false;
  bool is_both = false;     // of a carrier that has but one
  std::uint64_t scale = 1;  // of the value
  bool is_known = true;     // by its name
  // What one value adds; below 0 is nothing.
  Amount amount(std::int64_t value) const;
};

// By value; nothing: it is left out. `preferred`: which one counts where none is known.
std::vector<std::optional<ForeignFigure>> plan_of(const std::vector<ValueType>& types,
                                                  std::size_t preferred);
// By the word for --weight.
std::optional<ForeignFigure> figure_of_weight(std::string_view key);
// "wall/nanoseconds"
std::string type_text(const ValueType& type);

}  // namespace polytrace::collector
