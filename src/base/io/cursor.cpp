// SPDX-License-Identifier: Apache-2.0
#include "base/io/cursor.hpp"

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::base {

Cursor::Raw Cursor::long_leb() {
  constexpr unsigned kMaxBytes = 10;
  std::uint64_t value = 0;
  const std::byte* at = at_;
  for (unsigned i = 0; i < kMaxBytes; ++i) {
    if (at == end_) return fault(Code::field_past_end), Raw{0, 0};
    const auto group = static_cast<std::uint64_t>(*at++);
    value |= (group & 0x7f) << (7 * i);
    if (group < 0x80) {
      at_ = at;
      return {value, 64 - std::min(7 * (i + 1), 64U)};
    }
  }
  return fault(Code::number_too_long), Raw{0, 0};
}

std::string_view Cursor::zero_terminated() {
  const void* zero = done() ? nullptr : std::memchr(at_, 0, left());
  if (zero == nullptr) return fault(Code::field_past_end), std::string_view{};
  const auto* stop = static_cast<const std::byte*>(zero);
  std::string_view text(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(stop - at_));
  at_ = stop + 1;
  return text;
}

Bytes Cursor::bytes(std::size_t count) {
  if (left() < count) return fault(Code::field_past_end), Bytes{};
  Bytes taken(at_, count);
  at_ += count;
  return taken;
}

}  // namespace polytrace::base
