// SPDX-License-Identifier: Apache-2.0
// What an analysis adds up, and what it says of things by their names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/table/table.hpp"

namespace polytrace::analysis {

// What is added up: how often, and how much (bytes, nanoseconds).
struct Amount {
  std::uint64_t count = 0;
  std::uint64_t weight = 0;
  void add(std::uint64_t times, std::uint64_t much) { count += times, weight += much; }
  void merge(const Amount& other) { add(other.count, other.weight); }
};

// The amount of one thing: a method, a class, a generation.
struct Figure {
  std::string name;
  Amount amount;
  std::uint32_t index = 0;  // the thing's, where the analysis says more of it
};

// Of things of one kind, in any order. Of each name there may be several.
struct Figures {
  Unit unit = Unit::none;  // of the weights
  std::vector<Figure> all{};
};

}  // namespace polytrace::analysis
