// SPDX-License-Identifier: Apache-2.0
#include "analysis/table/cells.hpp"

#include <fmt/format.h>

#include "base/text/figure_text.hpp"

namespace polytrace::analysis {

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "0 %";
  return base::percent_text(share(part, whole));
}

std::string helpers_note(std::uint64_t calls, std::uint64_t self) {
  return fmt::format("Runtime helpers ({}, {}) count for their callers; --show-helpers lists them.",
                     base::count_text(calls, "call", "calls"), base::duration_text(self));
}

}  // namespace polytrace::analysis
