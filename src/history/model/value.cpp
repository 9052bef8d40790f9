// SPDX-License-Identifier: Apache-2.0
#include "history/model/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

namespace polytrace::history {
namespace {

struct Named {
  Type type;
  std::string_view name;
};

// The first name of a type is the one that is written.
constexpr std::array kNames{
    Named{Type::none, "none"},   Named{Type::boolean, "bool"},  Named{Type::integer, "int"},
    Named{Type::real, "double"}, Named{Type::string, "string"}, Named{Type::bytes, "bytes"},
    Named{Type::any, "any"},     Named{Type::any, "variant"},
};

}  // namespace

std::string_view name(Type type) {
  const auto* const named = std::ranges::find(kNames, type, &Named::type);
  return named == kNames.end() ? "null" : named->name;
}

std::optional<Type> find_type(std::string_view name) {
  const auto* const named = std::ranges::find(kNames, name, &Named::name);
  if (named == kNames.end()) return std::nullopt;
  return named->type;
}

void append_double(std::string& out, double number) {
  if (std::isnan(number)) {
    out += "NaN";
    return;
  }
  if (std::isinf(number)) {
    out += number < 0 ? "-Infinity" : "Infinity";
    return;
  }
  const std::size_t from = out.size();
  fmt::format_to(std::back_inserter(out), "{}", number);
  if (out.find_first_of(".e", from) == std::string::npos) out += ".0";
}

}  // namespace polytrace::history
