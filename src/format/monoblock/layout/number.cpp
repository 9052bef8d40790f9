// SPDX-License-Identifier: Apache-2.0
#include "format/monoblock/layout/number.hpp"

#include "base/codes.hpp"

namespace polytrace::format::monoblock {

std::uint64_t long_number(base::Cursor& in) {
  constexpr unsigned kMaxBytes = 10;
  std::uint64_t value = 0;
  const std::byte* at = in.at();
  for (unsigned i = 0; i < kMaxBytes; ++i) {
    if (at == in.end()) return in.fault(base::Code::field_past_end), 0;
    const auto group = static_cast<std::uint64_t>(*at++);
    if (i == kMaxBytes - 1 && (group & 0x7f) > 1) break;  // beyond the 64th bit
    value |= (group & 0x7f) << (7 * i);
    if (group >= 0x80) return in.move_to(at), value;
  }
  return in.fault(base::Code::number_too_long), 0;
}

}  // namespace polytrace::format::monoblock
