// SPDX-License-Identifier: Apache-2.0
#include "sql/model/question.hpp"

#include <climits>
#include <cstdlib>

namespace polytrace::sql {

Value parameter_value(const std::string& text) {
  char* end = nullptr;
  const long long number = std::strtoll(text.c_str(), &end, 10);
  const bool fits = number != LLONG_MAX && number != LLONG_MIN;
  if (!text.empty() && *end == '\0' && fits) return Value::of(std::int64_t{number});
  const double real = std::strtod(text.c_str(), &end);
  const bool is_real =
      !text.empty() && *end == '\0' && text.find_first_not_of("0123456789+-.eE") == text.npos;
  return is_real ? Value::of(real) : Value::of(std::string_view(text));
}

}  // namespace polytrace::sql
