// SPDX-License-Identifier: Apache-2.0
#include "history/model/value_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string_view>

namespace polytrace::history {

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
