// SPDX-License-Identifier: Apache-2.0
#include "base/text/base64.hpp"

#include <array>
#include <cstdint>

namespace polytrace::base {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t kNoDigit = 64;

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  return values;
}();

std::uint32_t value(char digit) { return kValues[static_cast<unsigned char>(digit)]; }

// One to three octets as four characters.
void append_group(std::string& out, std::string_view octets) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 3; ++i)
    bits = bits << 8 | (i < octets.size() ? static_cast<unsigned char>(octets[i]) : 0U);
  for (std::size_t i = 0; i < 4; ++i)
    out += i <= octets.size() ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
}

}  // namespace

void append_base64(std::string& out, std::string_view octets) {
  for (std::size_t i = 0; i < octets.size(); i += 3) append_group(out, octets.substr(i, 3));
}

std::optional<std::size_t> decode_base64(std::string_view text, char* into) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  text.remove_suffix(padding);
  std::uint32_t bits = 0;
  std::size_t made = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint32_t digit = value(text[i]);
    if (digit == kNoDigit) return std::nullopt;
    bits = bits << 6 | digit;
    if (i % 4 != 0) into[made++] = static_cast<char>(bits >> (6 - 2 * (i % 4)));
  }
  // Bits that belong to no octet must be zero: one text for each value.
  const std::uint32_t rest = bits & ((1U << 2 * padding) - 1);
  return rest == 0 ? std::optional(made) : std::nullopt;
}

}  // namespace polytrace::base
