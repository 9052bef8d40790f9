// SPDX-License-Identifier: Apache-2.0
// Numbers as users write them in options: digits alone, without blanks or a plus sign. Pure;
// thread-safe.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <type_traits>

namespace polytrace::service {

// The number at the front of `text`, which becomes what is behind it; nothing when there is none or
// T cannot hold it. `base` is of integers.
template <class T>
std::optional<T> take_number(std::string_view& text, int base = 10) {
  T value{};
  const char* const end = text.data() + text.size();
  std::from_chars_result read{};
  if constexpr (std::is_floating_point_v<T>) read = std::from_chars(text.data(), end, value);
  else read = std::from_chars(text.data(), end, value, base);
  if (read.ec != std::errc{}) return std::nullopt;
  text = {read.ptr, static_cast<std::size_t>(end - read.ptr)};
  return value;
}

// All of `text` as a number.
template <class T>
std::optional<T> parse_number(std::string_view text, int base = 10) {
  const auto value = take_number<T>(text, base);
  return text.empty() ? value : std::nullopt;
}

}  // namespace polytrace::service
